// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/native_algorithms/described_values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace espalier::plan {
namespace {

constexpr std::string_view separator = " - ";

/// Names in MPICH 4.0.
constexpr std::array known_names{
    std::string_view("all"),
    std::string_view("auto"),
    std::string_view("binomial"),
    std::string_view("brucks"),
    std::string_view("dissemination"),
    std::string_view("error"),
    std::string_view("linear"),
    std::string_view("nb"),
    std::string_view("noncommutative"),
    std::string_view("none"),
    std::string_view("pairwise"),
    std::string_view("pairwise_sendrecv_replace"),
    std::string_view("percoll"),
    std::string_view("print"),
    std::string_view("recursive_doubling"),
    std::string_view("recursive_halving"),
    std::string_view("reduce_scatter_allgather"),
    std::string_view("reduce_scatter_gather"),
    std::string_view("ring"),
    std::string_view("scatter_recursive_doubling_allgather"),
    std::string_view("scatter_ring_allgather"),
    std::string_view("scattered"),
    std::string_view("silent"),
    std::string_view("smp"),
};

bool is_part_of_name(char one) noexcept {
  return (one >= 'a' && one <= 'z') || (one >= '0' && one <= '9') || one == '_';
}

/// The longest known name at the end of a word that begins somewhere before it.
std::string_view known_at_end(std::string_view word) noexcept {
  std::string_view longest;
  for (std::string_view const name : known_names) {
    if (!word.ends_with(name) || name.size() <= longest.size()) {
      continue;
    }
    std::string_view const rest = word.substr(0, word.size() - name.size());
    // Of `k_brucks` it is not known whether it is one name.
    if (!rest.ends_with('_')) {
      longest = name;
    }
  }
  return longest;
}

/// The name that ends where the description has a separator.
std::string_view name_before(std::string_view description, std::size_t separator_at) noexcept {
  std::string_view text = description.substr(0, separator_at);
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  std::size_t begin = text.size();
  while (begin > 0 && is_part_of_name(text[begin - 1])) {
    --begin;
  }
  std::string_view const word = text.substr(begin);
  bool const begins_line = begin == 0 || text[begin - 1] == '\n';
  return begins_line ? word : known_at_end(word);
}

}  // namespace

std::vector<std::string> described_values(std::string_view description) {
  std::vector<std::string> names;
  for (std::size_t at = description.find(separator); at != std::string_view::npos;
       at = description.find(separator, at + separator.size())) {
    std::string_view const name = name_before(description, at);
    if (name.empty() || std::ranges::find(names, name) != names.end()) {
      return {};
    }
    names.emplace_back(name);
  }
  return names;
}

}  // namespace espalier::plan
