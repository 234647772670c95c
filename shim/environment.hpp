// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/plan/settings/settings_text.hpp"

namespace espalier::shim {

/// Settings from the environment of this process, with the content of the profile file. The only
/// place that reads variables of users. Relative paths are made absolute.
[[nodiscard]] plan::SettingsText read_environment();

/// Whether a forced choice names an algorithm of the MPI library, or a rule of a profile or of the
/// site may.
[[nodiscard]] bool may_want_native_algorithms() noexcept;

}  // namespace espalier::shim
