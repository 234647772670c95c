// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/one_sided.hpp"

#include <algorithm>
#include <vector>

#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"
#include "espalier/verify/counters.hpp"
#include "espalier/verify/happens_before.hpp"
#include "espalier/verify/one_sided_rounds.hpp"
#include "espalier/verify/one_sided_run.hpp"
#include "espalier/verify/races.hpp"
#include "espalier/verify/remote_memory.hpp"
#include "espalier/verify/synchronization.hpp"

namespace espalier::verify {
namespace {

void carry(AllOperations const& all, std::span<OperationReference const> order, Values& values) {
  for (OperationReference const reference : order) {
    if (schedule::is_one_sided(all[reference].kind)) {
      values.apply_one_sided(reference);
    } else {
      values.apply(reference);
    }
  }
}

/// A barrier: the end of every rank comes after the beginning of every rank.
std::optional<Violation>
check_barrier(AllOperations const& all, HappensBefore const& happens_before) {
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    std::vector<int> missing;
    for (int other = 0; other < all.num_ranks(); ++other) {
      if (!happens_before.leaves_after_enter(rank, other)) {
        missing.push_back(other);
      }
    }
    if (!missing.empty()) {
      return Violation{
          .rule = ProverRule::postcondition,
          .rank = rank,
          .operation = -1,
          .text = formatted(
              "must not leave before every rank has entered, does not wait for ranks {}",
              schedule::runs_to_text(missing)
          ),
      };
    }
  }
  return std::nullopt;
}

/// What is right for every timing, by what comes before what.
std::optional<Violation> check_orders(
    AllOperations const& all,
    Contract const& contract,
    Counters const& counters,
    std::span<OperationReference const> order
) {
  HappensBefore const happens_before(all, counters, order);
  if (auto violation = check_races(all, contract, happens_before, order)) {
    return violation;
  }
  if (auto violation = check_synchronization(all, contract, happens_before)) {
    return violation;
  }
  return contract.collective == Collective::barrier ? check_barrier(all, happens_before)
                                                    : std::nullopt;
}

}  // namespace

bool are_one_sided(std::span<schedule::RankProgram const> programs) noexcept {
  return std::ranges::any_of(programs, &schedule::RankProgram::is_one_sided);
}

void run_one_sided(AllOperations const& all, Values& values) {
  carry(all, run_one_sided(all, find_raisers(all)).order, values);
}

std::optional<Violation> check_one_sided(AllOperations const& all, Contract const& contract) {
  if (auto violation = check_remote_memory(all, contract)) {
    return violation;
  }
  Counters const counters = find_raisers(all);
  if (counters.violation) {
    return counters.violation;
  }
  OneSidedRun const run = run_one_sided(all, counters);
  if (run.violation) {
    return run.violation;
  }
  if (auto violation = check_orders(all, contract, counters, run.order)) {
    return violation;
  }
  Values values(all, contract);
  carry(all, run.order, values);
  if (auto violation = values.judge()) {
    return violation;
  }
  return check_one_sided_rounds(all, counters);
}

}  // namespace espalier::verify
