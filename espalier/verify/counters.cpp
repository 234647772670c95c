// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/counters.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::verify {
namespace {

using schedule::Kind;
using schedule::Operation;

/// Rank and number of a counter.
using Counter = std::pair<int, int>;

bool raises(Operation const& operation) noexcept {
  return operation.kind == Kind::signal ||
         (operation.kind == Kind::put && operation.tag != schedule::no_counter);
}

class CounterCheck {
public:
  explicit CounterCheck(AllOperations const& all) : all_(all) {
    counters_.raisers.resize(all.size());
  }

  Counters run() {
    visit(&CounterCheck::collect);
    visit(&CounterCheck::join);
    for (auto const& [counter, raisers] : raisers_) {
      if (!awaited_.contains(counter)) {
        report(raisers.front(), formatted("rank {} never awaits that counter", counter.first));
      }
    }
    return std::move(counters_);
  }

private:
  void visit(void (CounterCheck::*look)(OperationReference)) {
    for (int rank = 0; rank < all_.num_ranks(); ++rank) {
      auto const num_operations = static_cast<int>(all_.program(rank).operations.size());
      for (OperationReference reference{rank, 0}; reference.operation < num_operations;
           ++reference.operation) {
        (this->*look)(reference);
      }
    }
  }

  void collect(OperationReference reference) {
    if (Operation const& operation = all_[reference]; raises(operation)) {
      raisers_[{operation.peer, operation.tag}].push_back(reference);
    }
  }

  void join(OperationReference reference) {
    Operation const& operation = all_[reference];
    if (operation.kind != Kind::await) {
      return;
    }
    Counter const counter{reference.rank, operation.tag};
    auto const found = raisers_.find(counter);
    std::size_t const num_raises = found == raisers_.end() ? 0 : found->second.size();
    if (num_raises != static_cast<std::size_t>(operation.arrivals)) {
      report(reference, formatted("the counter is raised {} times in all", num_raises));
      return;
    }
    awaited_[counter] = true;
    counters_.raisers[all_.index(reference)] = found->second;
  }

  void report(OperationReference reference, std::string const& text) {
    if (!counters_.violation) {
      counters_.violation = Violation{
          .rule = ProverRule::arrivals,
          .rank = reference.rank,
          .operation = reference.operation,
          .text = formatted("{}: {}", to_text(all_.program(reference.rank), all_[reference]), text),
      };
    }
  }

  AllOperations const& all_;
  std::map<Counter, std::vector<OperationReference>> raisers_;
  std::map<Counter, bool> awaited_;
  Counters counters_;
};

}  // namespace

Counters find_raisers(AllOperations const& all) {
  return CounterCheck(all).run();
}

}  // namespace espalier::verify
