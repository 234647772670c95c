// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/call_in_file.hpp"

#include <limits>
#include <optional>

#include "espalier/base/error.hpp"

namespace espalier::profile {
namespace {

constexpr std::int64_t most = std::numeric_limits<int>::max() / 2;

template <typename Parse> auto parsed(Field const& field, Parse parse) {
  try {
    return parse(field.text());
  } catch (Error const& error) {
    field.fail("a known collective", "'" + field.text() + "' (" + error.what() + ")");
  }
}

/// Rules for neighborhoods say for which; others have none.
void set_neighborhood(Field const& object, Call call, Shape& shape) {
  if (!is_neighborhood(call)) {
    if (object.has("topology") || object.has("max_neighbors")) {
      object.fail(
          "topology and max_neighbors with neighborhood collectives only",
          std::string(to_string(call))
      );
    }
    return;
  }
  Field const field = object.at("topology");
  std::optional<Topology> const topology = parse_topology(field.text());
  if (!topology) {
    field.fail("grid, graph or disconnected");
  }
  shape.topology = *topology;
  Field const neighbors = object.at("max_neighbors");
  shape.max_neighbors = static_cast<int>(neighbors.integer(1, most));
  if (shape.max_neighbors != neighbor_class(shape.max_neighbors)) {
    neighbors.fail("a power of two");
  }
}

}  // namespace

CallForm call_form_in_file(Field const& field) {
  return parsed(field, parse_call_form);
}

CallForm rule_call_in_file(Field const& field) {
  return parsed(field, parse_rule_call);
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

Shape shape_in_file(Field const& object, Call call) {
  Shape shape{
      .num_ranks = static_cast<int>(object.at("num_ranks").integer(1, most)),
      .placement = placement_in_file(object),
  };
  shape.num_nodes = static_cast<int>(object.at("num_nodes").integer(1, shape.num_ranks));
  set_neighborhood(object, call, shape);
  return shape;
}

}  // namespace espalier::profile
