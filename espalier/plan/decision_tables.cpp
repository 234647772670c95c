// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/decision_tables.hpp"

#include <string>
#include <vector>

namespace espalier::plan {

profile::DecisionTable const&
DecisionTables::find(profile::CallForm call, profile::Shape const& shape) {
  std::vector<std::string> warnings;
  profile::DecisionTable const* table = nullptr;
  {
    std::lock_guard const lock(mutex_);
    Key const key{
        call.call,
        call.form,
        shape.num_ranks,
        shape.num_nodes,
        shape.placement,
        shape.topology,
        shape.max_neighbors,
    };
    auto found = tables_.find(key);
    if (found == tables_.end()) {
      found = tables_.emplace(key, decide(*settings_, call, shape, warnings)).first;
    }
    table = &found->second;
  }
  for (std::string const& line : warnings) {
    notes_->warn(line);
  }
  return *table;
}

std::size_t DecisionTables::memory_bytes() const {
  std::lock_guard const lock(mutex_);
  std::size_t total = 0;
  for (auto const& [key, table] : tables_) {
    total += sizeof(key) + table.memory_bytes();
  }
  return total;
}

}  // namespace espalier::plan
