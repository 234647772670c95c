// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/host_list.hpp"

#include <cstddef>
#include <optional>

#include "espalier/base/error.hpp"
#include "espalier/machine/tree/numbers.hpp"

namespace espalier::machine {
namespace {

constexpr std::size_t most_names = std::size_t{1} << 20;

[[noreturn]] void refuse(std::string_view expected, std::string_view found) {
  throw Error(
      ErrorCode::format, "expected " + std::string(expected) + ", got '" + std::string(found) + "'"
  );
}

/// Parts between commas that stand in no bracket.
std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i == list.size() || (list[i] == ',' && depth == 0)) {
      parts.push_back(list.substr(begin, i - begin));
      begin = i + 1;
    } else {
      depth += list[i] == '[' ? 1 : (list[i] == ']' ? -1 : 0);
    }
    if (depth < 0 || depth > 1) {
      break;
    }
  }
  if (depth != 0) {
    refuse("a host list with brackets that match as in n[1-4]", list);
  }
  return parts;
}

std::string padded(int number, std::size_t width) {
  std::string digits = std::to_string(number);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

/// The numbers of a bracket as text: `001-003,020`.
std::vector<std::string> numbers_of(std::string_view bracket) {
  std::vector<std::string> numbers;
  for (std::string_view const range : parts_of(bracket)) {
    std::size_t const dash = range.find('-');
    std::string_view const low = range.substr(0, dash);
    auto const first = natural(low);
    auto const last = dash == std::string_view::npos ? first : natural(range.substr(dash + 1));
    if (!first || !last || *last < *first) {
      refuse("rising ranges of numbers in the brackets of a host list", range);
    }
    if (static_cast<std::size_t>(*last - *first) >= most_names) {
      refuse("at most 2^20 names in a host list", range);
    }
    for (int number = *first; number <= *last; ++number) {
      numbers.push_back(padded(number, low.size()));
    }
  }
  return numbers;
}

std::vector<std::string>
appended(std::vector<std::string> const& names, std::vector<std::string> const& ends) {
  if (names.size() * ends.size() > most_names) {
    refuse("at most 2^20 names in a host list", names.front() + "...");
  }
  std::vector<std::string> result;
  for (std::string const& name : names) {
    for (std::string const& end : ends) {
      result.push_back(name + end);
    }
  }
  return result;
}

std::vector<std::string> expand(std::string_view part) {
  std::vector<std::string> names{""};
  while (!part.empty()) {
    std::size_t const open = part.find('[');
    names = appended(names, {std::string(part.substr(0, open))});
    if (open == std::string_view::npos) {
      break;
    }
    std::size_t const close = part.find(']', open);
    names = appended(names, numbers_of(part.substr(open + 1, close - open - 1)));
    part.remove_prefix(close + 1);
  }
  return names;
}

}  // namespace

std::vector<std::string> expand_hosts(std::string_view list) {
  if (list.empty() || list == "(null)") {
    return {};
  }
  std::vector<std::string> hosts;
  for (std::string_view const part : parts_of(list)) {
    if (part.empty()) {
      refuse("a name between the commas of a host list", list);
    }
    std::vector<std::string> const names = expand(part);
    hosts.insert(hosts.end(), names.begin(), names.end());
    if (hosts.size() > most_names) {
      refuse("at most 2^20 names in a host list", list);
    }
  }
  return hosts;
}

std::vector<int> expand_counts(std::string_view list) {
  std::vector<int> counts;
  for (std::string_view const part : parts_of(list)) {
    std::size_t const open = part.find("(x");
    auto const value = natural(part.substr(0, open));
    std::optional<int> times = 1;
    if (open != std::string_view::npos) {
      bool const is_closed = part.ends_with(')');
      times = is_closed ? natural(part.substr(open + 2, part.size() - open - 3)) : std::nullopt;
    }
    if (!value || !times || static_cast<std::size_t>(*times) > most_names) {
      refuse("numbers with repetitions as in 4(x3),2", list);
    }
    counts.insert(counts.end(), static_cast<std::size_t>(*times), *value);
  }
  return counts;
}

}  // namespace espalier::machine
