// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/arrivals.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::verify {
namespace {

using schedule::Kind;
using schedule::Operation;

/// A set of ranks.
class RankSet {
public:
  explicit RankSet(int num_ranks)
      : words_((static_cast<std::size_t>(num_ranks) + bits - 1) / bits, 0) {}

  void insert(int rank) {
    auto const i = static_cast<std::size_t>(rank);
    words_[i / bits] |= std::uint64_t{1} << (i % bits);
  }

  [[nodiscard]] bool contains(int rank) const {
    auto const i = static_cast<std::size_t>(rank);
    return (words_[i / bits] >> (i % bits) & 1U) != 0;
  }

  void insert(RankSet const& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] |= other.words_[i];
    }
  }

private:
  static constexpr std::size_t bits = 64;
  std::vector<std::uint64_t> words_;
};

/// Carries along who is known to have begun: a message tells what its sender waited for.
class Arrivals {
public:
  Arrivals(AllOperations const& all, Matching const& matching)
      : all_(all), matching_(matching), told_(all.size(), RankSet(0)) {
    for (int rank = 0; rank < all.num_ranks(); ++rank) {
      known_.push_back({.ranks = only(rank), .num_operations = 0});
    }
  }

  std::optional<Violation> run() {
    for (OperationReference const send : sends_by_round()) {
      OperationReference const receive{all_[send].peer, matching_.partner[all_.index(send)]};
      told_[all_.index(receive)] = known_before(send.rank, all_[send].after);
    }
    for (int rank = 0; rank < all_.num_ranks(); ++rank) {
      auto const num_operations = static_cast<int>(all_.program(rank).operations.size());
      if (auto violation = judge(rank, known_before(rank, num_operations))) {
        return violation;
      }
    }
    return std::nullopt;
  }

private:
  /// What a rank knows when the receives among its first operations are complete.
  struct Known {
    RankSet ranks;
    int num_operations = 0;
  };

  [[nodiscard]] RankSet only(int rank) const {
    RankSet ranks(all_.num_ranks());
    ranks.insert(rank);
    return ranks;
  }

  /// A message is in a later round than those it waits for, so each finds these done.
  [[nodiscard]] std::vector<OperationReference> sends_by_round() const {
    std::vector<OperationReference> sends;
    for (int rank = 0; rank < all_.num_ranks(); ++rank) {
      auto const num_operations = static_cast<int>(all_.program(rank).operations.size());
      for (OperationReference reference{rank, 0}; reference.operation < num_operations;
           ++reference.operation) {
        if (all_[reference].kind == Kind::send) {
          sends.push_back(reference);
        }
      }
    }
    std::ranges::stable_sort(sends, {}, [&](OperationReference reference) {
      return all_[reference].round;
    });
    return sends;
  }

  /// Itself, and what the receives before operation `end` were told. Most programs ask with an
  /// `end` that never falls, and so every receive is looked at once.
  RankSet const& known_before(int rank, int end) {
    Known& known = known_[static_cast<std::size_t>(rank)];
    if (end < known.num_operations) {
      known = {.ranks = only(rank), .num_operations = 0};
    }
    for (; known.num_operations < end; ++known.num_operations) {
      OperationReference const reference{rank, known.num_operations};
      if (all_[reference].kind == Kind::recv) {
        known.ranks.insert(told_[all_.index(reference)]);
      }
    }
    return known.ranks;
  }

  [[nodiscard]] std::optional<Violation> judge(int rank, RankSet const& known) const {
    std::vector<int> missing;
    for (int other = 0; other < all_.num_ranks(); ++other) {
      if (!known.contains(other)) {
        missing.push_back(other);
      }
    }
    if (missing.empty()) {
      return std::nullopt;
    }
    return Violation{
        .rule = ProverRule::postcondition,
        .rank = rank,
        .operation = -1,
        .text = formatted(
            "must not end before every rank has begun, does not wait for ranks {}",
            schedule::runs_to_text(missing)
        ),
    };
  }

  AllOperations const& all_;
  Matching const& matching_;
  std::vector<RankSet> told_;  ///< to each receive
  std::vector<Known> known_;   ///< of each rank, as last asked
};

}  // namespace

std::optional<Violation> check_arrivals(AllOperations const& all, Matching const& matching) {
  return Arrivals(all, matching).run();
}

}  // namespace espalier::verify
