// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>

#include "espalier/mapping/index.hpp"
#include "espalier/mapping/search/portfolio.hpp"

namespace espalier::mapping {
namespace {

/// Whole numbers in full, others with six digits.
std::string text_of(double number) {
  std::array<char, 32> buffer{};
  bool const is_whole = std::round(number) == number && std::abs(number) < 1e15;
  std::snprintf(buffer.data(), buffer.size(), is_whole ? "%.0f" : "%.6g", number);
  return buffer.data();
}

/// The outermost level with several groups whose cut a mapping changes; without any, the outermost
/// with several groups; -1 if there is none.
int level_to_tell(Mapping const& mapping, Places const& places) {
  int first = -1;
  for (int level = places.num_levels() - 1; level >= 0; --level) {
    first = places.sizes(level).size() > 1 ? level : first;
  }
  for (int level = 0; level < places.num_levels(); ++level) {
    if (mapping.before.cuts[at(level)] != mapping.after.cuts[at(level)]) {
      return level;
    }
  }
  return first;
}

std::string unchanged(Mapping const& mapping, Places const& places, int level) {
  if (level < 0) {
    return "nothing changes: all ranks are in one " + places.groups(places.num_levels() - 1).name;
  }
  std::string const name = places.groups(level).name;
  Cut const& cut = mapping.before.cuts[at(level)];
  std::string const what = mapping.are_counts ? "neighbours" : "weight";
  if (mapping.before.objective <= 0) {
    return "nothing changes: no neighbours in different groups";
  }
  return "nothing changes: found nothing better than inter-" + name + " " + what + " " +
         text_of(cut.total) + ", worst " + name + " " + text_of(cut.worst);
}

}  // namespace

std::string one_line(Mapping const& mapping, Places const& places) {
  int const level = level_to_tell(mapping, places);
  if (mapping.is_identity() || level < 0) {
    return unchanged(mapping, places, level);
  }
  std::string const name = places.groups(level).name;
  Cut const& before = mapping.before.cuts[at(level)];
  Cut const& after = mapping.after.cuts[at(level)];
  return "inter-" + name + (mapping.are_counts ? " neighbours " : " weight ") +
         text_of(before.total) + " -> " + text_of(after.total) + ", worst " + name + " " +
         text_of(before.worst) + " -> " + text_of(after.worst);
}

}  // namespace espalier::mapping
