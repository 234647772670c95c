// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include "espalier/mapping/orders/distances.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"

namespace espalier::mapping {

/// Collectives whose trees go by rank numbers from the root.
enum class TreeCollective { bcast, gather, reduce, scatter };

/// @throws Error argument that lists the names.
[[nodiscard]] TreeCollective tree_collective(std::string_view name);

/// Gathers and scatters carry the parts of a subtree, the others one message.
[[nodiscard]] Payload payload_of(TreeCollective collective) noexcept;

/// An order with what a model says of it, in microseconds of one call.
struct ChosenOrder {
  std::string name;
  RankVector ranks;  ///< the root in front
  double standard_us = 0;
  double chosen_us = 0;
};

/// The names of orders: standard, fef, cao, cao_published, random, smp, round_robin, folded, best.
/// @throws Error argument that lists them.
void check_order_name(std::string_view name);

/// The order of that name; for `best` the one of standard, fef and cao that the model likes most,
/// the standard one if none is faster by a thousandth.
/// @throws Error argument for another name, or a root that is no rank.
[[nodiscard]] ChosenOrder choose_order(
    std::string_view name, Distances const& distances, TreeCollective collective, int root
);

}  // namespace espalier::mapping
