// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/native_algorithms/control_variables.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include <mpi.h>

#include "espalier/base/error.hpp"

namespace espalier::plan {

#ifdef ESPALIER_MPI_SIMULATED

ControlVariables::ControlVariables() = default;
ControlVariables::~ControlVariables() = default;

ControlVariable const* ControlVariables::find(std::string const& /*name*/) {
  return nullptr;
}

int ControlVariable::read() const {
  throw Error(ErrorCode::unsupported, "a simulated MPI has no control variables");
}

void ControlVariable::write(int /*number*/) const {
  throw Error(ErrorCode::unsupported, "a simulated MPI has no control variables");
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

MPI_T_cvar_handle to_handle(void* handle) noexcept {
  return static_cast<MPI_T_cvar_handle>(handle);
}

/// Numbers of less than an int are truth values; the rest are bytes of this.
using Number = std::array<unsigned char, 64>;

/// What the library says of a variable.
struct Description {
  std::string text;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum values = MPI_T_ENUM_NULL;
  bool is_writable = false;
};

Description describe(int index, std::string const& name) {
  Description result;
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
std::size_t size_of(MPI_Datatype type) noexcept {
  if (type == MPI_INT || type == MPI_UNSIGNED) {
    return sizeof(int);
  }
  return type == MPI_C_BOOL ? sizeof(bool) : 0;
}

}  // namespace

// Open MPI 4.1 takes the level that is asked for here for that of the whole library.
ControlVariables::ControlVariables() {
  int is_initialized = 0;
  int level = MPI_THREAD_SINGLE;
  PMPI_Initialized(&is_initialized);
  if (is_initialized != 0) {
    PMPI_Query_thread(&level);
  }
  int provided = 0;
  require_tool_success(PMPI_T_init_thread(level, &provided), "MPI_T_init_thread");
}

// Open MPI 4.1 crashes if this comes after MPI_Finalize (ompi issue 11485), MPICH if it comes
// before (mpich issue 7954) and variables are read again. MPICH keeps next to nothing open.
ControlVariables::~ControlVariables() {
  for (ControlVariable& variable : found_) {
    MPI_T_cvar_handle handle = to_handle(variable.handle_);
    PMPI_T_cvar_handle_free(&handle);
  }
  if (std::string_view(ESPALIER_MPI_VENDOR) == "openmpi") {
    PMPI_T_finalize();
  }
}

ControlVariable const* ControlVariables::find(std::string const& name) {
  auto const known = std::ranges::find(found_, name, &ControlVariable::name_);
  if (known != found_.end()) {
    return &*known;
  }
  int index = 0;
  if (PMPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) {
    return nullptr;
  }
  Description const description = describe(index, name);
  ControlVariable variable;
  variable.name_ = name;
  variable.description_ = description.text;
  variable.values_ = values_of(description.values, name);
  variable.is_writable_ = description.is_writable;
  variable.size_ = size_of(description.type);
  MPI_T_cvar_handle handle = nullptr;
  int count = 0;
  require_tool_success(PMPI_T_cvar_handle_alloc(index, nullptr, &handle, &count), name);
  if (variable.size_ == 0 || count != 1) {
    PMPI_T_cvar_handle_free(&handle);
    return nullptr;
  }
  variable.handle_ = handle;
  found_.push_back(std::move(variable));
  return &found_.back();
}

int ControlVariable::read() const {
  Number bytes{};
  require_tool_success(PMPI_T_cvar_read(to_handle(handle_), bytes.data()), name_);
  if (size_ == sizeof(bool)) {
    return bytes[0] != 0 ? 1 : 0;
  }
  int number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

void ControlVariable::write(int number) const {
  Number bytes{};
  if (size_ == sizeof(bool)) {
    bytes[0] = number != 0 ? 1 : 0;
  } else {
    std::memcpy(bytes.data(), &number, sizeof number);
  }
  require_tool_success(PMPI_T_cvar_write(to_handle(handle_), bytes.data()), name_);
}

#endif

WrittenVariables::WrittenVariables(std::span<VariableSetting const> settings) {
  if (settings.size() > most_settings) {
    throw Error(
        ErrorCode::argument,
        "expected at most " + std::to_string(most_settings) + " variables to write, got " +
            std::to_string(settings.size())
    );
  }
  try {
    for (VariableSetting const& setting : settings) {
      int const before = setting.variable->read();
      setting.variable->write(setting.number);
      before_[num_written_++] = {.variable = setting.variable, .number = before};
    }
  } catch (...) {
    put_back();
    throw;
  }
}

WrittenVariables::~WrittenVariables() {
  put_back();
}

void WrittenVariables::put_back() noexcept {
  for (VariableSetting const& setting : std::span(before_).first(num_written_)) {
    try {
      setting.variable->write(setting.number);
    } catch (Error const&) {
      // It could be written a moment ago; nothing better is known than to go on.
    }
  }
}

}  // namespace espalier::plan
