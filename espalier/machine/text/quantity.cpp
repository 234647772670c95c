// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/text/quantity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "espalier/machine/text/decimal.hpp"

namespace espalier::machine {
namespace {

/// A unit is 10^exponent or a power of two of what counts.
struct Unit {
  std::string_view name;
  int exponent = 0;
  double factor = 1;
};

constexpr std::array time_units{
    Unit{"s"}, Unit{"ms", -3}, Unit{"us", -6}, Unit{"ns", -9}, Unit{"ps", -12}
};
constexpr std::array rate_units{
    Unit{"TB/s", 12},
    Unit{"GB/s", 9},
    Unit{"MB/s", 6},
    Unit{"kB/s", 3},
    Unit{"B/s"},
    Unit{"GiB/s", 0, 0x1p30},
    Unit{"MiB/s", 0, 0x1p20},
    Unit{"KiB/s", 0, 0x1p10},
    Unit{"Tbit/s", 12, 0.125},
    Unit{"Gbit/s", 9, 0.125},
    Unit{"Mbit/s", 6, 0.125}
};
constexpr std::array size_units{
    Unit{"GiB", 0, 0x1p30},
    Unit{"MiB", 0, 0x1p20},
    Unit{"KiB", 0, 0x1p10},
    Unit{"GB", 9},
    Unit{"MB", 6},
    Unit{"kB", 3},
    Unit{"B"},
    Unit{""}
};

template <typename Units>
std::optional<double> parse_quantity(std::string_view text, Units const& units) {
  std::size_t const last_digit = text.find_last_of("0123456789.");
  std::size_t const end = last_digit == std::string_view::npos ? 0 : last_digit + 1;
  auto const unit = std::ranges::find(units, text.substr(end), &Unit::name);
  std::optional<double> const number = parse_number(text.substr(0, end));
  if (unit == std::end(units) || !number) {
    return std::nullopt;
  }
  return scaled(*number, unit->exponent) * unit->factor;
}

/// With the first unit in which the number is at least 1.
template <typename Units>
std::string quantity_text(double value, Units const& units, std::size_t num_units) {
  std::size_t i = 0;
  while (i + 1 < num_units && scaled(value, -units[i].exponent) < 1) {
    ++i;
  }
  return digits_of(scaled(value, -units[i].exponent)) + std::string(units[i].name);
}

}  // namespace

std::optional<double> parse_seconds(std::string_view text) {
  return parse_quantity(text, time_units);
}

std::optional<double> parse_bytes_per_second(std::string_view text) {
  return parse_quantity(text, rate_units);
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  constexpr double most = 0x1p53;
  std::optional<double> const size = parse_quantity(text, size_units);
  if (!size || *size != std::floor(*size) || *size >= most) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*size);
}

std::string seconds_text(double seconds) {
  return quantity_text(seconds, time_units, time_units.size());
}

std::string bytes_per_second_text(double rate) {
  constexpr std::size_t num_decimal = 5;
  return quantity_text(rate, rate_units, num_decimal);
}

std::string bytes_text(std::int64_t size) {
  bool const is_binary = size > 0 && size % 1024 == 0;
  return is_binary ? std::to_string(size / 1024) + "KiB" : std::to_string(size) + "B";
}

}  // namespace espalier::machine
