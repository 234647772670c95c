// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "espalier/machine/job/job_view.hpp"
#include "espalier/machine/job/site.hpp"

namespace espalier::machine {

/// Levels inside nodes.
enum class Inner : std::size_t { package, numa, l3, core };

constexpr std::array all_inner{Inner::package, Inner::numa, Inner::l3, Inner::core};

[[nodiscard]] char const* name_of(Inner level) noexcept;

/// The number of the object a processor lies in.
[[nodiscard]] int object_of(Processor const& processor, Inner level) noexcept;

/// Where a rank may run.
struct Reach {
  std::vector<int> processors;  ///< places in the tree of its node, ascending; not empty
  bool is_known = true;         ///< false: all of them, because the system did not say
  std::array<bool, all_inner.size()> stays{};  ///< inside one object of each level

  [[nodiscard]] bool stays_in(Inner level) const { return stays[static_cast<std::size_t>(level)]; }
};

/// Where each rank of a job may run; ranks of a node with the same processors share one Reach.
class Reaches {
public:
  Reaches(JobView const& job, std::vector<Site> const& sites);

  [[nodiscard]] Reach const& of(int rank) const {
    return reaches_[number_of_rank_[static_cast<std::size_t>(rank)]];
  }

  /// Whether every rank stays inside one object of the level.
  [[nodiscard]] bool all_stay_in(Inner level) const;
  /// Whether every rank has a single processor.
  [[nodiscard]] bool all_have_one() const;

private:
  std::vector<Reach> reaches_;
  std::vector<std::size_t> number_of_rank_;
};

}  // namespace espalier::machine
