// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/one_sided_run.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::verify {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

class Run {
public:
  Run(AllOperations const& all, Counters const& counters)
      : all_(all), counters_(counters), is_complete_(all.size(), false),
        ranks_(static_cast<std::size_t>(all.num_ranks())) {}

  OneSidedRun run() {
    std::size_t before = 0;
    do {
      before = result_.order.size();
      for (int rank = 0; rank < all_.num_ranks(); ++rank) {
        sweep(rank);
      }
    } while (result_.order.size() > before);
    if (result_.order.size() < all_.size()) {
      result_.violation = deadlock();
    }
    return std::move(result_);
  }

private:
  struct Progress {
    int first_incomplete = 0;
    int num_started = 0;  ///< in rounds: operations behind these have not started
    int num_written = 0;  ///< all writes among the first so many operations are complete
    int num_sent = 0;     ///< all sends among the first so many operations are complete
  };

  /// Completes what may be, once through the program.
  void sweep(int rank) {
    RankProgram const& program = all_.program(rank);
    Progress& at = ranks_[static_cast<std::size_t>(rank)];
    auto const num_operations = static_cast<int>(program.operations.size());
    for (OperationReference next{rank, at.first_incomplete}; next.operation < num_operations;
         ++next.operation) {
      if (!is_complete(next) && may_start(next, at)) {
        at.num_started = std::max(at.num_started, next.operation + 1);
        if (all_arrived(next)) {
          complete(next, at);
        }
      } else if (!program.is_dataflow() && next.operation >= at.num_started) {
        return;
      }
    }
  }

  [[nodiscard]] bool is_complete(OperationReference reference) const {
    return is_complete_[all_.index(reference)];
  }

  [[nodiscard]] bool may_start(OperationReference reference, Progress const& at) const {
    Operation const& operation = all_[reference];
    return operation.after <= at.num_written && operation.after_sends <= at.num_sent &&
           std::ranges::all_of(all_.program(reference.rank).waits(operation), [&](int awaited) {
             return is_complete({.rank = reference.rank, .operation = awaited});
           });
  }

  [[nodiscard]] bool all_arrived(OperationReference reference) const {
    return std::ranges::all_of(
        counters_.raisers[all_.index(reference)],
        [&](OperationReference raiser) { return is_complete(raiser); }
    );
  }

  void complete(OperationReference reference, Progress& at) {
    is_complete_[all_.index(reference)] = true;
    result_.order.push_back(reference);
    skip_complete(reference.rank, at.num_written, [](Operation const& o) { return o.writes(); });
    skip_complete(reference.rank, at.num_sent, [](Operation const& o) { return !o.writes(); });
    skip_complete(reference.rank, at.first_incomplete, [](Operation const&) { return true; });
  }

  template <typename Counts>
  void skip_complete(int rank, int& num_complete, Counts const& counts) const {
    auto const num_operations = static_cast<int>(all_.program(rank).operations.size());
    for (OperationReference next{rank, num_complete}; num_complete < num_operations;
         next.operation = ++num_complete) {
      if (counts(all_[next]) && !is_complete(next)) {
        return;
      }
    }
  }

  /// The first operation that each rank could not complete.
  [[nodiscard]] Violation deadlock() const {
    constexpr int most_named = 8;
    Violation violation{.rule = ProverRule::deadlock, .rank = -1, .operation = -1, .text = {}};
    int num_named = 0;
    for (int rank = 0; rank < all_.num_ranks() && num_named < most_named; ++rank) {
      OperationReference const first{rank, ranks_[static_cast<std::size_t>(rank)].first_incomplete};
      if (static_cast<std::size_t>(first.operation) == all_.program(rank).operations.size()) {
        continue;
      }
      if (num_named++ == 0) {
        violation.rank = rank;
        violation.operation = first.operation;
        violation.text = "the ranks wait for each other: ";
      }
      violation.text += formatted(
          "{}rank {} in operation {} ({})",
          num_named == 1 ? "" : ", ",
          rank,
          first.operation,
          to_text(all_.program(rank), all_[first])
      );
    }
    return violation;
  }

  AllOperations const& all_;
  Counters const& counters_;
  std::vector<bool> is_complete_;
  std::vector<Progress> ranks_;
  OneSidedRun result_;
};

}  // namespace

OneSidedRun run_one_sided(AllOperations const& all, Counters const& counters) {
  return Run(all, counters).run();
}

}  // namespace espalier::verify
