// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "espalier/schedule/collective.hpp"

namespace espalier::measure {

/// How much of the whole a rank has on one side of a call; for rooted calls, the root.
enum class Share : std::uint8_t { nothing, part, whole };

/// On which ranks MPI says something of the result.
enum class Receivers : std::uint8_t { all, root, all_but_first };

/// What the result is made of.
enum class Source : std::uint8_t {
  nothing,
  root,           ///< what the root has
  each_rank,      ///< a part of what each rank has
  sum,            ///< the sum over all ranks
  sum_up_to_own,  ///< the sum over the ranks before, and this one
  sum_before_own  ///< the sum over the ranks before
};

/// What has to be known of a collective to call it and to say what is right.
struct CollectiveFacts {
  schedule::Collective collective;
  Share input;
  Share output;
  Receivers receivers;
  Source source;
};

/// In the order of the enumeration.
inline constexpr std::array collective_facts{
    CollectiveFacts{
        schedule::Collective::barrier,
        Share::nothing,
        Share::nothing,
        Receivers::all,
        Source::nothing
    },
    CollectiveFacts{
        schedule::Collective::bcast, Share::nothing, Share::whole, Receivers::all, Source::root
    },
    CollectiveFacts{
        schedule::Collective::scatter, Share::whole, Share::part, Receivers::all, Source::root
    },
    CollectiveFacts{
        schedule::Collective::gather, Share::part, Share::whole, Receivers::root, Source::each_rank
    },
    CollectiveFacts{
        schedule::Collective::reduce, Share::whole, Share::whole, Receivers::root, Source::sum
    },
    CollectiveFacts{
        schedule::Collective::allreduce, Share::whole, Share::whole, Receivers::all, Source::sum
    },
    CollectiveFacts{
        schedule::Collective::reduce_scatter, Share::whole, Share::part, Receivers::all, Source::sum
    },
    CollectiveFacts{
        schedule::Collective::scan,
        Share::whole,
        Share::whole,
        Receivers::all,
        Source::sum_up_to_own
    },
    CollectiveFacts{
        schedule::Collective::exscan,
        Share::whole,
        Share::whole,
        Receivers::all_but_first,
        Source::sum_before_own
    },
    CollectiveFacts{
        schedule::Collective::allgather,
        Share::part,
        Share::whole,
        Receivers::all,
        Source::each_rank
    },
    CollectiveFacts{
        schedule::Collective::alltoall,
        Share::whole,
        Share::whole,
        Receivers::all,
        Source::each_rank
    },
};

[[nodiscard]] constexpr CollectiveFacts const& facts_of(schedule::Collective collective) noexcept {
  return collective_facts[static_cast<std::size_t>(collective)];
}

static_assert([] {
  for (CollectiveFacts const& facts : collective_facts) {
    if (&facts != &facts_of(facts.collective)) {
      return false;
    }
  }
  return true;
}());

}  // namespace espalier::measure
