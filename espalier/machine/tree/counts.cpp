// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/tree/counts.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "espalier/machine/tree/refuse.hpp"

namespace espalier::machine {
namespace {

/// The parent of each object, given how many each parent has.
std::vector<int> parents_of(std::vector<int> const& num_children) {
  std::vector<int> parents;
  for (std::size_t parent = 0; parent < num_children.size(); ++parent) {
    auto const count = static_cast<std::size_t>(num_children[parent]);
    parents.insert(parents.end(), count, static_cast<int>(parent));
  }
  return parents;
}

/// For each object what its parent has.
std::vector<int> inherited(std::vector<int> const& of_parent, std::vector<int> const& parents) {
  std::vector<int> result(parents.size());
  std::ranges::transform(parents, result.begin(), [&](int parent) {
    return of_parent[static_cast<std::size_t>(parent)];
  });
  return result;
}

}  // namespace

std::int64_t expand(Counts& level, std::int64_t num_parents, std::string_view shown) {
  std::vector<int>& counts = level.of_parent;
  bool const is_one = counts.size() == 1;
  if (!is_one && std::ssize(counts) != num_parents) {
    std::string const each = "one for each of the " + std::to_string(num_parents);
    refuse(
        num_parents == 1 ? "one number of " + level.name
                         : "one number, or " + each + " objects above",
        shown
    );
  }
  if (std::ranges::any_of(counts, [](int count) { return count < 1; })) {
    refuse("positive numbers of " + level.name, shown);
  }
  std::int64_t const sum = std::reduce(counts.begin(), counts.end(), std::int64_t{0});
  std::int64_t const num_objects = is_one ? sum * num_parents : sum;
  if (num_objects > most_cores) {
    refuse("at most " + std::to_string(most_cores) + " cores", shown);
  }
  if (is_one) {
    counts.assign(static_cast<std::size_t>(num_parents), static_cast<int>(sum));
  }
  return num_objects;
}

Machine build(std::vector<Counts> counts, Torus torus) {
  std::vector<Level> levels;
  std::int64_t num_objects = 1;
  for (Counts& level : counts) {
    num_objects = expand(level, num_objects, level.name);
    std::vector<int> const parents = parents_of(level.of_parent);
    for (Level& above : levels) {
      above.of_core = inherited(above.of_core, parents);
    }
    std::vector<int> numbers(parents.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    levels.push_back(
        {.name = std::move(level.name), .of_core = std::move(numbers), .link = level.link}
    );
  }
  return Machine(std::move(levels), std::move(torus));
}

std::vector<Counts> counts_of(Machine const& machine) {
  std::vector<Counts> counts;
  for (int level = 0; level < machine.num_levels(); ++level) {
    int const num_parents = level == 0 ? 1 : machine.num_objects(level - 1);
    std::vector<int> of_parent(static_cast<std::size_t>(num_parents));
    int last = -1;
    for (int core = 0; core < machine.num_cores(); ++core) {
      int const object = machine.object_of(level, core);
      int const parent = level == 0 ? 0 : machine.object_of(level - 1, core);
      of_parent[static_cast<std::size_t>(parent)] += object == last ? 0 : 1;
      last = object;
    }
    counts.push_back(
        {.name = machine.name(level), .of_parent = std::move(of_parent), .link = machine.link(level)
        }
    );
  }
  return counts;
}

}  // namespace espalier::machine
