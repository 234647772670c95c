// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/conf_lines.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <sstream>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::machine {
namespace {

ConfLine line_of(int number, std::string const& text, std::string_view origin) {
  std::istringstream words(text);
  ConfLine line{number, {}};
  for (std::string word; words >> word;) {
    std::size_t const equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      fail_at(origin, number, "expected key=value as in SwitchName=s1, got '" + word + "'");
    }
    if (!line.values.emplace(lower(word.substr(0, equals)), word.substr(equals + 1)).second) {
      fail_at(origin, number, "expected each key once, got '" + word + "'");
    }
  }
  return line;
}

}  // namespace

void fail_at(std::string_view origin, int line, std::string const& text) {
  throw Error(ErrorCode::format, std::string(origin) + ":" + std::to_string(line) + ": " + text);
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return text;
}

std::vector<ConfLine> conf_lines(std::string_view text, std::string_view origin) {
  std::vector<ConfLine> lines;
  std::istringstream stream{std::string(text) + "\n\n"};
  int number = 0;
  std::string whole;
  for (std::string part; std::getline(stream, part);) {
    ++number;
    part.resize(std::min(part.find('#'), part.size()));
    part.resize(part.find_last_not_of(" \t\r") + 1);
    bool const goes_on = part.ends_with('\\');
    whole += goes_on ? part.substr(0, part.size() - 1) : part;
    if (!goes_on) {
      ConfLine line = line_of(number, std::exchange(whole, ""), origin);
      if (!line.values.empty()) {
        lines.push_back(std::move(line));
      }
    }
  }
  return lines;
}

}  // namespace espalier::machine
