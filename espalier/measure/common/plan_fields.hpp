// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the plans of all measuring programs have: a header, and members that may be missing. All
/// functions throw Error format.

#pragma once

#include <cstdint>
#include <string_view>

#include "espalier/base/field.hpp"

namespace espalier::measure {

/// The members `schema` and `version` of a plan: this schema, in this version or an older one.
void check_header(Field const& plan, std::string_view schema, std::int64_t version);

/// Member `key` of an object, or the fallback where there is none.
[[nodiscard]] int
integer_or(Field const& object, std::string_view key, int fallback, int minimum, int maximum);
/// The same of a number above 0.
[[nodiscard]] double positive_or(Field const& object, std::string_view key, double fallback);

}  // namespace espalier::measure
