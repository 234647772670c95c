// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/one_sided/form_ranking.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/cost/one_sided/candidates.hpp"
#include "espalier/cost/ranking/ranking.hpp"
#include "espalier/cost/replay/setting.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;

Setting setting_of(OneSidedMachine const& machine, int num_ranks) {
  machine::Link const between = link(machine.network, Overhead::receiver);
  if (machine.node_of_rank.empty()) {
    return uniform(between, num_ranks);
  }
  return on_nodes(
      between,
      link(machine.within, Overhead::receiver),
      {machine.node_of_rank.begin(), machine.node_of_rank.end()}
  );
}

/// Those that move whole vectors: for_each_form() has no form of the others.
std::vector<Choice> unsegmented(std::vector<Choice> const& choices) {
  std::vector<Choice> whole;
  std::ranges::copy_if(choices, std::back_inserter(whole), [](Choice const& choice) {
    return choice.num_segments() == 1;
  });
  return whole;
}

/// The choices by the time of their messages, best first.
/// @param choices at least one.
std::vector<Choice> by_messages(
    std::vector<Choice> const& choices,
    OneSidedRequest const& request,
    OneSidedMachine const& machine,
    int most_choices
) {
  Setting const setting = setting_of(machine, request.num_ranks);
  int const num_best = std::min(most_choices, static_cast<int>(choices.size()));
  std::vector<Choice> ordered;
  for (Ranked& ranked : best(choices, request.root, setting, request.num_bytes, num_best)) {
    ordered.push_back(std::move(ranked.choice));
  }
  return ordered;
}

double time_of(
    OneSidedPrograms const& made, OneSidedRequest const& request, OneSidedMachine const& machine
) {
  OneSidedCall const call{.programs = made.programs, .sizes = request.num_bytes};
  return replay_calls({&call, 1}, machine).end();
}

std::int64_t num_operations(OneSidedPrograms const& made) {
  std::int64_t sum = 0;
  for (schedule::RankProgram const& program : made.programs) {
    sum += std::ssize(program.operations);
  }
  return sum;
}

/// The second step. Choices without any legal form do not count.
std::vector<RankedOneSided> replay_first(
    std::vector<Choice> const& ordered,
    OneSidedRequest const& request,
    OneSidedMachine const& machine,
    PlanningLimits const& limits
) {
  std::vector<RankedOneSided> ranking;
  int num_choices = 0;
  std::int64_t num_replayed = 0;
  for (Choice const& choice : ordered) {
    if (num_choices == limits.most_choices || num_replayed > limits.most_operations) {
      break;
    }
    std::size_t const num_before = ranking.size();
    for_each_form(request, choice, [&](OneSidedPrograms const& made) {
      ranking.push_back({.candidate = made.candidate, .time = time_of(made, request, machine)});
      num_replayed += num_operations(made);
      return num_replayed <= limits.most_operations;
    });
    num_choices += ranking.size() > num_before ? 1 : 0;
  }
  return ranking;
}

[[noreturn]] void refuse(OneSidedRequest const& request, std::size_t num_choices) {
  throw Error(
      ErrorCode::unsupported,
      "expected a schedule that serves " + std::string(to_string(request.collective)) + " among " +
          std::to_string(request.num_ranks) + " ranks, mode " + to_string(request.mode) +
          ", addresses " + std::string(to_string(request.addresses)) + ", operand order " +
          std::string(to_string(request.order)) + ", within " +
          std::to_string(request.scratch_bytes) + " bytes of scratch memory; found none of " +
          std::to_string(num_choices)
  );
}

}  // namespace

std::vector<RankedOneSided> rank_one_sided(
    OneSidedRequest const& request, OneSidedMachine const& machine, PlanningLimits const& limits
) {
  return rank_one_sided(applicable_choices(request), request, machine, limits);
}

std::vector<RankedOneSided> rank_one_sided(
    std::vector<Choice> const& choices,
    OneSidedRequest const& request,
    OneSidedMachine const& machine,
    PlanningLimits const& limits
) {
  require_best(limits.most_choices);
  std::vector<RankedOneSided> ranking;
  std::vector<Choice> const whole = unsegmented(choices);
  if (!whole.empty()) {
    std::vector<Choice> const ordered = by_messages(whole, request, machine, limits.most_choices);
    ranking = replay_first(ordered, request, machine, limits);
  }
  if (ranking.empty()) {
    refuse(request, choices.size());
  }
  std::ranges::stable_sort(ranking, {}, &RankedOneSided::time);
  return ranking;
}

RankedOneSided best_one_sided(
    OneSidedRequest const& request, OneSidedMachine const& machine, PlanningLimits const& limits
) {
  return rank_one_sided(request, machine, limits).front();
}

}  // namespace espalier::cost
