// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/forms/occupancy.hpp"

#include <algorithm>
#include <string>

#include "espalier/base/error.hpp"

namespace espalier::cost {
namespace {

void check(std::string const& what, int found, int count) {
  if (found < 0 || found >= count) {
    throw Error(
        ErrorCode::argument,
        "expected " + what + " 0 .. " + std::to_string(count - 1) + ", got " + std::to_string(found)
    );
  }
}

void join(RankSet& into, RankSet const& set) noexcept {
  if (set.num_ranks == 0) {
    return;
  }
  into.first = into.num_ranks == 0 ? set.first : std::min(into.first, set.first);
  into.last = std::max(into.last, set.last);
  into.has_root = into.has_root || set.has_root;
  into.num_ranks += set.num_ranks;
}

}  // namespace

Occupancy::Occupancy(Setting const& setting, int root) : machine_(&setting.machine) {
  check("a root", root, setting.num_ranks());
  for (int level = 0; level < machine_->num_levels(); ++level) {
    auto const num_objects = static_cast<std::size_t>(machine_->num_objects(level));
    sets_.emplace_back(num_objects);
    some_core_.emplace_back(num_objects, -1);
  }
  for (int rank = 0; rank < setting.num_ranks(); ++rank) {
    int const core = setting.core_of[static_cast<std::size_t>(rank)];
    check("cores", core, machine_->num_cores());
    add(rank, core, rank == root);
  }
  for (int level = 0; level < machine_->num_levels(); ++level) {
    int const num_around = level == 0 ? 1 : num_occupied(level - 1);
    is_crossed_.push_back(num_occupied(level) > num_around);
  }
}

void Occupancy::add(int rank, int core, bool is_root) {
  RankSet const one{.num_ranks = 1, .first = rank, .last = rank, .has_root = is_root};
  join(whole_, one);
  for (std::size_t level = 0; level < sets_.size(); ++level) {
    auto const object =
        static_cast<std::size_t>(machine_->object_of(static_cast<int>(level), core));
    join(sets_[level][object], one);
    some_core_[level][object] = core;
  }
}

int Occupancy::num_occupied(int level) const {
  auto const is_occupied = [](RankSet const& set) { return set.num_ranks > 0; };
  return static_cast<int>(std::ranges::count_if(sets(level), is_occupied));
}

std::size_t Occupancy::around(int level, std::size_t object) const {
  int const core = some_core_[static_cast<std::size_t>(level)][object];
  return level == 0 ? 0 : static_cast<std::size_t>(machine_->object_of(level - 1, core));
}

RankSet Occupancy::half_of_torus(int extent, int stride) const {
  RankSet half;
  int node = 0;
  for (RankSet const& set : sets(machine_->node_level())) {
    if (node++ / stride % extent < extent / 2) {
      join(half, set);
    }
  }
  return half;
}

}  // namespace espalier::cost
