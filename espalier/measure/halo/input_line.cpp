// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/halo/input_line.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <sstream>

#include "espalier/base/names.hpp"

namespace espalier::measure {
namespace {

bool is_letter(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

template <typename Number> bool read_all(std::string_view text, Number& number) {
  char const* const last = text.data() + text.size();
  auto const [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc{} && end == last;
}

std::string shown(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

}  // namespace

std::string InputWords::text() const {
  std::string text = name_;
  for (std::string const& value : values_) {
    text += " " + value;
  }
  return text;
}

std::vector<std::string> const& InputWords::some_values() const {
  if (values_.empty()) {
    fail("values behind " + name_, "none");
  }
  return values_;
}

int InputWords::integer(std::string_view text, int minimum, int maximum) const {
  int number = 0;
  if (!read_all(text, number) || number < minimum || number > maximum) {
    fail(
        name_ + " to be integers of " + std::to_string(minimum) + " to " + std::to_string(maximum),
        std::string(text)
    );
  }
  return number;
}

std::vector<int> InputWords::integers(int minimum, int maximum) const {
  std::vector<int> found;
  for (std::string const& value : some_values()) {
    found.push_back(integer(value, minimum, maximum));
  }
  return found;
}

std::vector<double> InputWords::numbers(double minimum, double maximum) const {
  std::vector<double> found;
  for (std::string const& value : some_values()) {
    double number = 0;
    bool const is_number = read_all(value, number) && std::isfinite(number);
    if (!is_number || number < minimum || number > maximum) {
      fail(name_ + " to be finite numbers, " + shown(minimum) + " at least", value);
    }
    found.push_back(number);
  }
  return found;
}

std::vector<std::vector<int>> InputWords::tuples(char between, int minimum, int maximum) const {
  std::vector<std::vector<int>> found;
  for (std::string const& value : some_values()) {
    std::vector<int>& tuple = found.emplace_back();
    std::string_view rest = value;
    while (true) {
      std::size_t const end = rest.find(between);
      tuple.push_back(integer(rest.substr(0, end), minimum, maximum));
      if (end == std::string_view::npos) {
        break;
      }
      rest.remove_prefix(end + 1);
    }
  }
  return found;
}

void InputWords::fail(std::string const& expected, std::string const& got) const {
  throw Error(ErrorCode::format, where_ + ": expected " + expected + ", got '" + got + "'");
}

void InputLine::add(std::string word) {
  std::string const where = where_;
  if (words_.empty() || is_letter(word.front())) {
    words_.emplace_back(where, std::move(word));
  } else {
    words_.back().add(std::move(word));
  }
}

InputWords const* InputLine::find(std::string_view name) const noexcept {
  auto const found = std::ranges::find(words_, name, &InputWords::name);
  return found == words_.end() ? nullptr : &*found;
}

InputWords const& InputLine::at(std::string_view name) const {
  InputWords const* const found = find(name);
  if (found == nullptr) {
    fail(std::string(name) + " in this line", "none");
  }
  return *found;
}

InputWords const& InputLine::only() const {
  if (words_.size() != 1) {
    fail("values behind " + first_word(), words_[1].name());
  }
  return words_.front();
}

void InputLine::check_names(std::initializer_list<std::string_view> names) const {
  for (InputWords const& words : words_) {
    if (std::ranges::find(names, words.name()) == names.end()) {
      fail(list_names(names, std::identity{}), words.name());
    }
    if (std::ranges::count(words_, words.name(), &InputWords::name) > 1) {
      fail(words.name() + " once", "it twice");
    }
  }
}

void InputLine::fail(std::string const& expected, std::string const& got) const {
  throw Error(ErrorCode::format, where_ + ": expected " + expected + ", got '" + got + "'");
}

std::vector<InputLine> input_lines(std::string_view text, std::string_view origin) {
  std::vector<InputLine> lines;
  std::istringstream stream{std::string(text)};
  std::string row;
  for (int number = 1; std::getline(stream, row); ++number) {
    std::istringstream words(row.substr(0, row.find('#')));
    InputLine line(number, std::string(origin) + ":" + std::to_string(number));
    bool is_empty = true;
    for (std::string word; words >> word; is_empty = false) {
      line.add(std::move(word));
    }
    if (!is_empty) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace espalier::measure
