// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/plan/native_algorithms/variable_source.hpp"

namespace espalier::plan {

#ifdef ESPALIER_MPI_SIMULATED

std::unique_ptr<VariableSource> tool_interface() {
  return nullptr;
}

#else

namespace {

/// Codes of MPI_T have no texts in the library, and need no MPI_Init.
void require_tool_success(int code, std::string const& what) {
  if (code != MPI_SUCCESS) {
    throw Error(
        ErrorCode::mpi,
        what + ": expected MPI_SUCCESS, got code " + std::to_string(code) + " of MPI_T"
    );
  }
}

/// Numbers of less than an int are truth values; the rest are bytes of this.
using Number = std::array<unsigned char, 64>;

/// What MPI_T says of a variable.
struct Information {
  std::string text;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum values = MPI_T_ENUM_NULL;
  bool is_writable = false;
};

Information ask_about(int index, std::string const& name) {
  Information result;
  int length = 0;
  int name_length = 0;
  int verbosity = 0;
  int binding = 0;
  int scope = 0;
  auto const ask = [&](char* text) {
    require_tool_success(
        PMPI_T_cvar_get_info(
            index,
            nullptr,
            &name_length,
            &verbosity,
            &result.type,
            &result.values,
            text,
            &length,
            &binding,
            &scope
        ),
        name
    );
  };
  ask(nullptr);
  std::vector<char> text(static_cast<std::size_t>(length) + 1);
  length = static_cast<int>(text.size());
  ask(text.data());
  result.text = text.data();
  result.is_writable = scope != MPI_T_SCOPE_CONSTANT && scope != MPI_T_SCOPE_READONLY;
  return result;
}

std::vector<ControlVariable::Value> values_of(MPI_T_enum enumeration, std::string const& name) {
  std::vector<ControlVariable::Value> values;
  if (enumeration == MPI_T_ENUM_NULL) {
    return values;
  }
  int count = 0;
  int length = 0;
  require_tool_success(PMPI_T_enum_get_info(enumeration, &count, nullptr, &length), name);
  for (int i = 0; i < count; ++i) {
    std::array<char, 256> text{};
    ControlVariable::Value value;
    length = static_cast<int>(text.size());
    require_tool_success(
        PMPI_T_enum_get_item(enumeration, i, &value.number, text.data(), &length), name
    );
    value.name = text.data();
    values.push_back(std::move(value));
  }
  return values;
}

/// 0 for what is no number that this knows.
std::size_t bytes_of(MPI_Datatype type) noexcept {
  if (type == MPI_INT || type == MPI_UNSIGNED) {
    return sizeof(int);
  }
  return type == MPI_C_BOOL ? sizeof(bool) : 0;
}

/// A variable that has a handle of MPI_T.
class HandledNumber final : public VariableStorage {
public:
  HandledNumber(std::string name, MPI_T_cvar_handle handle, std::size_t size)
      : name_(std::move(name)), handle_(handle), size_(size) {}

  HandledNumber(HandledNumber const&) = delete;
  HandledNumber& operator=(HandledNumber const&) = delete;
  HandledNumber(HandledNumber&&) = delete;
  HandledNumber& operator=(HandledNumber&&) = delete;

  ~HandledNumber() override { PMPI_T_cvar_handle_free(&handle_); }

  [[nodiscard]] int read() const override {
    Number bytes{};
    require_tool_success(PMPI_T_cvar_read(handle_, bytes.data()), name_);
    if (size_ == sizeof(bool)) {
      return bytes[0] != 0 ? 1 : 0;
    }
    int number = 0;
    std::memcpy(&number, bytes.data(), sizeof number);
    return number;
  }

  void write(int number) const override {
    Number bytes{};
    if (size_ == sizeof(bool)) {
      bytes[0] = number != 0 ? 1 : 0;
    } else {
      std::memcpy(bytes.data(), &number, sizeof number);
    }
    require_tool_success(PMPI_T_cvar_write(handle_, bytes.data()), name_);
  }

private:
  std::string name_;
  MPI_T_cvar_handle handle_;
  std::size_t size_;  ///< bytes of the number in the library
};

class ToolInterface final : public VariableSource {
public:
  // Open MPI 4.1 takes the level that is asked for here for that of the whole library.
  ToolInterface() {
    int is_initialized = 0;
    int level = MPI_THREAD_SINGLE;
    PMPI_Initialized(&is_initialized);
    if (is_initialized != 0) {
      PMPI_Query_thread(&level);
    }
    int provided = 0;
    require_tool_success(PMPI_T_init_thread(level, &provided), "MPI_T_init_thread");
  }

  ToolInterface(ToolInterface const&) = delete;
  ToolInterface& operator=(ToolInterface const&) = delete;
  ToolInterface(ToolInterface&&) = delete;
  ToolInterface& operator=(ToolInterface&&) = delete;

  // Open MPI 4.1 crashes if this comes after MPI_Finalize (ompi issue 11485), MPICH if it comes
  // before (mpich issue 7954) and variables are read again. MPICH keeps next to nothing open.
  ~ToolInterface() override {
    if (std::string_view(ESPALIER_MPI_VENDOR) == "openmpi") {
      PMPI_T_finalize();
    }
  }

  [[nodiscard]] std::optional<ControlVariable> find(std::string const& name) override {
    int index = 0;
    if (PMPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) {
      return std::nullopt;
    }
    Information const known = ask_about(index, name);
    MPI_T_cvar_handle handle = nullptr;
    int count = 0;
    require_tool_success(PMPI_T_cvar_handle_alloc(index, nullptr, &handle, &count), name);
    auto storage = std::make_unique<HandledNumber const>(name, handle, bytes_of(known.type));
    if (bytes_of(known.type) == 0 || count != 1) {
      return std::nullopt;
    }
    ControlVariable::Description description{
        .text = known.text,
        .values = values_of(known.values, name),
        .is_writable = known.is_writable,
    };
    return ControlVariable(name, std::move(description), std::move(storage));
  }
};

}  // namespace

std::unique_ptr<VariableSource> tool_interface() {
  return std::make_unique<ToolInterface>();
}

#endif

}  // namespace espalier::plan
