// SPDX-License-Identifier: Apache-2.0

#include "espalier/watch/duration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace espalier::watch {
namespace {

constexpr Time millisecond = 1'000'000;
constexpr Time second = 1000 * millisecond;
constexpr Time minute = 60 * second;
constexpr Time year = 366 * 24 * 60 * minute;

struct Unit {
  std::string_view name;
  Time nanoseconds;
};

constexpr std::array<Unit, 4> units{{
    {.name = "", .nanoseconds = second},
    {.name = "ms", .nanoseconds = millisecond},
    {.name = "s", .nanoseconds = second},
    {.name = "min", .nanoseconds = minute},
}};

std::string count(Time number, char const* unit) {
  return std::to_string(number) + " " + unit;
}

}  // namespace

std::optional<Time> parse_duration(std::string_view text) {
  Time number = 0;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || number <= 0) {
    return std::nullopt;
  }
  std::string_view const rest = text.substr(static_cast<std::size_t>(end - text.data()));
  auto const* const unit = std::ranges::find(units, rest, &Unit::name);
  if (unit == units.end() || number > year / unit->nanoseconds) {
    return std::nullopt;
  }
  return number * unit->nanoseconds;
}

std::string duration_text(Time nanoseconds) {
  Time const time = std::max(nanoseconds, Time{0});
  if (time < second) {
    return count(time / millisecond, "ms");
  }
  if (time < 10 * second && time % second >= second / 10) {
    Time const tenths = time / (second / 10);
    return std::to_string(tenths / 10) + "." + count(tenths % 10, "s");
  }
  return time < 10 * minute ? count(time / second, "s") : count(time / minute, "min");
}

}  // namespace espalier::watch
