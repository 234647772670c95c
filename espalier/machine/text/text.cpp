// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/text/text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "espalier/machine/text/decimal.hpp"
#include "espalier/machine/text/link_text.hpp"
#include "espalier/machine/text/text_words.hpp"
#include "espalier/machine/tree/counts.hpp"
#include "espalier/machine/tree/level_names.hpp"
#include "espalier/machine/tree/refuse.hpp"

namespace espalier::machine {
namespace {

/// A level of one part of the text, and the word it comes from.
struct PartLevel {
  Counts counts;
  Word word;
};

struct Part {
  std::vector<PartLevel> levels;
  Torus torus;
  Speed speed{};
};

using Words = std::span<Word const>;

/// The numbers of `core:8,8,4` behind the colon, or of a word of the short form.
std::vector<int> parse_counts(Word const& word, std::string_view list) {
  std::vector<int> counts;
  bool is_last = false;
  while (!is_last) {
    std::size_t const comma = list.find(',');
    is_last = comma == std::string_view::npos;
    std::optional<int> const count = parse_count(list.substr(0, comma));
    if (!count) {
      refuse("positive numbers as in 8c, core:8 or core:8,8,4", word.text);
    }
    counts.push_back(*count);
    list.remove_prefix(is_last ? list.size() : comma + 1);
  }
  return counts;
}

bool is_number(Word const& word) {
  return word.text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool begins_with_digit(Word const& word) {
  return word.text.front() >= '0' && word.text.front() <= '9';
}

/// `8n`
PartLevel parse_short(Word const& word) {
  std::size_t const end = word.text.find_first_not_of("0123456789");
  if (end == std::string_view::npos) {
    refuse("a letter after the number (" + letters_text() + ")", word.text);
  }
  std::string_view const letters = word.text.substr(end);
  std::string_view const name = letters.size() == 1 ? name_of(letters.front()) : "";
  if (name.empty()) {
    refuse("one letter of " + letters_text() + " after the number", word.text);
  }
  return {
      .counts =
          {.name = std::string(name), .of_parent = parse_counts(word, word.text.substr(0, end))},
      .word = word
  };
}

/// `node:8` or `core:8,4`
PartLevel parse_long(Word const& word) {
  std::size_t const colon = word.text.find(':');
  if (colon == std::string_view::npos || !is_name(word.text.substr(0, colon))) {
    refuse("a level and a number as in node:2 or 2n", word.text);
  }
  return {
      .counts =
          {.name = std::string(word.text.substr(0, colon)),
           .of_parent = parse_counts(word, word.text.substr(colon + 1))},
      .word = word
  };
}

PartLevel parse_level(Word const& word) {
  return begins_with_digit(word) ? parse_short(word) : parse_long(word);
}

/// How many words behind a shape are its extents.
std::size_t num_extents(Words words) {
  auto const end = std::ranges::find_if_not(words.subspan(1), is_number);
  return static_cast<std::size_t>(end - words.begin()) - 1;
}

PartLevel extent_level(std::string name, Word const& word) {
  return {
      .counts = {.name = std::move(name), .of_parent = parse_counts(word, word.text)}, .word = word
  };
}

/// `torus 4x4x4`: as many nodes as the product of the extents.
void add_torus(Words extents, Part& part) {
  std::int64_t num_nodes = 1;
  for (Word const& word : extents) {
    int const extent = parse_counts(word, word.text).front();
    part.torus.extents.push_back(extent);
    num_nodes = std::min(num_nodes * extent, most_cores + 1);
    if (word.has_brackets && &word != &extents.back()) {
      refuse("brackets behind the last extent of a torus", word.text);
    }
  }
  if (extents.empty() || num_nodes > most_cores) {
    refuse("extents of a torus as in 'torus 4x4x4 x 8c', with at most 2^24 nodes", "torus");
  }
  part.levels.push_back(
      {.counts = {.name = "node", .of_parent = {static_cast<int>(num_nodes)}},
       .word = extents.back()}
  );
}

/// `fattree 4x4x8`: switches of switches of nodes.
void add_fat_tree(Words extents, Part& part) {
  if (extents.size() < 2) {
    refuse("switches and nodes as in 'fattree 4x8 x 12c'", "fattree");
  }
  auto const num_switch_levels = static_cast<int>(extents.size()) - 1;
  for (int i = 0; i < num_switch_levels; ++i) {
    part.levels.push_back(
        extent_level(switch_name(i + 1, num_switch_levels), extents[static_cast<std::size_t>(i)])
    );
  }
  part.levels.push_back(extent_level("node", extents.back()));
}

/// `dragonfly 4x4x2`: groups of switches of nodes.
void add_dragonfly(Words extents, Part& part) {
  if (extents.size() != 3) {
    refuse("groups, switches and nodes as in 'dragonfly 4x4x2 x 8c'", "dragonfly");
  }
  part.levels.push_back(extent_level("group", extents[0]));
  part.levels.push_back(extent_level("switch", extents[1]));
  part.levels.push_back(extent_level("node", extents[2]));
}

/// Adds the levels of a shape, if there is one, and returns the words behind it.
Words add_shape(Words words, Part& part) {
  using Adder = void (*)(Words, Part&);
  Adder add = nullptr;
  std::string_view const first = words.front().text;
  if (first == "torus") {
    add = add_torus;
  } else if (first == "fattree") {
    add = add_fat_tree;
  } else if (first == "dragonfly") {
    add = add_dragonfly;
  } else {
    return words;
  }
  if (words.front().has_brackets) {
    refuse("brackets behind the numbers of a network", first);
  }
  std::size_t const num = num_extents(words);
  add(words.subspan(1, num), part);
  return words.subspan(1 + num);
}

void parse_links(Part& part) {
  for (PartLevel& level : part.levels) {
    bool const has_torus = part.torus.exists() && level.counts.name == "node";
    bool const is_last = &level == &part.levels.back();
    Bracketed const into{
        .link = &level.counts.link,
        .torus = has_torus ? &part.torus : nullptr,
        .speed = is_last ? &part.speed : nullptr,
    };
    set_brackets(level.word.brackets, into);
  }
}

Part parse_part(Words words) {
  Part part;
  for (Word const& word : add_shape(words, part)) {
    part.levels.push_back(parse_level(word));
  }
  std::int64_t num_objects = 1;
  for (PartLevel& level : part.levels) {
    num_objects = expand(level.counts, num_objects, level.word.text);
  }
  parse_links(part);
  return part;
}

void merge_link(PartLevel& level, PartLevel const& other) {
  if (other.counts.link == Link{}) {
    return;
  }
  if (level.counts.link != Link{} && level.counts.link != other.counts.link) {
    refuse("the same link of level " + level.counts.name + " in every part", other.word.brackets);
  }
  level.counts.link = other.counts.link;
}

void merge_speed(Part& whole, Part const& part) {
  if (part.speed == Speed{}) {
    return;
  }
  if (whole.speed != Speed{} && whole.speed != part.speed) {
    refuse("cores of the same speed in every part", part.levels.back().word.brackets);
  }
  whole.speed = part.speed;
}

/// Puts another part beside what is there.
void merge(Part& whole, Part const& part) {
  auto const name = [](PartLevel const& level) { return std::string_view(level.counts.name); };
  if (!std::ranges::equal(whole.levels, part.levels, {}, name, name)) {
    refuse("the levels of the first part in every part", part.levels.front().word.text);
  }
  if (whole.torus.exists() || part.torus.exists()) {
    refuse("one part in a machine with a torus", part.levels.front().word.text);
  }
  merge_speed(whole, part);
  for (std::size_t i = 0; i < whole.levels.size(); ++i) {
    std::vector<int>& counts = whole.levels[i].counts.of_parent;
    std::vector<int> const& more = part.levels[i].counts.of_parent;
    if (i == 0) {
      counts.front() += more.front();
    } else {
      counts.insert(counts.end(), more.begin(), more.end());
    }
    merge_link(whole.levels[i], part.levels[i]);
  }
}

}  // namespace

Machine parse_text(std::string_view text) {
  Part whole;
  for (std::vector<Word> const& words : words_of(text)) {
    Part part = parse_part(words);
    if (whole.levels.empty()) {
      whole = std::move(part);
    } else {
      merge(whole, part);
    }
  }
  std::vector<Counts> counts;
  for (PartLevel& level : whole.levels) {
    counts.push_back(std::move(level.counts));
  }
  Machine machine = build(std::move(counts), std::move(whole.torus));
  machine.set_speed(whole.speed);
  return machine;
}

}  // namespace espalier::machine
