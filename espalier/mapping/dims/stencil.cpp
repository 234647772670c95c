// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/dims/stencil.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/machine/text/decimal.hpp"

namespace espalier::mapping {
namespace {

using Neighbor = Stencil::Neighbor;

/// More offsets than a full stencil of any grid in use has.
constexpr std::int64_t most_neighbors = 100'000;

std::string offset_text(std::vector<int> const& offset) {
  return "(" + joined(offset, ",") + ")";
}

void check_neighbor(int num_dimensions, Neighbor const& neighbor) {
  if (neighbor.offset.size() != static_cast<std::size_t>(num_dimensions)) {
    throw Error(
        ErrorCode::argument,
        "expected offsets of " + std::to_string(num_dimensions) + " dimensions, got " +
            offset_text(neighbor.offset)
    );
  }
  if (std::ranges::all_of(neighbor.offset, [](int entry) { return entry == 0; })) {
    throw Error(
        ErrorCode::argument,
        "expected offsets to other processes, got " + offset_text(neighbor.offset) +
            "; leave it out"
    );
  }
  if (!std::isfinite(neighbor.weight) || neighbor.weight <= 0) {
    throw Error(
        ErrorCode::argument,
        "expected a weight above 0 of offset " + offset_text(neighbor.offset) + ", got " +
            std::to_string(neighbor.weight) + "; leave out what is not sent"
    );
  }
}

void check_dimensions(int num_dimensions) {
  if (num_dimensions < 1) {
    throw Error(
        ErrorCode::argument,
        "expected a stencil of at least one dimension, got " + std::to_string(num_dimensions)
    );
  }
}

/// A name and the number of dimensions it is for; 0: any.
struct Name {
  std::string_view text;
  int num_dimensions;
  bool is_full;
};

/// Shorter ones first.
constexpr std::array names{
    Name{.text = "5pt", .num_dimensions = 2, .is_full = false},
    Name{.text = "7pt", .num_dimensions = 3, .is_full = false},
    Name{.text = "9pt", .num_dimensions = 2, .is_full = true},
    Name{.text = "27pt", .num_dimensions = 3, .is_full = true},
    Name{.text = "nearest", .num_dimensions = 0, .is_full = false},
    Name{.text = "full", .num_dimensions = 0, .is_full = true},
};

bool serves(Name const& name, int num_dimensions) {
  return name.num_dimensions == 0 || name.num_dimensions == num_dimensions;
}

Stencil named(Name const& name, int num_dimensions) {
  return name.is_full ? Stencil::full(num_dimensions) : Stencil::nearest(num_dimensions);
}

[[noreturn]] void refuse_text(std::string_view word, int num_dimensions) {
  std::string known;
  for (Name const& name : names) {
    known += serves(name, num_dimensions) ? std::string(name.text) + ", " : "";
  }
  throw Error(
      ErrorCode::argument,
      "expected " + known + "or offsets of " + std::to_string(num_dimensions) +
          " dimensions with or without weights as in (1,0):2.5, got '" + std::string(word) + "'"
  );
}

std::optional<int> parse_integer(std::string_view text) {
  int number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool const is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

/// "1,0" without its brackets.
std::optional<std::vector<int>> parse_offset(std::string_view text) {
  std::vector<int> offset;
  while (true) {
    std::size_t const comma = std::min(text.find(','), text.size());
    std::optional<int> const entry = parse_integer(text.substr(0, comma));
    if (!entry) {
      return std::nullopt;
    }
    offset.push_back(*entry);
    if (comma == text.size()) {
      return offset;
    }
    text.remove_prefix(comma + 1);
  }
}

/// "(1,0)" or "(1,0):2.5".
std::optional<Neighbor> parse_neighbor(std::string_view word) {
  std::size_t const close = word.find(')');
  if (word.front() != '(' || close == std::string_view::npos) {
    return std::nullopt;
  }
  std::optional<std::vector<int>> offset = parse_offset(word.substr(1, close - 1));
  std::string_view const rest = word.substr(close + 1);
  if (!offset || (!rest.empty() && rest.front() != ':')) {
    return std::nullopt;
  }
  std::optional<double> const weight =
      rest.empty() ? std::optional(1.0) : machine::parse_number(rest.substr(1));
  return weight ? std::optional(Neighbor{.offset = std::move(*offset), .weight = *weight})
                : std::nullopt;
}

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  std::vector<std::string_view> words;
  for (std::size_t begin = text.find_first_not_of(blanks); begin != std::string_view::npos;) {
    std::size_t const end = std::min(text.find_first_of(blanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(blanks, end);
  }
  return words;
}

}  // namespace

Stencil::Stencil(int num_dimensions, std::vector<Neighbor> neighbors)
    : num_dimensions_(num_dimensions), neighbors_(std::move(neighbors)) {
  check_dimensions(num_dimensions);
  std::set<std::vector<int>> offsets;
  for (Neighbor const& neighbor : neighbors_) {
    check_neighbor(num_dimensions, neighbor);
    if (!offsets.insert(neighbor.offset).second) {
      throw Error(
          ErrorCode::argument,
          "expected every offset once, got " + offset_text(neighbor.offset) +
              " twice; add their weights up"
      );
    }
  }
}

Stencil Stencil::nearest(int num_dimensions, std::span<double const> weights) {
  check_dimensions(num_dimensions);
  auto const width = static_cast<std::size_t>(num_dimensions);
  if (!weights.empty() && weights.size() != width) {
    throw Error(
        ErrorCode::argument,
        "expected a weight for each of " + std::to_string(num_dimensions) + " dimensions, got " +
            std::to_string(weights.size())
    );
  }
  std::vector<Neighbor> neighbors;
  for (std::size_t dimension = 0; dimension < width; ++dimension) {
    for (int const step : {-1, 1}) {
      std::vector<int> offset(width);
      offset[dimension] = step;
      double const weight = weights.empty() ? 1 : weights[dimension];
      neighbors.push_back({.offset = std::move(offset), .weight = weight});
    }
  }
  return Stencil(num_dimensions, std::move(neighbors));
}

Stencil Stencil::full(int num_dimensions) {
  check_dimensions(num_dimensions);
  std::int64_t count = 1;
  for (int dimension = 0; dimension < num_dimensions && count < most_neighbors; ++dimension) {
    count *= 3;
  }
  if (count >= most_neighbors) {
    throw Error(
        ErrorCode::argument,
        "expected a full stencil of at most 10 dimensions, got " + std::to_string(num_dimensions)
    );
  }
  std::vector<Neighbor> neighbors;
  for (std::int64_t number = 0; number < count; ++number) {
    if (number == count / 2) {
      continue;  // the process itself
    }
    std::vector<int> offset(static_cast<std::size_t>(num_dimensions));
    std::int64_t digits = number;
    for (auto entry = offset.rbegin(); entry != offset.rend(); ++entry) {
      *entry = static_cast<int>(digits % 3) - 1;
      digits /= 3;
    }
    neighbors.push_back({.offset = std::move(offset)});
  }
  return Stencil(num_dimensions, std::move(neighbors));
}

Stencil Stencil::parse(std::string_view text, int num_dimensions) {
  check_dimensions(num_dimensions);
  std::vector<std::string_view> const words = words_of(text);
  for (Name const& name : names) {
    if (words.size() == 1 && words.front() == name.text && serves(name, num_dimensions)) {
      return named(name, num_dimensions);
    }
  }
  if (words.empty()) {
    refuse_text(text, num_dimensions);
  }
  std::vector<Neighbor> neighbors;
  for (std::string_view const word : words) {
    std::optional<Neighbor> neighbor = parse_neighbor(word);
    if (!neighbor) {
      refuse_text(word, num_dimensions);
    }
    neighbors.push_back(std::move(*neighbor));
  }
  return Stencil(num_dimensions, std::move(neighbors));
}

std::string Stencil::to_text() const {
  for (Name const& name : names) {
    bool const can_be = !name.is_full || num_dimensions_ <= 10;
    if (serves(name, num_dimensions_) && can_be && *this == named(name, num_dimensions_)) {
      return std::string(name.text);
    }
  }
  std::string text;
  for (Neighbor const& neighbor : neighbors_) {
    text += (text.empty() ? "" : " ") + offset_text(neighbor.offset);
    text += neighbor.weight == 1 ? "" : ":" + machine::digits_of(neighbor.weight);
  }
  return text;
}

}  // namespace espalier::mapping
