// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/tree/nesting.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace espalier::machine {
namespace {

/// A division inside all that stand above it; objects are counted as they first occur.
struct Refined {
  std::string name;
  std::vector<int> object_of_unit;
  std::size_t num_objects = 0;
};

std::size_t num_labels(Division const& division) {
  auto const& labels = division.label_of_unit;
  return std::unordered_set<int>(labels.begin(), labels.end()).size();
}

Refined refine(std::vector<int> const& above, Division const& division) {
  std::map<std::pair<int, int>, int> number_of;
  Refined refined{division.name, {}, 0};
  for (std::size_t unit = 0; unit < above.size(); ++unit) {
    std::pair const key{above[unit], division.label_of_unit[unit]};
    auto const [found, _] = number_of.try_emplace(key, static_cast<int>(number_of.size()));
    refined.object_of_unit.push_back(found->second);
  }
  refined.num_objects = number_of.size();
  return refined;
}

/// Units so that those of an object stand together, on every level.
std::vector<int> sorted_units(std::vector<Refined> const& nested) {
  std::vector<int> units(nested.front().object_of_unit.size());
  std::iota(units.begin(), units.end(), 0);
  for (auto level = nested.rbegin(); level != nested.rend(); ++level) {
    std::ranges::stable_sort(units, {}, [&](int unit) {
      return level->object_of_unit[static_cast<std::size_t>(unit)];
    });
  }
  return units;
}

Level level_of(Refined const& refined, std::vector<int> const& units) {
  Level level{.name = refined.name, .of_core = {}};
  int last = -1;
  int number = -1;
  for (int const unit : units) {
    int const object = refined.object_of_unit[static_cast<std::size_t>(unit)];
    number += object != last ? 1 : 0;
    last = object;
    level.of_core.push_back(number);
  }
  return level;
}

/// Nested levels with equally many objects are the same level.
std::vector<Refined> without_repetition(std::vector<Refined> nested) {
  std::vector<Refined> kept;
  for (std::size_t i = 0; i < nested.size(); ++i) {
    bool const stays = nested[i].name == "node" || i + 1 == nested.size();
    std::size_t const above = kept.empty() ? 1 : kept.back().num_objects;
    if (nested[i].name == "node" && !kept.empty() && above == nested[i].num_objects) {
      kept.pop_back();
    }
    if (stays || nested[i].num_objects > above) {
      kept.push_back(std::move(nested[i]));
    }
  }
  return kept;
}

}  // namespace

Nesting nest(std::vector<Division> divisions) {
  std::ranges::stable_sort(divisions, {}, num_labels);
  Nesting nesting;
  std::vector<Refined> nested;
  std::vector<int> above(divisions.back().label_of_unit.size(), 0);
  for (Division const& division : divisions) {
    nested.push_back(refine(above, division));
    above = nested.back().object_of_unit;
    if (nested.back().num_objects > num_labels(division)) {
      nesting.cut.push_back(division.name);
    }
  }
  nesting.unit_of_core = sorted_units(nested);
  for (Refined const& level : without_repetition(std::move(nested))) {
    nesting.levels.push_back(level_of(level, nesting.unit_of_core));
  }
  return nesting;
}

}  // namespace espalier::machine
