// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/machine/text/link_text.hpp"
#include "espalier/machine/text/text.hpp"
#include "espalier/machine/tree/counts.hpp"
#include "espalier/machine/tree/level_names.hpp"

namespace espalier::machine {
namespace {

bool is_uniform(std::span<int const> counts) {
  return std::ranges::all_of(counts, [&](int count) { return count == counts.front(); });
}

std::string joined(std::span<int const> numbers, std::string_view separator) {
  std::string text;
  for (int const number : numbers) {
    text += (text.empty() ? "" : std::string(separator)) + std::to_string(number);
  }
  return text;
}

std::string brackets(Machine const& machine, int level) {
  bool const is_of_torus = machine.torus().exists() && level == machine.node_level();
  bool const is_last = level == machine.num_levels() - 1;
  std::string const inside = brackets_text(
      machine.link(level),
      is_of_torus ? &machine.torus() : nullptr,
      is_last ? &machine.speed() : nullptr
  );
  return inside.empty() ? "" : "[" + inside + "]";
}

/// Numbers of all levels below one outermost object, as if there were one such object.
struct Subtree {
  std::vector<std::vector<int>> counts;  ///< of each level but the first

  [[nodiscard]] bool is_regular() const {
    return std::ranges::all_of(counts, [](std::vector<int> const& of_parent) {
      return is_uniform(of_parent);
    });
  }

  friend bool operator==(Subtree const&, Subtree const&) = default;
};

std::vector<Subtree> subtrees(std::span<Counts const> levels) {
  std::vector<Subtree> result(static_cast<std::size_t>(levels.front().of_parent.front()));
  std::vector<std::size_t> position(levels.size(), 0);
  for (Subtree& subtree : result) {
    std::size_t num_objects = 1;
    for (std::size_t level = 1; level < levels.size(); ++level) {
      auto const begin =
          levels[level].of_parent.begin() + static_cast<std::ptrdiff_t>(position[level]);
      std::vector<int> const counts(begin, begin + static_cast<std::ptrdiff_t>(num_objects));
      position[level] += num_objects;
      num_objects = static_cast<std::size_t>(std::reduce(counts.begin(), counts.end()));
      subtree.counts.push_back(counts);
    }
  }
  return result;
}

/// Equal subtrees beside each other.
struct Run {
  int num = 0;
  Subtree subtree;
};

std::vector<Run> runs_of(std::vector<Subtree> const& subtrees) {
  std::vector<Run> runs;
  for (Subtree const& subtree : subtrees) {
    if (runs.empty() || runs.back().subtree != subtree) {
      runs.push_back({.num = 0, .subtree = subtree});
    }
    ++runs.back().num;
  }
  return runs;
}

/// `3n x 8c`; links are said in the first part.
std::string part_text(Machine const& machine, Run const& run, bool is_first) {
  std::string text;
  for (int level = 0; level < machine.num_levels(); ++level) {
    int const count =
        level == 0 ? run.num : run.subtree.counts[static_cast<std::size_t>(level) - 1].front();
    text += (level == 0 ? "" : " x ") + std::to_string(count) + letter_of(machine.name(level)) +
            (is_first ? brackets(machine, level) : "");
  }
  return text;
}

/// `3n x 8c + 1n x 4c`; empty for machines that need another form.
std::string parts_text(Machine const& machine, std::span<Counts const> levels) {
  constexpr std::size_t most_parts = 8;
  bool const has_letters =
      std::ranges::all_of(levels, [](Counts const& level) { return letter_of(level.name) != 0; });
  std::vector<Run> const runs = runs_of(subtrees(levels));
  bool const is_regular =
      std::ranges::all_of(runs, [](Run const& run) { return run.subtree.is_regular(); });
  std::string text;
  if (has_letters && is_regular && runs.size() <= most_parts) {
    for (Run const& run : runs) {
      text += (text.empty() ? "" : " + ") + part_text(machine, run, text.empty());
    }
  }
  return text;
}

/// `8c` or `core:8,8,4`
std::string word_of(Counts const& level, bool is_short) {
  if (is_short) {
    return std::to_string(level.of_parent.front()) + letter_of(level.name);
  }
  std::size_t const num = is_uniform(level.of_parent) ? 1 : level.of_parent.size();
  return level.name + ":" + joined(std::span(level.of_parent).first(num), ",");
}

/// The levels from a number on behind what was said before.
std::string words_text(
    Machine const& machine, std::span<Counts const> levels, std::size_t first, std::string text
) {
  std::span<Counts const> const rest = levels.subspan(first);
  bool const is_short = std::ranges::all_of(rest, [](Counts const& level) {
    return letter_of(level.name) != 0 && is_uniform(level.of_parent);
  });
  for (std::size_t i = first; i < levels.size(); ++i) {
    std::string const separator = is_short ? " x " : " ";
    text += (text.empty() ? "" : separator) + word_of(levels[i], is_short) +
            brackets(machine, static_cast<int>(i));
  }
  return text;
}

/// How many levels are those of a fat tree: switch1, switch2, ..., node.
std::size_t fat_tree_levels(std::span<Counts const> levels) {
  std::size_t num = 0;
  while (num < levels.size() && levels[num].name == "switch" + std::to_string(num + 1)) {
    ++num;
  }
  bool const is_fat_tree = num >= 2 && num < levels.size() && levels[num].name == "node" &&
                           std::ranges::all_of(levels.first(num + 1), [](Counts const& level) {
                             return is_uniform(level.of_parent);
                           });
  return is_fat_tree ? num + 1 : 0;
}

std::string fat_tree_text(Machine const& machine, std::span<Counts const> levels) {
  std::string text = "fattree ";
  for (std::size_t i = 0; i < levels.size(); ++i) {
    text += (i == 0 ? "" : "x") + std::to_string(levels[i].of_parent.front()) +
            brackets(machine, static_cast<int>(i));
  }
  return text;
}

}  // namespace

std::string to_text(Machine const& machine) {
  std::vector<Counts> const levels = counts_of(machine);
  if (machine.torus().exists()) {
    std::string const torus = "torus " + joined(machine.torus().extents, "x");
    return words_text(machine, levels, 1, torus + brackets(machine, 0));
  }
  if (std::size_t const num = fat_tree_levels(levels); num > 0) {
    return words_text(machine, levels, num, fat_tree_text(machine, std::span(levels).first(num)));
  }
  std::string const parts = parts_text(machine, levels);
  return parts.empty() ? words_text(machine, levels, 0, "") : parts;
}

}  // namespace espalier::machine
