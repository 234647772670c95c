// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/choices/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "espalier/base/error.hpp"

namespace espalier::algorithms {
namespace {

[[noreturn]] void reject(std::string_view text, std::string const& why) {
  throw Error(
      ErrorCode::argument,
      "expected arguments like [k=4,segments=8], got '" + std::string(text) + "': " + why
  );
}

/// End of the value that begins at `begin`: the next comma outside brackets, or the end.
std::size_t end_of_value(std::string_view text, std::size_t begin, std::string_view whole) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '[') {
      ++depth;
    } else if (text[i] == ']' && --depth < 0) {
      reject(whole, "unbalanced brackets");
    } else if (text[i] == ',' && depth == 0) {
      return i;
    }
  }
  if (depth != 0) {
    reject(whole, "unbalanced brackets");
  }
  return text.size();
}

int parse_integer(std::string_view key, std::string_view text) {
  int value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw Error(
        ErrorCode::argument,
        std::string(key) + " must be an integer below 2^31, got '" + std::string(text) + "'"
    );
  }
  return value;
}

std::pair<std::string_view, std::string_view>
split_item(std::string_view item, std::string_view whole) {
  std::size_t const equals = item.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == item.size()) {
    reject(whole, "'" + std::string(item) + "' is not key=value");
  }
  return {item.substr(0, equals), item.substr(equals + 1)};
}

}  // namespace

Arguments Arguments::parse(std::string_view text) {
  Arguments result;
  if (text.empty()) {
    return result;
  }
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
    reject(text, "no closing bracket, or text after it");
  }
  std::string_view const inside = text.substr(1, text.size() - 2);
  // One item more than there are commas: `[]` and `[k=4,]` have an empty one.
  for (std::size_t begin = 0; begin <= inside.size();) {
    std::size_t const end = end_of_value(inside, begin, text);
    auto const [key, value] = split_item(inside.substr(begin, end - begin), text);
    if (result.has(key)) {
      reject(text, "'" + std::string(key) + "' is given twice");
    }
    result.set(key, std::string(value));
    begin = end + 1;
  }
  return result;
}

bool Arguments::has(std::string_view key) const noexcept {
  return std::ranges::any_of(entries_, [&](auto const& entry) { return entry.first == key; });
}

std::string_view Arguments::text(std::string_view key, std::string_view fallback) const {
  for (auto const& [name, value] : entries_) {
    if (name == key) {
      return value;
    }
  }
  return fallback;
}

int Arguments::integer(std::string_view key, int fallback) const {
  std::string_view const value = text(key, {});
  return value.empty() ? fallback : parse_integer(key, value);
}

std::vector<int> Arguments::integers(std::string_view key) const {
  std::vector<int> result;
  std::string_view const list = text(key, {});
  // One integer more than there are x: `4x` has an empty one, which is an error.
  for (std::size_t begin = 0; !list.empty() && begin <= list.size();) {
    std::size_t const end = std::min(list.find('x', begin), list.size());
    result.push_back(parse_integer(key, list.substr(begin, end - begin)));
    begin = end + 1;
  }
  return result;
}

void Arguments::set(std::string_view key, std::string value) {
  for (auto& entry : entries_) {
    if (entry.first == key) {
      entry.second = std::move(value);
      return;
    }
  }
  entries_.emplace_back(key, std::move(value));
}

Arguments Arguments::without(std::string_view key) const {
  Arguments result = *this;
  std::erase_if(result.entries_, [&](auto const& entry) { return entry.first == key; });
  return result;
}

std::string Arguments::to_text() const {
  if (entries_.empty()) {
    return {};
  }
  std::string result;
  for (auto const& [key, value] : entries_) {
    result.append(result.empty() ? "[" : ",").append(key).append("=").append(value);
  }
  return result + "]";
}

}  // namespace espalier::algorithms
