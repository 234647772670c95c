// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/forms/count.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "espalier/algorithms/composed/native.hpp"

namespace espalier::cost {
namespace {

using schedule::Kind;

struct Blocks {
  std::int64_t sent = 0;
  std::int64_t received = 0;
  std::int64_t combined = 0;
};

/// What the busiest rank does in each round, over the programs added so far.
class Busiest {
public:
  void add(schedule::RankProgram const& program) {
    rank_.assign(rank_.size(), {});
    for (schedule::Operation const& operation : program.operations) {
      add(operation, schedule::num_blocks(program.slots(operation)));
    }
    rounds_ = std::max(rounds_, program.num_rounds());
    most_.resize(rank_.size());
    for (std::size_t round = 0; round < rank_.size(); ++round) {
      Blocks const& own = rank_[round];
      most_[round].volume = std::max({most_[round].volume, own.sent, own.received});
      most_[round].reductions = std::max(most_[round].reductions, own.combined);
    }
  }

  [[nodiscard]] Work sum() const {
    Work work{.rounds = rounds_};
    for (Work const& round : most_) {
      work.volume += round.volume;
      work.reductions += round.reductions;
    }
    return work;
  }

private:
  void add(schedule::Operation const& operation, std::int64_t num_blocks) {
    auto const round = static_cast<std::size_t>(operation.round);
    rank_.resize(std::max(rank_.size(), round + 1));
    switch (operation.kind) {
    case Kind::send:
    case Kind::put:
      rank_[round].sent += num_blocks;
      break;
    case Kind::recv:
    case Kind::get:
      rank_[round].received += num_blocks;
      break;
    case Kind::reduce:
      rank_[round].combined += num_blocks;
      break;
    case Kind::native:  // has a stand-in
    case Kind::copy:
    case Kind::signal:
    case Kind::await:
      break;
    }
  }

  std::vector<Blocks> rank_;
  std::vector<Work> most_;
  int rounds_ = 0;
};

}  // namespace

Work count(std::span<schedule::RankProgram const> programs) {
  Busiest busiest;
  for (schedule::RankProgram const& program : programs) {
    busiest.add(program);
  }
  return busiest.sum();
}

Work count(algorithms::Choice const& choice, int num_ranks, int root) {
  Busiest busiest;
  for (int rank = 0; rank < num_ranks; ++rank) {
    busiest.add(algorithms::generate_for_model(choice, num_ranks, root, rank));
  }
  return busiest.sum();
}

}  // namespace espalier::cost
