// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

#include "espalier/cost/forms/hockney.hpp"
#include "espalier/cost/forms/loggp.hpp"
#include "espalier/machine/tree/machine.hpp"

namespace espalier::cost {

/// Where programs run: ranks on the cores of a machine.
struct Setting {
  machine::Machine machine;
  std::vector<int> core_of;  ///< of each rank, as place() gives it

  [[nodiscard]] int num_ranks() const noexcept { return static_cast<int>(core_of.size()); }
};

/// Hockney's machine as a link: an end is busy for alpha + beta n with a message, both ends at the
/// same time.
[[nodiscard]] machine::Link link(Hockney const& machine);

/// Which end of a message the models let pay the overhead o.
enum class Overhead { sender, receiver, both };

/// A LogGP machine as a link, counted as [nishtala2009] counts: a message has its gap before its
/// bytes, so that it takes g + n G + L and what its ends pay. What the receiver alone pays delays
/// the message and does not keep the receiver from the next one.
[[nodiscard]] machine::Link link(LogGP const& machine, Overhead overhead = Overhead::both);

/// Ranks on nodes that are joined by one link, which has one channel in each direction; those of a
/// node are joined by another one, which nobody shares.
/// @param node_of_rank  counted from 0 as they first occur
[[nodiscard]] Setting
on_nodes(machine::Link const& between, machine::Link const& within, std::vector<int> node_of_rank);

/// So many ranks, each on its core, all of them joined by the same link that nobody shares.
[[nodiscard]] Setting uniform(machine::Link const& link, int num_ranks);

}  // namespace espalier::cost
