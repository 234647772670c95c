// SPDX-License-Identifier: Apache-2.0

/// @file
/// Lines such as `method 4 grid 2 2 2 weights 1 2 0.5`: names, each with the values behind it. What
/// begins with a letter is a name. All members throw Error format, which names file and line.

#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/error.hpp"

namespace espalier::measure {

/// A name and its values.
class InputWords {
public:
  InputWords(std::string where, std::string name)
      : where_(std::move(where)), name_(std::move(name)) {}

  void add(std::string value) { values_.push_back(std::move(value)); }

  [[nodiscard]] std::string const& name() const noexcept { return name_; }

  /// Name and values as they were written.
  [[nodiscard]] std::string text() const;

  /// At least one value.
  [[nodiscard]] std::vector<int> integers(int minimum, int maximum) const;
  [[nodiscard]] std::vector<double> numbers(double minimum, double maximum) const;
  /// Values that are integers with a character between them: `8x1x1`.
  [[nodiscard]] std::vector<std::vector<int>> tuples(char between, int minimum, int maximum) const;

  [[noreturn]] void fail(std::string const& expected, std::string const& got) const;

private:
  [[nodiscard]] std::vector<std::string> const& some_values() const;
  [[nodiscard]] int integer(std::string_view text, int minimum, int maximum) const;

  std::string where_;  ///< file:line
  std::string name_;
  std::vector<std::string> values_;
};

class InputLine {
public:
  InputLine(int number, std::string where) : number_(number), where_(std::move(where)) {}

  void add(std::string word);

  /// Counted from 1.
  [[nodiscard]] int number() const noexcept { return number_; }

  [[nodiscard]] std::string const& first_word() const noexcept { return words_.front().name(); }

  /// Null if the name is not there.
  [[nodiscard]] InputWords const* find(std::string_view name) const noexcept;
  [[nodiscard]] InputWords const& at(std::string_view name) const;
  /// Of a line with one name.
  [[nodiscard]] InputWords const& only() const;
  /// No others, and none twice.
  void check_names(std::initializer_list<std::string_view> names) const;

  [[noreturn]] void fail(std::string const& expected, std::string const& got) const;

private:
  int number_;
  std::string where_;
  std::vector<InputWords> words_;
};

/// Lines that hold anything; `#` begins a comment.
[[nodiscard]] std::vector<InputLine> input_lines(std::string_view text, std::string_view origin);

}  // namespace espalier::measure
