// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/tree/machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "espalier/machine/text/decimal.hpp"
#include "espalier/machine/text/text.hpp"
#include "espalier/machine/tree/level_names.hpp"
#include "espalier/machine/tree/refuse.hpp"

namespace espalier::machine {
namespace {

/// Whether numbers start at 0 and each is the one before or one more.
bool counts_up(std::vector<int> const& numbers) {
  int last = 0;
  for (int const number : numbers) {
    if (number != last && number != last + 1) {
      return false;
    }
    last = number;
  }
  return !numbers.empty() && numbers.front() == 0;
}

/// Whether whatever lies in one object of `inner` lies in one of `outer`.
bool lies_inside(std::vector<int> const& inner, std::vector<int> const& outer) {
  for (std::size_t core = 1; core < inner.size(); ++core) {
    if (inner[core] == inner[core - 1] && outer[core] != outer[core - 1]) {
      return false;
    }
  }
  return true;
}

void check_name(Level const& level, std::span<Level const> above) {
  if (!is_name(level.name)) {
    refuse("a level called by small letters, digits and _", level.name);
  }
  for (Level const& outer : above) {
    if (level.name == outer.name) {
      refuse("each level once", level.name);
    }
    if (!may_lie_inside(level.name, outer.name)) {
      refuse(
          "levels from the outside in (group, switch, node, package, numa, l3, core, thread), "
          "not " +
              level.name + " inside " + outer.name,
          level.name
      );
    }
  }
}

void check_objects(Level const& level, Level const* above, std::size_t num_cores) {
  if (level.of_core.size() != num_cores || !counts_up(level.of_core)) {
    refuse("for each core the number of its object, from 0 in the order of cores", level.name);
  }
  if (above != nullptr && !lies_inside(level.of_core, above->of_core)) {
    refuse("a level that lies inside " + above->name, level.name);
  }
}

void check_time(std::string const& what, double seconds) {
  if (!(seconds >= 0 && std::isfinite(seconds))) {
    refuse("a finite " + what + " of at least 0", digits_of(seconds));
  }
}

void check_channels(std::string const& what, double number) {
  // Not number <= 0: that lets pass what is not a number.
  if (!(number > 0)) {
    refuse(what + " above 0", digits_of(number));
  }
}

void check_link(Link const& link, std::string const& level) {
  std::string const of_level = " of level " + level;
  check_time("latency" + of_level, link.latency);
  check_time("overhead_send" + of_level, link.overhead_send);
  check_time("overhead_receive" + of_level, link.overhead_receive);
  check_time("gap" + of_level, link.gap);
  check_time("time per byte" + of_level, link.per_byte);
  check_time("rendezvous latency" + of_level, link.rendezvous_latency);
  check_channels("channels" + of_level, link.channels);
  check_channels("shared channels" + of_level, link.shared_channels);
  if (link.eager_bytes < 0) {
    refuse("eager bytes" + of_level + " of at least 0", std::to_string(link.eager_bytes));
  }
}

void check_torus(Torus const& torus, Machine const& machine) {
  std::int64_t num_points = 1;
  for (int const extent : torus.extents) {
    num_points = std::min<std::int64_t>(num_points * extent, std::int64_t{1} << 32);
  }
  if (std::ranges::any_of(torus.extents, [](int extent) { return extent < 1; }) ||
      machine.node_level() != 0 || num_points != machine.num_objects(0)) {
    refuse(
        "a torus of " + std::to_string(machine.num_objects(0)) +
            " nodes, and no level outside them",
        std::to_string(num_points)
    );
  }
  check_time("latency of a hop", torus.hop_latency);
  check_time("time per byte of the links of a torus", torus.link_per_byte);
}

}  // namespace

Machine::Machine(std::vector<Level> levels, Torus torus)
    : levels_(std::move(levels)), torus_(std::move(torus)) {
  if (levels_.empty()) {
    refuse("a machine with at least one level", "none");
  }
  std::size_t const num_cores = levels_.back().of_core.size();
  Level const* above = nullptr;
  for (Level const& level : levels_) {
    check_name(level, std::span(levels_).first(num_objects_.size()));
    check_objects(level, above, num_cores);
    check_link(level.link, level.name);
    num_objects_.push_back(level.of_core.back() + 1);
    above = &level;
  }
  if (num_objects_.back() != this->num_cores()) {
    refuse("a last level with one core in each object", levels_.back().name);
  }
  if (torus_.exists()) {
    check_torus(torus_, *this);
  }
}

Machine Machine::parse(std::string_view text) {
  return parse_text(text);
}

int Machine::node_level() const {
  auto const found = std::ranges::find(levels_, "node", &Level::name);
  return found == levels_.end() ? 0 : static_cast<int>(found - levels_.begin());
}

void Machine::set_link(int level, Link const& link) {
  check_link(link, name(level));
  levels_[static_cast<std::size_t>(level)].link = link;
}

void Machine::set_speed(Speed const& speed) {
  check_time("time per combined byte", speed.per_combined_byte);
  check_time("time per copied byte", speed.per_copied_byte);
  speed_ = speed;
}

int Machine::crossing(int core, int other) const {
  int level = 0;
  while (level < num_levels() && object_of(level, core) == object_of(level, other)) {
    ++level;
  }
  return level;
}

}  // namespace espalier::machine
