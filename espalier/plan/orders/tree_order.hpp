// SPDX-License-Identifier: Apache-2.0

/// @file
/// An order of ranks in which the trees of a collective are faster, found at run time.

#pragma once

#include <cstdint>
#include <string>

#include <mpi.h>

#include "espalier/mapping/orders/tree_choice.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/plan/topologies/machine_text.hpp"

namespace espalier::plan {

/// Where what was measured is kept between runs.
struct CostsFile {
  std::string path;  ///< empty: nowhere
};

struct TreeOrderRequest {
  mapping::TreeCollective collective = mapping::TreeCollective::scatter;
  int root = 0;
  std::int64_t bytes = 0;      ///< of a rank's part, or the message; at least 1, of an int
  std::string order = "best";  ///< as choose_order() takes it
  double measure_seconds = 0;
  MachineText machine{};  ///< significant on rank 0
  CostsFile file{};       ///< significant on rank 0
};

/// What finding an order took on the slowest rank, in microseconds.
struct TreeOrderOverhead {
  double find_us = 0;     ///< where ranks run
  double measure_us = 0;  ///< messages between them, and the file
  double compute_us = 0;  ///< the orders, on rank 0, and sending one to all
  double create_us = 0;   ///< the communicator
  double trial_us = 0;    ///< calls in both orders

  [[nodiscard]] double total_us() const noexcept {
    return find_us + measure_us + compute_us + create_us + trial_us;
  }
};

/// Where distances came from.
enum class CostsSource { measured, remembered, described };

/// An order, the same on all ranks.
struct TreeOrder {
  mapping::ChosenOrder chosen;
  int num_groups = 1;
  mapping::Channels channels{};
  CostsSource source = CostsSource::measured;
  int num_pairs = 0;  ///< that were measured
  TreeOrderOverhead overhead{};
  std::string warning;  ///< of the file, on rank 0

  /// Calls after which the order has saved what it took; infinity if it saves nothing.
  [[nodiscard]] double num_calls_to_pay() const noexcept;
};

/// Finds an order; makes no communicator and tries none, so that create_us and trial_us are 0.
///
/// Distances are those of the description if it has times; else those that the file remembers, if
/// one round trip of each kind says that they are still true; else they are measured, and kept.
///
/// Collective over own; the request must be equal on all ranks. Communicates: finding places, a
/// broadcast of the order, and messages between pairs of ranks unless times are described.
/// @throws Error, the same on all ranks: argument for a root or a description that does not fit;
///   mpi, no_memory.
[[nodiscard]] TreeOrder
find_tree_order(mpi::OwnCommunicator const& own, TreeOrderRequest const& request);

/// The largest value of any rank, of each. Collective.
/// @throws Error mpi.
[[nodiscard]] TreeOrderOverhead
slowest(mpi::OwnCommunicator const& own, TreeOrderOverhead const& mine);

}  // namespace espalier::plan
