// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/rounds.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "espalier/schedule/text.hpp"

namespace espalier::verify {
namespace {

using schedule::Operation;
using schedule::RankProgram;

Violation broken(AllOperations const& all, Place place, std::string const& why) {
  return {
      .rule = Rule::facts,
      .rank = place.rank,
      .operation = place.operation,
      .text = fmt::format("{}: {}", to_text(all.program(place.rank), all[place]), why),
  };
}

/// Round of the last message that an operation and what it waits for have seen; -1: none.
class LastRounds {
public:
  explicit LastRounds(RankProgram const& program) : program_(program) {
    own_.reserve(program.operations.size());
    before_.reserve(program.operations.size() + 1);
    before_.push_back(-1);
  }

  /// Last round that the next operation in program order waits for; adds the operation.
  int add(Operation const& operation) {
    int last = before_[static_cast<std::size_t>(operation.after)];
    for (int const waited_for : program_.waits(operation)) {
      last = std::max(last, own_[static_cast<std::size_t>(waited_for)]);
    }
    int const own = operation.peer >= 0 ? operation.round : last;
    own_.push_back(own);
    before_.push_back(operation.writes() ? std::max(before_.back(), own) : before_.back());
    return last;
  }

private:
  RankProgram const& program_;
  std::vector<int> own_;
  std::vector<int> before_;  ///< over all writes among the first so many operations
};

std::optional<Violation> check_rank(AllOperations const& all, Matching const& matching, int rank) {
  LastRounds rounds(all.program(rank));
  Place place{.rank = rank, .operation = 0};
  for (Operation const& operation : all.program(rank).operations) {
    int const last = rounds.add(operation);
    if (operation.peer >= 0) {
      if (operation.round <= last) {
        return broken(
            all, place, fmt::format("must be in a later round than {}, for which it waits", last)
        );
      }
      Place const other{.rank = operation.peer, .operation = matching.partner[all.index(place)]};
      if (all[other].round != operation.round) {
        return broken(
            all, place, fmt::format("is in round {} on rank {}", all[other].round, other.rank)
        );
      }
    }
    ++place.operation;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Violation> check_rounds(AllOperations const& all, Matching const& matching) {
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    if (auto violation = check_rank(all, matching, rank)) {
      return violation;
    }
  }
  return std::nullopt;
}

algorithms::Facts count(AllOperations const& all) {
  algorithms::Facts facts;
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    RankProgram const& program = all.program(rank);
    facts.rounds = std::max(facts.rounds, program.num_rounds());
    facts.messages = std::max(facts.messages, std::int64_t{program.num_messages_sent()});
    facts.blocks = std::max(facts.blocks, program.num_blocks_sent());
  }
  return facts;
}

}  // namespace espalier::verify
