// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/one_sided_rounds.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::verify {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

/// Looks at the operations of one rank in program order.
class RoundCheck {
public:
  RoundCheck(AllOperations const& all, Counters const& counters, int rank)
      : all_(all), counters_(counters), program_(all.program(rank)), next_{rank, 0} {}

  std::optional<Violation> run() {
    for (; next_.operation < static_cast<int>(program_.operations.size()); ++next_.operation) {
      Operation const& operation = all_[next_];
      int const last = last_waited_for(operation);
      if (operation.peer >= 0 && operation.round <= last) {
        return broken(formatted("must be in a later round than {}, for which it waits", last));
      }
      if (operation.kind == Kind::await && operation.round != last_raise()) {
        return broken(formatted("is raised in round {}", last_raise()));
      }
      bool const is_local = operation.kind == Kind::copy || operation.kind == Kind::reduce;
      own_.push_back(is_local ? last : operation.round);
    }
    return std::nullopt;
  }

private:
  [[nodiscard]] int last_waited_for(Operation const& operation) const {
    int last = -1;
    schedule::for_each_wait(program_, operation, [&](int waited_for) {
      last = std::max(last, own_[static_cast<std::size_t>(waited_for)]);
    });
    return last;
  }

  [[nodiscard]] int last_raise() const {
    int last = -1;
    for (OperationReference const raiser : counters_.raisers[all_.index(next_)]) {
      last = std::max(last, all_[raiser].round);
    }
    return last;
  }

  [[nodiscard]] Violation broken(std::string const& why) const {
    return {
        .rule = ProverRule::facts,
        .rank = next_.rank,
        .operation = next_.operation,
        .text = formatted("{}: {}", to_text(program_, all_[next_]), why),
    };
  }

  AllOperations const& all_;
  Counters const& counters_;
  RankProgram const& program_;
  OperationReference next_;
  std::vector<int> own_;  ///< last round that an operation and what it waits for have seen
};

/// Blocks of one rank in one round.
struct RoundLoad {
  std::int64_t sent = 0;
  std::int64_t received = 0;
  std::int64_t reduced = 0;
};

/// Adds the operations of a program to the loads of its rank and of its peers in `round`.
void add_round(RankProgram const& program, int round, std::vector<RoundLoad>& loads) {
  RoundLoad& own = loads[static_cast<std::size_t>(program.rank)];
  for (Operation const& operation : program.operations) {
    std::int64_t const blocks = schedule::num_blocks(program.slots(operation));
    if (operation.round != round) {
      continue;
    }
    if (operation.kind == Kind::put) {
      own.sent += blocks;
      loads[static_cast<std::size_t>(operation.peer)].received += blocks;
    } else if (operation.kind == Kind::get) {
      own.received += blocks;
      loads[static_cast<std::size_t>(operation.peer)].sent += blocks;
    } else if (operation.kind == Kind::reduce) {
      own.reduced += blocks;
    }
  }
}

/// Rounds in which something is done, also what is combined after the last message.
int num_busy_rounds(AllOperations const& all) {
  int most = 0;
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    for (Operation const& operation : all.program(rank).operations) {
      most = std::max(most, operation.round + 1);
    }
  }
  return most;
}

}  // namespace

std::optional<Violation>
check_one_sided_rounds(AllOperations const& all, Counters const& counters) {
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    if (auto violation = RoundCheck(all, counters, rank).run()) {
      return violation;
    }
  }
  return std::nullopt;
}

algorithms::Facts count_one_sided(AllOperations const& all) {
  algorithms::Facts facts;
  facts.volume = 0;
  for (int round = 0; round < num_busy_rounds(all); ++round) {
    std::vector<RoundLoad> loads(static_cast<std::size_t>(all.num_ranks()));
    for (int rank = 0; rank < all.num_ranks(); ++rank) {
      add_round(all.program(rank), round, loads);
    }
    std::int64_t moved = 0;
    std::int64_t reduced = 0;
    for (RoundLoad const& load : loads) {
      moved = std::max({moved, load.sent, load.received});
      reduced = std::max(reduced, load.reduced);
    }
    *facts.volume += moved;
    *facts.reductions += reduced;
  }
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    algorithms::include(facts, all.program(rank));
    facts.rounds = std::max(facts.rounds, all.program(rank).num_rounds());
  }
  return facts;
}

}  // namespace espalier::verify
