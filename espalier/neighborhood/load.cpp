// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/load.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "espalier/neighborhood/catalog.hpp"

namespace espalier::neighborhood {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

/// What one rank does in a round, by direction: sent, received.
struct RoundDeeds {
  Load across[2];
  Load inside[2];
};

void raise(Load& most, Load const (&found)[2]) {
  for (Load const& load : found) {
    most.messages = std::max(most.messages, load.messages);
    most.blocks = std::max(most.blocks, load.blocks);
  }
}

class LoadCount {
public:
  explicit LoadCount(Request const& request) : node_of_rank_(request.node_of_rank) {}

  void add(RankProgram const& program) {
    std::map<int, RoundDeeds> rounds;
    for (Operation const& operation : program.operations) {
      if (operation.peer >= 0) {
        add(program, operation, rounds[operation.round]);
      }
    }
    for (auto const& [round, deeds] : rounds) {
      raise(at(round).across, deeds.across);
      raise(at(round).inside, deeds.inside);
    }
  }

  std::vector<RoundLoad> run() && {
    for (auto const& [key, blocks] : of_nodes_) {
      RoundLoad& round = at(key.first);
      round.node_blocks = std::max({round.node_blocks, blocks.first, blocks.second});
    }
    return std::move(rounds_);
  }

private:
  void add(RankProgram const& program, Operation const& operation, RoundDeeds& deeds) {
    std::int64_t const blocks = schedule::num_blocks(program.slots(operation));
    bool const is_sent = operation.kind == Kind::send;
    bool const is_inside =
        !node_of_rank_.empty() && node_of(program.rank) == node_of(operation.peer);
    Load& load = (is_inside ? deeds.inside : deeds.across)[is_sent ? 0 : 1];
    ++load.messages;
    load.blocks += blocks;
    if (!is_inside) {
      auto const node = node_of_rank_.empty() ? program.rank : node_of(program.rank);
      auto& [sent, received] = of_nodes_[{operation.round, node}];
      (is_sent ? sent : received) += blocks;
    }
  }

  [[nodiscard]] int node_of(int rank) const {
    return node_of_rank_[static_cast<std::size_t>(rank)];
  }

  RoundLoad& at(int round) {
    auto const index = static_cast<std::size_t>(round);
    rounds_.resize(std::max(rounds_.size(), index + 1));
    return rounds_[index];
  }

  std::span<int const> node_of_rank_;
  std::vector<RoundLoad> rounds_;
  std::map<std::pair<int, int>, std::pair<std::int64_t, std::int64_t>> of_nodes_;
};

}  // namespace

std::vector<RoundLoad> loads(Algorithm const& algorithm, Request const& request) {
  LoadCount count(request);
  for (int rank = 0; rank < request.neighborhood.num_ranks(); ++rank) {
    count.add(generate(algorithm, request, rank));
  }
  return std::move(count).run();
}

}  // namespace espalier::neighborhood
