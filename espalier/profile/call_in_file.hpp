// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/base/field.hpp"
#include "espalier/profile/call.hpp"
#include "espalier/profile/shape.hpp"

namespace espalier::profile {

/// The call that a value in a file names.
/// @throws Error format with file, place and the valid names.
[[nodiscard]] Call call_in_file(Field const& field);

/// The same of a call in one of its forms.
[[nodiscard]] CallForm call_form_in_file(Field const& field);

/// The placement that an object in a file names; any if it names none, as all did once.
/// @throws Error format with file, place and the valid names.
[[nodiscard]] Placement placement_in_file(Field const& object);

}  // namespace espalier::profile
