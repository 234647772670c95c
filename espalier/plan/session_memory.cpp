// SPDX-License-Identifier: Apache-2.0

/// @file
/// The memory that ranks of a node share, as a session has it: where it may be needed, and for
/// which communicators.

#include <memory>
#include <string>
#include <vector>

#include "espalier/exec/node/mpi_node.hpp"
#include "espalier/plan/session.hpp"

namespace espalier::plan {

bool Session::wants_memory() const {
  if (!settings_.may_share_memory()) {
    return false;
  }
  // What would only be tried takes milliseconds of MPI_Init.
  return settings_.node_memory == NodeMemory::on || settings_.has_shared_memory_choices() ||
         (learning_ && learning_->may_gain_by_memory());
}

void Session::share_memory() {
  if (!wants_memory()) {
    return;
  }
  node_ = world_.node != nullptr ? world_.node : std::make_shared<exec::node::Node>(world_.comm);
  if (learning_ && node_->serves(Contexts::world)) {
    learning_->share_memory();
  }
  if (!node_->is_missing_somewhere()) {
    return;
  }
  bool const is_for_all = settings_.node_memory == NodeMemory::on;
  // Nobody asked for it if it would only have been tried.
  if (is_for_all || settings_.has_shared_memory_choices()) {
    std::string const instead =
        is_for_all ? "they send messages" : "calls with shared_memory=1 are native";
    notes_.warn(
        "ESPALIER_NODE: on some node the ranks cannot share memory; " + instead +
        " (they need one process namespace, memory, and no limit on the size of files)"
    );
  }
}

void Session::share_memory(
    State::Messages& messages, std::vector<int> const& world_ranks, int num_ranks
) {
  if (node_ == nullptr || !messages.context) {
    return;
  }
  messages.group = node_->group(*messages.context, world_ranks, num_ranks);
  messages.memory = {
      .group = messages.group.get(),
      .is_there = node_->serves(*messages.context),
      .serves_all = settings_.node_memory == NodeMemory::on,
  };
}

}  // namespace espalier::plan
