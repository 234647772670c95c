// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace espalier::plan {

/// A number inside the MPI library.
class VariableStorage {
public:
  VariableStorage() = default;
  VariableStorage(VariableStorage const&) = delete;
  VariableStorage& operator=(VariableStorage const&) = delete;
  VariableStorage(VariableStorage&&) = delete;
  VariableStorage& operator=(VariableStorage&&) = delete;
  virtual ~VariableStorage() = default;

  /// @throws Error mpi.
  [[nodiscard]] virtual int read() const = 0;
  /// @throws Error mpi.
  virtual void write(int number) const = 0;
};

/// A control variable of the MPI library that is a number.
class ControlVariable {
public:
  /// One of the values that the library has names for.
  struct Value {
    std::string name;
    int number = 0;
  };

  /// What the library says of a variable.
  struct Description {
    std::string text;
    std::vector<Value> values;  ///< empty if the library does not enumerate them
    bool is_writable = false;
  };

  ControlVariable(
      std::string name, Description description, std::unique_ptr<VariableStorage const> storage
  )
      : name_(std::move(name)), description_(std::move(description)), storage_(std::move(storage)) {
  }

  [[nodiscard]] std::string const& name() const noexcept { return name_; }

  [[nodiscard]] std::string const& description() const noexcept { return description_.text; }

  [[nodiscard]] std::vector<Value> const& values() const noexcept { return description_.values; }

  /// Whether it can be written at all while the program runs.
  [[nodiscard]] bool is_writable() const noexcept { return description_.is_writable; }

  /// @throws Error mpi.
  [[nodiscard]] int read() const { return storage_->read(); }

  /// Of this rank. @throws Error mpi.
  void write(int number) const { storage_->write(number); }

private:
  std::string name_;
  Description description_;
  std::unique_ptr<VariableStorage const> storage_;
};

}  // namespace espalier::plan
