// SPDX-License-Identifier: Apache-2.0

/// @file
/// Whatever teams may be tuned to, as they run it: what capi::every_choice() offers, in every mode.
/// A new algorithm of the catalog is among it with no line here.

#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "espalier/capi/onesided/choices/every_choice.hpp"
#include "espalier/capi/onesided/choices/member_nodes.hpp"
#include "tests/support/one_sided.hpp"

namespace espalier::test {

/// Where a team calls a collective.
struct TeamPlace {
  schedule::Collective collective{};
  int num_ranks = 1;
  int root = 0;
  std::vector<int> node_of_rank{};  ///< as capi::member_nodes(): empty where nodes do not matter
};

/// A choice, and in which ways it is offered.
struct TeamOffer {
  algorithms::Choice choice;
  std::vector<std::pair<schedule::AddressMode, schedule::Mechanism>> ways{};
};

/// The collectives that teams have: the rule knows something for them.
inline std::vector<schedule::Collective> team_collectives() {
  std::vector<schedule::Collective> result;
  for (schedule::Collective const collective : schedule::all_collectives()) {
    if (!capi::safe_choices({.collective = collective}).empty()) {
      result.push_back(collective);
    }
  }
  return result;
}

/// Requests with all that there is a choice for. Others, as those for blocks of different sizes,
/// for operands in order or in another mode, are offered a part of it.
inline std::vector<capi::SafeRequest> team_requests(TeamPlace const& place) {
  constexpr std::int64_t small_bytes = 8;
  constexpr std::int64_t long_bytes = 1 << 20U;
  std::vector<capi::SafeRequest> result;
  for (schedule::AddressMode const addresses : schedule::all_address_modes) {
    for (std::int64_t const block_bytes : {small_bytes, long_bytes}) {
      capi::SafeRequest request{
          .collective = place.collective,
          .num_ranks = place.num_ranks,
          .root = place.root,
          .block_bytes = block_bytes,
          .addresses = addresses,
      };
      result.push_back(request);
      request.is_reproducible = true;
      if (schedule::reduces(place.collective)) {
        result.push_back(request);
      }
    }
  }
  return result;
}

inline std::vector<TeamOffer> team_offers(TeamPlace const& place) {
  std::vector<TeamOffer> result;
  for (capi::SafeRequest const& request : team_requests(place)) {
    for (capi::SafeChoice const& offered : capi::every_choice(request, {}, place.node_of_rank)) {
      auto known = std::ranges::find(result, offered.choice, &TeamOffer::choice);
      if (known == result.end()) {
        known = result.insert(known, {.choice = offered.choice});
      }
      std::pair const way(request.addresses, offered.mechanism);
      if (std::ranges::find(known->ways, way) == known->ways.end()) {
        known->ways.push_back(way);
      }
    }
  }
  return result;
}

/// First, second, some in between and last; of many ranks one in between.
inline std::vector<int> team_roots(schedule::Collective collective, int num_ranks) {
  constexpr int most_ranks = 8;
  if (!has_root(collective)) {
    return {0};
  }
  std::vector<int> roots{num_ranks / 2};
  for (int const root : {0, 1, num_ranks - 1}) {
    bool const is_wanted = root < num_ranks && num_ranks <= most_ranks;
    if (is_wanted && std::ranges::find(roots, root) == roots.end()) {
      roots.push_back(root);
    }
  }
  return roots;
}

/// As placements(), those in which nodes matter.
inline std::vector<std::vector<int>> team_nodes(int num_ranks) {
  std::vector<int> members(static_cast<std::size_t>(num_ranks));
  std::iota(members.begin(), members.end(), 0);
  std::vector<std::vector<int>> result;
  for (std::vector<int> const& placement : placements(num_ranks)) {
    std::vector<int> nodes = capi::member_nodes(placement, members);
    if (!nodes.empty()) {
      result.push_back(std::move(nodes));
    }
  }
  return result;
}

/// All modes, by all ways in which a choice is offered.
inline std::vector<schedule::OneSidedForm>
team_forms(TeamPlace const& place, TeamOffer const& offer) {
  std::vector<schedule::OneSidedForm> forms;
  for (schedule::Synchronization const mode : schedule::all_synchronizations()) {
    for (auto const& [addresses, mechanism] : offer.ways) {
      forms.push_back({
          .mode = mode,
          .addresses = addresses,
          .mechanism = mechanism,
          .segments = offer.choice.one_sided_segments(place.num_ranks),
          .node_of_rank = place.node_of_rank,
      });
    }
  }
  return forms;
}

inline bool all_meet(schedule::OneSidedForm const& form) noexcept {
  return form.mode.in == schedule::Sync::allsync || form.mode.out == schedule::Sync::allsync;
}

/// Calls visit(choice, programs, form) for whatever has another program than a team without nodes.
template <typename Visitor> void for_each_team_form(TeamPlace const& place, Visitor const& visit) {
  TeamPlace flat = place;
  flat.node_of_rank.clear();
  std::vector<TeamOffer> const of_flat =
      place.node_of_rank.empty() ? std::vector<TeamOffer>() : team_offers(flat);
  for (TeamOffer const& offer : team_offers(place)) {
    auto const the = OneSidedCase::of_team(offer.choice, place.num_ranks, place.root);
    bool const is_of_flat =
        std::ranges::find(of_flat, offer.choice, &TeamOffer::choice) != of_flat.end();
    for (schedule::OneSidedForm const& form : team_forms(place, offer)) {
      if (!is_of_flat || all_meet(form)) {
        visit(offer.choice, the, form);
      }
    }
  }
}

inline std::string name_of(
    TeamPlace const& place, algorithms::Choice const& choice, schedule::OneSidedForm const& form
) {
  std::string name = name_of(choice, place.num_ranks, place.root, false, form);
  for (int const node : place.node_of_rank) {
    name += (&node == &place.node_of_rank.front() ? ", on nodes " : " ") + std::to_string(node);
  }
  return name;
}

}  // namespace espalier::test
