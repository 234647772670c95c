// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/one_sided/calls.hpp"

#include <algorithm>
#include <cstddef>

#include "espalier/cost/one_sided/actions.hpp"
#include "espalier/cost/one_sided/calls_engine.hpp"

namespace espalier::cost {

double OneSidedTimes::end() const {
  double last = delivered;
  for (std::vector<double> const& of_call : left) {
    last = std::max(last, std::ranges::max(of_call));
  }
  return last;
}

OneSidedTimes replay_calls(std::span<OneSidedCall const> calls, OneSidedMachine const& machine) {
  CallsEngine engine(Actions(calls), machine);
  engine.run();
  OneSidedTimes times{.left = {}, .delivered = engine.delivered()};
  for (std::size_t call = 0; call < calls.size(); ++call) {
    std::vector<double>& left = times.left.emplace_back();
    for (int rank = 0; rank < engine.actions().num_ranks(); ++rank) {
      left.push_back(engine.completed(engine.actions().leaving(call, rank)));
    }
  }
  return times;
}

}  // namespace espalier::cost
