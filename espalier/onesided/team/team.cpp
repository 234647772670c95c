// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/team/team.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::onesided {
namespace {

/// @throws Error argument if members are not ranks of the conduit, each once.
void check_members(Conduit const& conduit, std::vector<int> members) {
  std::ranges::sort(members);
  auto const repeated = std::ranges::adjacent_find(members);
  if (repeated != members.end()) {
    throw Error(
        ErrorCode::argument, "rank " + std::to_string(*repeated) + " is twice a member of a team"
    );
  }
  bool const exist =
      !members.empty() && members.front() >= 0 && members.back() < conduit.num_ranks();
  if (!exist) {
    throw Error(
        ErrorCode::argument,
        "expected members of a team to be ranks of its conduit, 0 .. " +
            std::to_string(conduit.num_ranks() - 1)
    );
  }
}

int rank_among(Conduit const& conduit, std::vector<int> const& members) {
  check_members(conduit, members);
  auto const found = std::ranges::find(members, conduit.rank());
  if (found == members.end()) {
    throw Error(
        ErrorCode::argument,
        "rank " + std::to_string(conduit.rank()) + " uses a team of which it is no member"
    );
  }
  return static_cast<int>(found - members.begin());
}

}  // namespace

Team::Team(Conduit& conduit, std::vector<int> members, Region scratch)
    : conduit_(conduit), members_(std::move(members)), rank_(rank_among(conduit, members_)),
      scratch_(conduit, members_, rank_, scratch) {}

int Team::conduit_rank(int rank) const {
  if (rank < 0 || rank >= num_ranks()) {
    throw Error(
        ErrorCode::argument,
        "a team of " + std::to_string(num_ranks()) + " has no rank " + std::to_string(rank)
    );
  }
  return members_[static_cast<std::size_t>(rank)];
}

std::optional<int> Team::rank_of(int conduit_rank) const {
  int const num_ranks = conduit_.num_ranks();
  if (conduit_rank < 0 || conduit_rank >= num_ranks) {
    throw Error(
        ErrorCode::argument,
        "expected a rank of the conduit in 0 .. " + std::to_string(num_ranks - 1) + ", got " +
            std::to_string(conduit_rank)
    );
  }
  auto const found = std::ranges::find(members_, conduit_rank);
  return found == members_.end() ? std::nullopt
                                 : std::optional(static_cast<int>(found - members_.begin()));
}

Ticket Team::start(
    std::shared_ptr<TeamCollective const> const& collective,
    UserBuffers const& own,
    std::span<UserPlaces const> all
) {
  if (collective->num_ranks() != num_ranks()) {
    throw Error(
        ErrorCode::argument,
        "the collective was planned for " + std::to_string(collective->num_ranks()) +
            " ranks, and the team has " + std::to_string(num_ranks())
    );
  }
  Run& run = run_for(collective);
  auto const need = collective->need();
  run.lease = need ? std::optional(scratch_.lease(*need)) : std::nullopt;
  run.own = own;
  run.all = all;
  run.number = ++num_started_;
  run.stage = Stage::held;
  Ticket const ticket(static_cast<std::size_t>(&run - runs_.data()), run.number);
  move_on();
  return ticket;
}

/// One that ran the same before. Else a new one, or if there are many that which has been unused
/// for longest: collectives that take turns keep their runners.
Team::Run& Team::run_for(std::shared_ptr<TeamCollective const> const& collective) {
  Run* oldest = nullptr;
  for (Run& run : runs_) {
    if (run.stage != Stage::unused) {
      continue;
    }
    if (run.collective == collective) {
      return run;
    }
    if (oldest == nullptr || run.number < oldest->number) {
      oldest = &run;
    }
  }
  bool const is_new = oldest == nullptr || runs_.size() < most_kept;
  Run& run = is_new ? runs_.emplace_back() : *oldest;
  run.collective = collective;
  run.runner = collective->runner(conduit_, members_);
  return run;
}

Team::Run& Team::run_of(Ticket const& ticket) {
  bool const is_known = ticket.number_ != 0 && ticket.slot_ < runs_.size() &&
                        runs_[ticket.slot_].number == ticket.number_ &&
                        runs_[ticket.slot_].stage != Stage::unused;
  if (!is_known) {
    throw Error(
        ErrorCode::argument,
        "expected a ticket of a collective that this team started and that was not waited for yet"
    );
  }
  return runs_[ticket.slot_];
}

bool Team::test(Ticket& ticket) {
  Run& run = run_of(ticket);
  progress();
  if (run.stage != Stage::over) {
    return false;
  }
  run.stage = Stage::unused;
  ticket = {};
  return true;
}

void Team::wait(Ticket& ticket) {
  Run& run = run_of(ticket);
  conduit_.wait_until([&] {
    move_on();
    return run.stage == Stage::over;
  });
  run.stage = Stage::unused;
  ticket = {};
}

void Team::close() {
  auto const is_open = [](Run const& run) {
    return run.stage == Stage::held || run.stage == Stage::underway;
  };
  if (std::ranges::any_of(runs_, is_open)) {
    throw Error(
        ErrorCode::argument, "expected a team of which nothing is underway, wait for it first"
    );
  }
  scratch_.close();
  move_on();
}

void Team::progress() {
  conduit_.poll();
  move_on();
}

void Team::move_on() {
  scratch_.progress();
  for (Run& run : runs_) {
    move_on(run);
  }
}

void Team::move_on(Run& run) {
  if (run.stage == Stage::held && (!run.lease || scratch_.is_free(*run.lease))) {
    run.stage = Stage::underway;
    run.runner->start(run.own, run.all, run.lease ? run.lease->places : RunPlaces{});
  }
  if (run.stage == Stage::underway && run.runner->advance()) {
    run.stage = Stage::over;
    if (run.lease) {
      scratch_.give_back(*run.lease);
    }
  }
}

}  // namespace espalier::onesided
