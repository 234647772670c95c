// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/tree_choice.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/names.hpp"
#include "espalier/mapping/orders/node_orders.hpp"
#include "espalier/mapping/orders/tree_orders.hpp"

namespace espalier::mapping {
namespace {

using Maker = RankVector (*)(Distances const&, int root);

struct NamedMaker {
  std::string_view name;
  Maker make;
};

/// An order of groups turned so that it begins with the root.
RankVector rooted(RankVector ranks, int root) {
  std::rotate(ranks.begin(), std::ranges::find(ranks, root), ranks.end());
  return ranks;
}

constexpr std::array makers{
    NamedMaker{
        "standard",
        [](Distances const& all, int root) { return standard_order(all.rtt.num_ranks(), root); }
    },
    NamedMaker{
        "fef", [](Distances const& all, int root) { return fastest_edge_first(all.rtt, root); }
    },
    NamedMaker{
        "cao",
        [](Distances const& all, int root) {
          return channel_aware(all.rtt, all.group_of_rank, all.channels, root);
        }
    },
    NamedMaker{
        "cao_published",
        [](Distances const& all, int root) {
          return channel_aware_as_published(all.rtt, all.channels.across, root);
        }
    },
    NamedMaker{
        "random",
        [](Distances const& all, int root) { return random_order(all.rtt.num_ranks(), root, 1); }
    },
    NamedMaker{
        "smp",
        [](Distances const& all, int root) { return rooted(by_node(all.group_of_rank), root); }
    },
    NamedMaker{
        "round_robin",
        [](Distances const& all, int root) { return rooted(round_robin(all.group_of_rank), root); }
    },
    NamedMaker{
        "folded",
        [](Distances const& all, int root) { return rooted(folded(all.group_of_rank), root); }
    },
};
constexpr std::size_t num_usual = 3;  // of which the best is taken

struct NamedCollective {
  std::string_view name;
  TreeCollective collective;
};

constexpr std::array collectives{
    NamedCollective{"bcast", TreeCollective::bcast},
    NamedCollective{"gather", TreeCollective::gather},
    NamedCollective{"reduce", TreeCollective::reduce},
    NamedCollective{"scatter", TreeCollective::scatter},
};

double model_us(RankVector const& ranks, Distances const& distances, TreeCollective collective) {
  return completion_time(
      distances.rtt, ranks, distances.group_of_rank, distances.channels, payload_of(collective)
  );
}

}  // namespace

TreeCollective tree_collective(std::string_view name) {
  if (auto const found = find_named(collectives, name, &NamedCollective::name)) {
    return found->collective;
  }
  throw Error(
      ErrorCode::argument,
      "expected a collective among " + list_names(collectives, &NamedCollective::name) + ", got '" +
          std::string(name) + "'"
  );
}

Payload payload_of(TreeCollective collective) noexcept {
  bool const has_parts =
      collective == TreeCollective::gather || collective == TreeCollective::scatter;
  return has_parts ? Payload::subtree : Payload::whole;
}

void check_order_name(std::string_view name) {
  if (name != "best" && !find_named(makers, name, &NamedMaker::name)) {
    throw Error(
        ErrorCode::argument,
        "expected an order among best, " + list_names(makers, &NamedMaker::name) + ", got '" +
            std::string(name) + "'"
    );
  }
}

ChosenOrder choose_order(
    std::string_view name, Distances const& distances, TreeCollective collective, int root
) {
  constexpr double least_gain = 1.001;
  check_order_name(name);
  check_root(distances.rtt.num_ranks(), root);
  ChosenOrder chosen{.name = "standard", .ranks = standard_order(distances.rtt.num_ranks(), root)};
  chosen.standard_us = model_us(chosen.ranks, distances, collective);
  chosen.chosen_us = chosen.standard_us;
  for (std::size_t i = 0; i < makers.size(); ++i) {
    bool const is_tried = name == "best" ? i < num_usual : name == makers[i].name;
    if (!is_tried) {
      continue;
    }
    RankVector ranks = makers[i].make(distances, root);
    double const us = model_us(ranks, distances, collective);
    if (name != "best" || us * least_gain < chosen.chosen_us) {
      chosen.name = makers[i].name;
      chosen.ranks = std::move(ranks);
      chosen.chosen_us = us;
    }
  }
  return chosen;
}

}  // namespace espalier::mapping
