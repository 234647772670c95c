// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/choices/guided_choices.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "espalier/cost/one_sided/form_ranking.hpp"

namespace espalier::capi {
namespace {

using algorithms::Choice;
using cost::PlanningLimits;
using cost::RankedOneSided;

/// All is replayed of so few ranks.
constexpr int wholly_replayed_ranks = 16;

cost::OneSidedRequest
cost_request(SafeRequest const& request, std::vector<int> const& node_of_rank) {
  int const num_parts = schedule::has_parts(request.collective) ? request.num_ranks : 1;
  return {
      .collective = request.collective,
      .num_ranks = request.num_ranks,
      .root = request.root,
      .num_bytes = static_cast<double>(request.block_bytes) * num_parts,
      .mode = request.mode,
      .addresses = request.addresses,
      .order =
          request.needs_rank_order ? schedule::OperandOrder::rank : schedule::OperandOrder::any,
      .node_of_rank = node_of_rank,
  };
}

/// Best first.
std::vector<RankedOneSided> ranking_of(
    std::vector<Choice> const& choices,
    SafeRequest const& request,
    TeamNetwork const& network,
    int most
) {
  PlanningLimits const limits = request.num_ranks <= wholly_replayed_ranks
                                    ? PlanningLimits::none()
                                    : PlanningLimits{.most_choices = most};
  cost::LogGP const& memory = network.node_of_rank.empty() ? network.between : network.within;
  cost::OneSidedMachine const machine{
      .network = network.between,
      .overhead_receive = 0,
      // Who puts into memory copies, and so does who takes from there.
      .speed = {.per_combined_byte = memory.per_byte, .per_copied_byte = memory.per_byte},
      .within = network.within,
      .node_of_rank = network.node_of_rank,
  };
  cost::OneSidedRequest const wanted = cost_request(request, network.node_of_rank);
  return rank_one_sided(choices, wanted, machine, limits);
}

/// Each of them once.
std::vector<Choice> choices_of(std::vector<SafeChoice> const& candidates) {
  std::vector<Choice> result;
  for (SafeChoice const& one : candidates) {
    if (std::ranges::find(result, one.choice) == result.end()) {
      result.push_back(one.choice);
    }
  }
  return result;
}

/// Takes few of each algorithm, and more of them if there is still room.
std::vector<SafeChoice> varied(std::vector<SafeChoice> ordered, std::size_t most) {
  std::vector<SafeChoice> taken;
  std::vector<SafeChoice> rest;
  for (SafeChoice& one : ordered) {
    auto const num_alike = std::ranges::count_if(taken, [&](SafeChoice const& other) {
      return &other.choice.algorithm() == &one.choice.algorithm();
    });
    bool const is_taken = taken.size() < most && num_alike < Guide::most_of_algorithm;
    (is_taken ? taken : rest).push_back(std::move(one));
  }
  std::size_t const room = std::min(most - taken.size(), rest.size());
  std::move(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(room), back_inserter(taken));
  return taken;
}

}  // namespace

std::vector<SafeChoice>
Guide::first_of(std::vector<SafeChoice> candidates, SafeRequest const& request) const {
  auto const most = static_cast<std::size_t>(most_);
  if (candidates.size() <= most || request.num_ranks > most_ranks) {
    return candidates;
  }
  std::vector<RankedOneSided> const ranking =
      ranking_of(choices_of(candidates), request, network_, most_);
  std::vector<SafeChoice> ordered;
  for (RankedOneSided const& one : ranking) {
    SafeChoice choice{.choice = one.candidate.choice, .mechanism = one.candidate.form.mechanism};
    bool const is_near = one.time <= farthest * ranking.front().time;
    if (is_near && std::ranges::find(candidates, choice) != candidates.end()) {
      ordered.push_back(std::move(choice));
    }
  }
  return ordered.empty() ? candidates : varied(std::move(ordered), most);
}

}  // namespace espalier::capi
