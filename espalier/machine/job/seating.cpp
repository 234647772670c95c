// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/job/seating.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

namespace espalier::machine {
namespace {

/// What ranks of a node sit on: a core or a hardware thread.
struct Unit {
  int processor = 0;  ///< the first one
  std::vector<int> ranks{};
};

bool has_threaded_cores(NodeTree const& tree) {
  std::map<int, int> processors_of_core;
  return std::ranges::any_of(tree.processors, [&](Processor const& processor) {
    return ++processors_of_core[processor.core] > 1;
  });
}

/// The units of one node, and the unit of each of its processors.
struct Units {
  std::vector<Unit> units;
  std::vector<std::size_t> of_processor;
};

Units units_of(NodeTree const& tree, bool has_threads) {
  Units result;
  std::map<int, std::size_t> unit_of_label;
  for (std::size_t i = 0; i < tree.processors.size(); ++i) {
    int const label = has_threads ? static_cast<int>(i) : tree.processors[i].core;
    auto const [found, is_new] = unit_of_label.try_emplace(label, result.units.size());
    if (is_new) {
      result.units.push_back({.processor = static_cast<int>(i)});
    }
    result.of_processor.push_back(found->second);
  }
  return result;
}

void sit_down(int rank, Reach const& reach, Units& units) {
  auto const load = [&](int processor) {
    return units.units[units.of_processor[static_cast<std::size_t>(processor)]].ranks.size();
  };
  int const best = *std::ranges::min_element(reach.processors, {}, load);
  units.units[units.of_processor[static_cast<std::size_t>(best)]].ranks.push_back(rank);
}

void add_seats(int site, Units& units, Seating& seating) {
  for (Unit& unit : units.units) {
    std::ranges::sort(unit.ranks);
    seating.is_shared = seating.is_shared || unit.ranks.size() > 1;
    if (unit.ranks.empty()) {
      unit.ranks.push_back(-1);
    }
    for (int const rank : unit.ranks) {
      seating.seats.push_back({site, unit.processor, rank});
    }
  }
}

/// One label for each pair of numbers.
class Labels {
public:
  int operator()(int site, int object) {
    auto const next = static_cast<int>(numbers_.size());
    return numbers_.try_emplace({site, object}, next).first->second;
  }

private:
  std::map<std::pair<int, int>, int> numbers_;
};

Division inner_division(Seating const& seating, std::vector<Site> const& sites, Inner level) {
  Labels labels;
  Division division{name_of(level), {}};
  for (Seat const& seat : seating.seats) {
    NodeTree const& tree = sites[static_cast<std::size_t>(seat.site)].tree;
    Processor const& processor = tree.processors[static_cast<std::size_t>(seat.processor)];
    division.label_of_unit.push_back(labels(seat.site, object_of(processor, level)));
  }
  return division;
}

}  // namespace

Seating seat(std::vector<Site> const& sites, Reaches const& reaches) {
  Seating seating;
  seating.has_threads =
      reaches.all_have_one() && std::ranges::any_of(sites, has_threaded_cores, &Site::tree);
  for (std::size_t number = 0; number < sites.size(); ++number) {
    Units units = units_of(sites[number].tree, seating.has_threads);
    std::vector<int> ranks = sites[number].ranks;
    std::ranges::stable_sort(ranks, {}, [&](int rank) {
      return reaches.of(rank).processors.size();
    });
    for (int const rank : ranks) {
      sit_down(rank, reaches.of(rank), units);
    }
    add_seats(static_cast<int>(number), units, seating);
  }
  return seating;
}

std::vector<Division>
divisions_of(Seating const& seating, std::vector<Site> const& sites, Reaches const& reaches) {
  Division nodes{"node", {}};
  for (Seat const& seat : seating.seats) {
    nodes.label_of_unit.push_back(seat.site);
  }
  std::vector<Division> divisions{std::move(nodes)};
  bool const is_split = seating.is_shared || seating.has_threads;
  for (Inner const level : all_inner) {
    if (reaches.all_stay_in(level) && (level != Inner::core || is_split)) {
      divisions.push_back(inner_division(seating, sites, level));
    }
  }
  Division seats{is_split ? "thread" : "core", std::vector<int>(seating.seats.size())};
  std::iota(seats.label_of_unit.begin(), seats.label_of_unit.end(), 0);
  divisions.push_back(std::move(seats));
  return divisions;
}

}  // namespace espalier::machine
