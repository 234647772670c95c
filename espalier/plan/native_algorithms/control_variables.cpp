// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/native_algorithms/control_variables.hpp"

#include <algorithm>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::plan {

// The registry first: Open MPI loads all of its components for MPI_T, which takes 20 ms.
ControlVariables::ControlVariables() : source_(parameter_registry()) {
  if (source_ == nullptr) {
    source_ = tool_interface();
  }
}

ControlVariable const* ControlVariables::find(std::string const& name) {
  auto const known = std::ranges::find(found_, name, &ControlVariable::name);
  if (known != found_.end()) {
    return &*known;
  }
  std::optional<ControlVariable> found;
  if (source_ != nullptr) {
    found = source_->find(name);
  }
  if (!found) {
    return nullptr;
  }
  found_.push_back(std::move(*found));
  return &found_.back();
}

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
