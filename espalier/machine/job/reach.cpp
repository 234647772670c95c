// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/job/reach.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace espalier::machine {
namespace {

Reach reach_of(NodeTree const& tree, CpuSet const& allowed) {
  Reach reach;
  auto const num_processors = static_cast<int>(tree.processors.size());
  for (int i = 0; i < num_processors; ++i) {
    if (allowed.contains(tree.processors[static_cast<std::size_t>(i)].os_number)) {
      reach.processors.push_back(i);
    }
  }
  if (reach.processors.empty() || tree.is_made_up()) {
    reach.is_known = false;
    reach.processors.resize(tree.processors.size());
    std::iota(reach.processors.begin(), reach.processors.end(), 0);
  }
  auto const& first = tree.processors[static_cast<std::size_t>(reach.processors.front())];
  for (Inner const level : all_inner) {
    reach.stays[static_cast<std::size_t>(level)] =
        std::ranges::all_of(reach.processors, [&](int processor) {
          auto const& other = tree.processors[static_cast<std::size_t>(processor)];
          return object_of(other, level) == object_of(first, level);
        });
  }
  return reach;
}

}  // namespace

char const* name_of(Inner level) noexcept {
  constexpr std::array names{"package", "numa", "l3", "core"};
  return names[static_cast<std::size_t>(level)];
}

int object_of(Processor const& processor, Inner level) noexcept {
  switch (level) {
  case Inner::package:
    return processor.package;
  case Inner::numa:
    return processor.numa;
  case Inner::l3:
    return processor.l3;
  case Inner::core:
    return processor.core;
  }
  return -1;
}

Reaches::Reaches(JobView const& job, std::vector<Site> const& sites)
    : number_of_rank_(job.ranks.size()) {
  for (Site const& site : sites) {
    std::map<std::string, std::size_t> known;
    for (int const rank : site.ranks) {
      auto const index = static_cast<std::size_t>(rank);
      CpuSet const& allowed = job.ranks[index].allowed;
      auto const [found, is_new] = known.try_emplace(allowed.text(), reaches_.size());
      if (is_new) {
        reaches_.push_back(reach_of(site.tree, allowed));
      }
      number_of_rank_[index] = found->second;
    }
  }
}

bool Reaches::all_stay_in(Inner level) const {
  return std::ranges::all_of(reaches_, [&](Reach const& reach) { return reach.stays_in(level); });
}

bool Reaches::all_have_one() const {
  return std::ranges::all_of(reaches_, [](Reach const& reach) {
    return reach.processors.size() == 1;
  });
}

}  // namespace espalier::machine
