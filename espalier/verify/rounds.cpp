// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/rounds.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::verify {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

Violation broken(AllOperations const& all, OperationReference reference, std::string const& why) {
  return {
      .rule = ProverRule::facts,
      .rank = reference.rank,
      .operation = reference.operation,
      .text = formatted("{}: {}", to_text(all.program(reference.rank), all[reference]), why),
  };
}

/// Round of the last message that an operation and what it waits for have seen; -1: none.
class LastRounds {
public:
  explicit LastRounds(RankProgram const& program) : program_(program) {
    own_.reserve(program.operations.size());
    written_.assign(1, -1);
    sent_.assign(1, -1);
  }

  /// Last round that the next operation in program order waits for; adds the operation.
  int add(Operation const& operation) {
    int last = std::max(
        written_[static_cast<std::size_t>(operation.after)],
        sent_[static_cast<std::size_t>(operation.after_sends)]
    );
    for (int const waited_for : program_.waits(operation)) {
      last = std::max(last, own_[static_cast<std::size_t>(waited_for)]);
    }
    int const own = operation.peer >= 0 ? operation.round : last;
    own_.push_back(own);
    written_.push_back(operation.writes() ? std::max(written_.back(), own) : written_.back());
    sent_.push_back(operation.writes() ? sent_.back() : std::max(sent_.back(), own));
    return last;
  }

private:
  RankProgram const& program_;
  std::vector<int> own_;
  std::vector<int> written_;  ///< over all writes among the first so many operations
  std::vector<int> sent_;     ///< the same over all sends
};

std::optional<Violation> check_rank(AllOperations const& all, Matching const& matching, int rank) {
  LastRounds rounds(all.program(rank));
  OperationReference reference{.rank = rank, .operation = 0};
  for (Operation const& operation : all.program(rank).operations) {
    int const last = rounds.add(operation);
    if (operation.peer >= 0) {
      if (operation.round <= last) {
        return broken(
            all, reference, formatted("must be in a later round than {}, for which it waits", last)
        );
      }
      OperationReference const other{
          .rank = operation.peer, .operation = matching.partner[all.index(reference)]
      };
      if (all[other].round != operation.round) {
        return broken(
            all, reference, formatted("is in round {} on rank {}", all[other].round, other.rank)
        );
      }
    }
    ++reference.operation;
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

namespace {

/// Blocks by round, for one rank or the most of all ranks.
struct Load {
  std::vector<std::int64_t> sent;
  std::vector<std::int64_t> received;
  std::vector<std::int64_t> reduced;

  explicit Load(std::size_t num_rounds)
      : sent(num_rounds), received(num_rounds), reduced(num_rounds) {}

  void add(RankProgram const& program) {
    for (Operation const& operation : program.operations) {
      std::int64_t const blocks = schedule::num_blocks(program.slots(operation));
      std::vector<std::int64_t>& kind = operation.kind == Kind::send     ? sent
                                        : operation.kind == Kind::recv   ? received
                                        : operation.kind == Kind::reduce ? reduced
                                                                         : ignored_;
      auto const round = static_cast<std::size_t>(operation.round);
      kind.resize(std::max(kind.size(), round + 1));
      kind[round] += blocks;
    }
  }

private:
  std::vector<std::int64_t> ignored_;
};

void keep_larger(std::vector<std::int64_t>& most, std::vector<std::int64_t> const& found) {
  most.resize(std::max(most.size(), found.size()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    most[i] = std::max(most[i], found[i]);
  }
}

std::int64_t total(std::vector<std::int64_t> const& blocks) {
  return std::reduce(blocks.begin(), blocks.end());
}

}  // namespace

algorithms::Facts count(AllOperations const& all) {
  algorithms::Facts facts;
  std::vector<std::int64_t> moved;
  std::vector<std::int64_t> reduced;
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    RankProgram const& program = all.program(rank);
    Load load(static_cast<std::size_t>(program.num_rounds()));
    load.add(program);
    keep_larger(moved, load.sent);
    keep_larger(moved, load.received);
    keep_larger(reduced, load.reduced);
    facts.scratch =
        std::max(facts.scratch, static_cast<std::int64_t>(program.frame.scratch_like.size()));
    facts.rounds = std::max(facts.rounds, program.num_rounds());
    facts.messages = std::max(facts.messages, std::int64_t{program.num_messages_sent()});
    facts.blocks = std::max(facts.blocks, program.num_blocks_sent());
  }
  facts.volume = total(moved);
  facts.reductions = total(reduced);
  return facts;
}

namespace {

std::string to_text(algorithms::Facts const& facts) {
  auto const counted = [](std::optional<std::int64_t> number) {
    return number ? formatted("{}", *number) : "any";
  };
  return formatted(
      "{} rounds, {} messages, {} blocks, {} scratch blocks, volume {}, reductions {}",
      facts.rounds,
      facts.messages,
      facts.blocks,
      facts.scratch,
      counted(facts.volume),
      counted(facts.reductions)
  );
}

}  // namespace

std::optional<Violation> check_facts(algorithms::Facts promised, algorithms::Facts const& counted) {
  promised.volume = promised.volume ? promised.volume : counted.volume;
  promised.reductions = promised.reductions ? promised.reductions : counted.reductions;
  if (promised == counted) {
    return std::nullopt;
  }
  return Violation{
      .rule = ProverRule::facts,
      .rank = -1,
      .operation = -1,
      .text = formatted("the algorithm promises {}, got {}", to_text(promised), to_text(counted)),
  };
}

}  // namespace espalier::verify
