// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/shortlist.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "espalier/algorithms/choices/choice_arguments.hpp"
#include "espalier/algorithms/choices/rank_order.hpp"
#include "espalier/base/error.hpp"
#include "espalier/candidates/machine_variants.hpp"
#include "espalier/cost/replay/replay.hpp"
#include "espalier/learn/outline.hpp"
#include "espalier/learn/stand_in.hpp"
#include "espalier/machine/tree/machine.hpp"

namespace espalier::learn {
namespace {

using algorithms::Choice;
using Clock = std::chrono::steady_clock;

/// Replays of all choices take some milliseconds for so many ranks, and ten times as long for eight
/// times as many.
constexpr int most_replayed_ranks = 16;
constexpr std::size_t least_replayed_choices = 8;
constexpr double usual_block_bytes = 1024;

/// A choice, and what is replayed for it.
struct Candidate {
  Choice choice;
  Choice small;
};

bool has_groups(Choice const& choice) {
  return choice.is_dealt() || choice.arguments().has("rows") || choice.arguments().has("sizes");
}

/// Of each algorithm the first, then of each the second, ...: without groups and with groups in
/// turn. Where time is short, few are left out of which nothing is known.
std::vector<Candidate> in_turns(std::vector<Candidate> candidates) {
  using Place = std::tuple<int, bool, std::size_t>;
  std::map<std::pair<algorithms::Algorithm const*, bool>, int> num_met;
  std::vector<std::pair<Place, std::size_t>> order;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    bool const is_grouped = has_groups(candidates[i].choice);
    int const turn = num_met[{&candidates[i].choice.algorithm(), is_grouped}]++;
    order.push_back({{turn, !is_grouped, i}, i});
  }
  std::ranges::sort(order);
  std::vector<Candidate> result;
  for (auto const& [place, number] : order) {
    result.push_back(std::move(candidates[number]));
  }
  return result;
}

std::vector<Candidate>
candidates_of(algorithms::Collective collective, Place const& place, StandIn const& stand_in) {
  std::vector<Candidate> result;
  for (Choice& choice : candidates::node_variants(collective, place.node_of_rank)) {
    if (std::optional<Choice> small = stand_in.translated(choice)) {
      result.push_back({.choice = std::move(choice), .small = std::move(*small)});
    }
  }
  return in_turns(std::move(result));
}

cost::Setting setting_of(Place const& place, std::vector<int> const& node_of_rank) {
  auto const order = algorithms::RankOrder::by_node(node_of_rank);
  std::vector<int> nodes;
  std::vector<int> cores;
  std::vector<int> core_of;
  for (int i = 0; i < order.num_ranks(); ++i) {
    nodes.push_back(node_of_rank[static_cast<std::size_t>(order.rank_at(i))]);
    cores.push_back(i);
    core_of.push_back(order.position_of(i));
  }
  machine::Machine machine({
      {.name = "node", .of_core = std::move(nodes), .link = place.between_nodes},
      {.name = "core", .of_core = std::move(cores), .link = place.within_node},
  });
  return {.machine = std::move(machine), .core_of = std::move(core_of)};
}

/// Ranks at their places, and the bytes of the whole result.
struct Situation {
  cost::Setting setting;
  double num_bytes = 0;
};

/// Blocks, or the vector, are as large for few ranks as for many.
Situation situation_of(
    profile::Call call, double num_bytes, Place const& place, std::vector<int> const& node_of_rank
) {
  auto const num_ranks = static_cast<double>(node_of_rank.size());
  if (profile::facts_of(call).block_sizes == profile::BlockSizes::known_to_owners) {
    num_bytes = usual_block_bytes * num_ranks;
  } else if (schedule::has_parts(profile::collective_of(call))) {
    num_bytes *= num_ranks / static_cast<double>(place.node_of_rank.size());
  }
  return {.setting = setting_of(place, node_of_rank), .num_bytes = num_bytes};
}

/// A replay of the small communicator, as many times longer as an outline of the large one is.
double seconds_of(Candidate const& candidate, Situation const& small, Situation const& large) {
  double const seconds = cost::replay_time(candidate.small, 0, small.setting, small.num_bytes);
  if (small.setting.num_ranks() == large.setting.num_ranks()) {
    return seconds;
  }
  double const here = outline(candidate.small, small.setting, small.num_bytes);
  return here > 0 ? seconds / here * outline(candidate.choice, large.setting, large.num_bytes)
                  : seconds;
}

/// @param deadline after it only the first few.
std::vector<Proposal> ranked(
    std::vector<Candidate> const& candidates,
    Situation const& small,
    Situation const& large,
    Clock::time_point deadline
) {
  std::vector<Proposal> result;
  for (Candidate const& candidate : candidates) {
    if (result.size() >= least_replayed_choices && Clock::now() >= deadline) {
      break;
    }
    result.push_back({
        .choice = candidate.choice,
        .seconds = seconds_of(candidate, small, large),
    });
  }
  std::ranges::stable_sort(result, {}, &Proposal::seconds);
  return result;
}

/// The first ones of different algorithms that can serve the call.
std::vector<Proposal>
different(std::vector<Proposal> const& ranking, profile::Call call, int num_ranks, int most) {
  std::vector<Proposal> result;
  for (Proposal const& proposal : ranking) {
    auto const is_like = [&](Proposal const& other) {
      return &other.choice.algorithm() == &proposal.choice.algorithm();
    };
    if (std::ssize(result) < most && std::ranges::none_of(result, is_like) &&
        profile::refuses(call, proposal.choice, num_ranks, 0).empty()) {
      result.push_back(proposal);
    }
  }
  return result;
}

}  // namespace

std::vector<Proposal> shortlist(
    profile::Call call, double num_bytes, Place const& place, int most, Clock::duration limit
) {
  Clock::time_point const deadline = Clock::now() + limit;
  if (place.node_of_rank.empty() || most < 1) {
    throw Error(
        ErrorCode::argument,
        "expected at least 1 rank and 1 choice, got " + std::to_string(place.node_of_rank.size()) +
            " and " + std::to_string(most)
    );
  }
  StandIn const stand_in(place.node_of_rank, most_replayed_ranks);
  auto const candidates = candidates_of(profile::collective_of(call), place, stand_in);
  Situation const small = situation_of(call, num_bytes, place, stand_in.node_of_rank());
  Situation const large = situation_of(call, num_bytes, place, stand_in.node_of_large());
  auto const ranking = ranked(candidates, small, large, deadline);
  return different(ranking, call, static_cast<int>(place.node_of_rank.size()), most);
}

std::vector<Proposal> with_shared_memory(std::vector<Proposal> const& proposals, bool only) {
  std::size_t const most_doubled = proposals.size() > 1 ? 2 : 0;
  std::vector<Proposal> result;
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    std::optional<Choice> shared = algorithms::with_shared_memory(proposals[i].choice);
    bool const is_added = shared && (only || i < most_doubled);
    if (is_added) {
      result.push_back({.choice = std::move(*shared), .seconds = proposals[i].seconds});
    }
    if (!is_added || !only) {
      result.push_back(proposals[i]);
    }
  }
  return result;
}

}  // namespace espalier::learn
