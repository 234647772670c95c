// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace espalier::plan {

/// A control variable of the MPI library that is a number (MPI_T, chapter 15 of MPI 4).
class ControlVariable {
public:
  /// One of the values that the library has names for.
  struct Value {
    std::string name;
    int number = 0;
  };

  [[nodiscard]] std::string const& name() const noexcept { return name_; }

  /// What the library says of it.
  [[nodiscard]] std::string const& description() const noexcept { return description_; }

  /// The names of its values; empty if the library does not enumerate them.
  [[nodiscard]] std::vector<Value> const& values() const noexcept { return values_; }

  /// Whether it can be written at all while the program runs.
  [[nodiscard]] bool is_writable() const noexcept { return is_writable_; }

  /// @throws Error mpi.
  [[nodiscard]] int read() const;
  /// Of this rank. @throws Error mpi.
  void write(int number) const;

private:
  friend class ControlVariables;

  std::string name_;
  std::string description_;
  std::vector<Value> values_;
  bool is_writable_ = false;
  std::size_t size_ = sizeof(int);  ///< bytes of the number in the library
  void* handle_ = nullptr;
};

/// The control variables of the MPI library. Local. Not for several threads at the same time.
class ControlVariables {
public:
  /// Begins to use MPI_T, which needs no MPI_Init. A simulated MPI has no variables.
  /// @throws Error mpi.
  ControlVariables();
  ControlVariables(ControlVariables const&) = delete;
  ControlVariables& operator=(ControlVariables const&) = delete;
  ControlVariables(ControlVariables&&) = delete;
  ControlVariables& operator=(ControlVariables&&) = delete;
  /// Before MPI_Finalize. Variables that were found are gone.
  ~ControlVariables();

  /// Null if the library has no such variable, or it is no number. It stays where it is.
  [[nodiscard]] ControlVariable const* find(std::string const& name);

private:
  std::deque<ControlVariable> found_;
};

/// What a variable is to be.
struct VariableSetting {
  ControlVariable const* variable = nullptr;
  int number = 0;
};

/// Writes variables, and puts back what they were at its end. Allocates nothing, since a call may
/// need it.
class WrittenVariables {
public:
  static constexpr std::size_t most_settings = 8;

  /// @throws Error mpi, or argument for more than most_settings; then all are as they were.
  explicit WrittenVariables(std::span<VariableSetting const> settings);
  WrittenVariables(WrittenVariables const&) = delete;
  WrittenVariables& operator=(WrittenVariables const&) = delete;
  WrittenVariables(WrittenVariables&&) = delete;
  WrittenVariables& operator=(WrittenVariables&&) = delete;
  ~WrittenVariables();

private:
  void put_back() noexcept;

  std::array<VariableSetting, most_settings> before_{};  ///< the first num_written_ count
  std::size_t num_written_ = 0;
};

}  // namespace espalier::plan
