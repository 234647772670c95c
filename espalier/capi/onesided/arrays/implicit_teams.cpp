// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/arrays/implicit_teams.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/capi/arguments.hpp"
#include "espalier/capi/onesided/team_end.hpp"
#include "espalier/capi/onesided/team_members.hpp"

namespace espalier::capi {

void ImplicitTeams::limit(int most_teams, std::uint64_t scratch_bytes) {
  if (!teams_.empty()) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected limits before the first implicit team is made, got them when there are {}",
            teams_.size()
        )
    );
  }
  if (most_teams < 0) {
    throw Error(
        ErrorCode::argument, formatted("expected most_teams of at least 0, got {}", most_teams)
    );
  }
  most_teams_ = most_teams;
  scratch_bytes_ = scratch_bytes;
}

ImplicitTeam& ImplicitTeams::of(std::vector<int> const& ranks) {
  auto const found = teams_.find(ranks);
  if (found != teams_.end()) {
    return *found->second;
  }
  return *teams_.emplace(ranks, make(ranks)).first->second;
}

std::unique_ptr<ImplicitTeam> ImplicitTeams::make(std::vector<int> const& ranks) const {
  espalier_conduit& conduit = *of_->conduit;
  std::vector<int> members;
  std::ranges::transform(ranks, std::back_inserter(members), [&](int rank) {
    return of_->team.conduit_rank(rank);
  });
  Fingerprint known;
  known.add(members);
  ScratchWish wish{
      .num_bytes = scratch_bytes_ == 0 ? conduit.parts.num_bytes() / usual_share : scratch_bytes_,
      .members = static_cast<std::uint64_t>(known.value()),
  };
  if (size() >= most_teams_) {
    wish.no_room = formatted(
        "expected at most {} implicit teams, got one more; free the requests of arrays and call "
        "espalier_team_cache_clear(), or raise espalier_team_cache_limits()",
        most_teams_
    );
  }
  onesided::Region const part = take_scratch(conduit, joined_between(conduit, members), wish);
  auto made = std::make_unique<ImplicitTeam>();
  made->team = std::make_unique<espalier_team>(conduit, of_->user, std::move(members), part);
  conduit.teams.push_back(&made->team->team);
  conduit.queues.push_back(&made->queue);
  return made;
}

void ImplicitTeams::fence() {
  of_->conduit->wait([this] {
    return std::ranges::all_of(teams_, [](auto const& one) {
      return one.second->queue.is_empty();
    });
  });
}

void ImplicitTeams::clear() {
  std::vector<espalier_team*> ended;
  ended.reserve(teams_.size());
  for (auto const& [ranks, one] : teams_) {
    ended.push_back(one->team.get());
  }
  end_teams(*of_->conduit, ended);
  for (auto const& [ranks, one] : teams_) {
    std::erase(of_->conduit->queues, &one->queue);
  }
  teams_.clear();
}

}  // namespace espalier::capi
