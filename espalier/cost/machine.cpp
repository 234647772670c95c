// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/machine.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::cost {
namespace {

constexpr int most_cores = 1 << 24;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    std::size_t const end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

[[noreturn]] void refuse(std::string const& expected, std::string_view found) {
  throw Error(ErrorCode::argument, "expected " + expected + ", got '" + std::string(found) + "'");
}

std::optional<int> positive(std::string_view text) {
  int number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool const is_number = error == std::errc() && end == text.data() + text.size() && number >= 1;
  return is_number ? std::optional(number) : std::nullopt;
}

std::vector<int> parse_counts(std::string_view word, std::string_view list) {
  std::vector<int> counts;
  for (std::string_view const part : split(list, ',')) {
    std::optional<int> const count = positive(part);
    if (!count || *count > most_cores) {
      refuse("positive numbers after the colon as in core:8 or core:8,8,4", word);
    }
    counts.push_back(*count);
  }
  return counts;
}

/// Words between spaces.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words = split(text, ' ');
  std::erase_if(words, [](std::string_view word) { return word.empty(); });
  return words;
}

/// How many objects each object of the level above has.
std::vector<int> children_of(std::string_view word, std::size_t num_parents) {
  std::size_t const colon = word.find(':');
  if (colon == std::string_view::npos || colon == 0) {
    refuse("a level and a number as in node:2", word);
  }
  std::vector<int> counts = parse_counts(word, word.substr(colon + 1));
  if (counts.size() == 1) {
    counts.assign(num_parents, counts.front());
  }
  if (counts.size() != num_parents) {
    refuse(
        "one number, or one for each of the " + std::to_string(num_parents) + " objects above", word
    );
  }
  if (std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) > most_cores) {
    refuse("at most " + std::to_string(most_cores) + " cores", word);
  }
  return counts;
}

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

Machine Machine::parse(std::string_view text) {
  std::vector<std::string_view> const words = words_of(text);
  if (words.empty()) {
    refuse("a machine as in 'node:2 core:4'", text);
  }
  Machine machine;
  std::size_t num_objects = 1;
  for (std::string_view const word : words) {
    std::vector<int> const parents = parents_of(children_of(word, num_objects));
    std::string const name(word.substr(0, word.find(':')));
    if (std::ranges::find(machine.levels_, name, &Level::name) != machine.levels_.end()) {
      refuse("each level once", text);
    }
    for (Level& above : machine.levels_) {
      above.of_core = inherited(above.of_core, parents);
    }
    num_objects = parents.size();
    std::vector<int> numbers(num_objects);
    std::iota(numbers.begin(), numbers.end(), 0);
    machine.levels_.push_back({.name = name, .of_core = std::move(numbers)});
  }
  return machine;
}

int Machine::num_objects(int level) const {
  return at(level).of_core.back() + 1;
}

int Machine::node_level() const {
  auto const found = std::ranges::find(levels_, "node", &Level::name);
  return found == levels_.end() ? 0 : static_cast<int>(found - levels_.begin());
}

namespace {

/// Ranks per node and turn; nullopt: fill the cores in order.
std::optional<int> parse_placement(std::string_view text) {
  if (text == "block") {
    return std::nullopt;
  }
  constexpr std::string_view cyclic = "cyclic";
  if (text == cyclic) {
    return 1;
  }
  std::optional<int> dealt;
  if (text.starts_with("cyclic:")) {
    dealt = positive(text.substr(cyclic.size() + 1));
  }
  if (!dealt) {
    refuse("a placement (block, cyclic, or cyclic:n with n >= 1)", text);
  }
  return dealt;
}

/// All cores in the order in which nodes are dealt them.
std::vector<int> deal(Machine const& machine, int at_a_time) {
  int const level = machine.node_level();
  std::vector<std::vector<int>> cores(static_cast<std::size_t>(machine.num_objects(level)));
  for (int core = 0; core < machine.num_cores(); ++core) {
    cores[static_cast<std::size_t>(machine.object_of(level, core))].push_back(core);
  }
  std::vector<int> order;
  auto const turn_size = static_cast<std::size_t>(at_a_time);
  for (std::size_t begin = 0; order.size() < static_cast<std::size_t>(machine.num_cores());
       begin += turn_size) {
    for (std::vector<int> const& node : cores) {
      for (std::size_t i = begin; i < std::min(begin + turn_size, node.size()); ++i) {
        order.push_back(node[i]);
      }
    }
  }
  return order;
}

}  // namespace

std::vector<int> place(Machine const& machine, std::string_view placement, int num_ranks) {
  std::optional<int> const dealt = parse_placement(placement);
  if (num_ranks > machine.num_cores()) {
    throw Error(
        ErrorCode::argument,
        "expected a machine with a core for each of " + std::to_string(num_ranks) +
            " ranks, got one with " + std::to_string(machine.num_cores())
    );
  }
  std::vector<int> cores = deal(machine, dealt.value_or(machine.num_cores()));
  cores.resize(static_cast<std::size_t>(num_ranks));
  return cores;
}

}  // namespace espalier::cost
