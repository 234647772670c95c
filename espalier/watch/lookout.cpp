// SPDX-License-Identifier: Apache-2.0

#include "espalier/watch/lookout.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace espalier::watch {
namespace {

/// Whether a rank was in such a call since this one began, and left it.
bool went_on(Findings const& findings, Description const& call) {
  return findings.last && findings.last->function == call.function.data() &&
         findings.last->end >= call.begin;
}

/// Whether a rank is in the same call, as far as one can tell from outside.
bool is_there(Findings const& findings, Description const& call) {
  return std::ranges::any_of(findings.calls, [&](auto const& other) {
    return other && other->description.function == call.function &&
           other->description.num_ranks == call.num_ranks;
  });
}

}  // namespace

std::optional<Peer> Lookout::find_missing(Activity const& activity) const {
  if (activity.description.has_world_ranks == 0) {
    return std::nullopt;
  }
  for (int rank = 0; rank < activity.description.num_ranks; ++rank) {
    auto findings = rank == world_rank_ ? std::nullopt : board_.look_at_rank(rank);
    if (findings && !is_there(*findings, activity.description) &&
        !went_on(*findings, activity.description)) {
      return Peer{.world_rank = rank, .findings = std::move(findings)};
    }
  }
  return std::nullopt;
}

std::optional<Peer> Lookout::find_peer(Activity const& activity) const {
  if (activity.wait.peer < 0) {
    return find_missing(activity);
  }
  if (activity.world_peer < 0) {
    return std::nullopt;
  }
  return Peer{
      .world_rank = activity.world_peer,
      .could_ask = board_.is_shared(),
      .findings = board_.look_at_rank(activity.world_peer),
  };
}

Lookout::Look Lookout::look(Time now) {
  Look result{.next = now + limit_};
  std::optional<Findings> const own = board_.look_at_rank(world_rank_);
  if (!own) {
    return result;
  }
  for (std::size_t i = 0; i < paces_.size(); ++i) {
    auto const& call = own->calls[i];
    if (!call) {
      continue;
    }
    paces_[i].see(*call, limit_);
    if (paces_[i].due() <= now) {
      result.lines.push_back(line(world_rank_, *call, find_peer(*call), now));
      paces_[i].speak(now);
    }
    result.next = std::min(result.next, paces_[i].due());
  }
  return result;
}

}  // namespace espalier::watch
