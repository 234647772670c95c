// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/base/field.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::profile {

/// The call that a value in a file names.
/// @throws Error format with file, place and the valid names.
[[nodiscard]] Call call_in_file(Field const& field);

}  // namespace espalier::profile
