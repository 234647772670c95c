// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/call_in_file.hpp"

#include <optional>

#include "espalier/base/error.hpp"

namespace espalier::profile {
namespace {

template <typename Parse> auto parsed(Field const& field, Parse parse) {
  try {
    return parse(field.text());
  } catch (Error const& error) {
    field.fail("a known collective", "'" + field.text() + "' (" + error.what() + ")");
  }
}

}  // namespace

Call call_in_file(Field const& field) {
  return parsed(field, parse_call);
}

CallForm call_form_in_file(Field const& field) {
  return parsed(field, parse_call_form);
}

Placement placement_in_file(Field const& object) {
  if (!object.has("placement")) {
    return Placement::any;
  }
  Field const field = object.at("placement");
  std::optional<Placement> const placement = parse_placement(field.text());
  if (!placement) {
    field.fail("block, cyclic or other");
  }
  return *placement;
}

}  // namespace espalier::profile
