// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/text/decimal.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace espalier::machine {
namespace {

/// The number all of the text is.
template <typename Number> std::optional<Number> whole(std::string_view text) {
  Number number{};
  char const* const last = text.data() + text.size();
  auto const [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

}  // namespace

double scaled(double value, int exponent) {
  constexpr int digits_after_point = 14;
  std::array<char, 40> buffer{};
  char* const begin = buffer.data();
  auto const written = std::to_chars(
      begin, begin + buffer.size(), value, std::chars_format::scientific, digits_after_point
  );
  std::string_view const text(begin, static_cast<std::size_t>(written.ptr - begin));
  std::size_t const mark = text.find('e');
  std::string_view power = text.substr(mark + 1);
  power.remove_prefix(power.front() == '+' ? 1 : 0);
  int const shifted = whole<int>(power).value_or(0) + exponent;
  return whole<double>(std::string(text.substr(0, mark + 1)) + std::to_string(shifted)).value_or(0);
}

std::string digits_of(double value) {
  std::array<char, 40> buffer{};
  auto const written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), written.ptr};
}

std::optional<double> parse_number(std::string_view text) {
  std::optional<double> const number = whole<double>(text);
  return number && std::isfinite(*number) && !std::signbit(*number) ? number : std::nullopt;
}

std::optional<int> parse_count(std::string_view text) {
  std::optional<int> const number = whole<int>(text);
  return number && *number >= 1 ? number : std::nullopt;
}

}  // namespace espalier::machine
