// SPDX-License-Identifier: Apache-2.0

/// @file
/// Any machine: its texts and files are read back, crossing() agrees with the objects of cores, and
/// placements are recognised.

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/machine/text/decimal.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/machine/text/text.hpp"
#include "espalier/machine/tree/counts.hpp"
#include "espalier/machine/tree/placement.hpp"

namespace espalier::machine {
namespace {

/// A number with few digits, often 0.
double any_decimal(int exponent) {
  int const digits =
      *rc::gen::weightedOneOf<int>({{1, rc::gen::just(0)}, {2, rc::gen::inRange(1, 1'000'000)}});
  return scaled(digits, exponent);
}

double any_per_byte() {
  double const bandwidth = any_decimal(6);
  return bandwidth > 0 ? 1 / bandwidth : 0;
}

Link any_link() {
  Link link;
  if (*rc::gen::inRange(0, 3) == 0) {
    return link;
  }
  link.latency = any_decimal(-9);
  link.overhead_send = any_decimal(-11);
  link.overhead_receive = *rc::gen::arbitrary<bool>() ? link.overhead_send : any_decimal(-10);
  link.gap = any_decimal(-8);
  link.per_byte = any_per_byte();
  link.channels = *rc::gen::element(Link::unlimited, 1.0, 1.5, 8.0);
  link.shared_channels = *rc::gen::element(Link::unlimited, 2.0, 0.25);
  link.full_duplex = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) {
    link.eager_bytes = *rc::gen::inRange<std::int64_t>(0, 1 << 20);
  }
  link.rendezvous_latency = any_decimal(-7);
  return link;
}

std::vector<int> any_counts(int num_parents) {
  if (*rc::gen::arbitrary<bool>()) {
    return {*rc::gen::inRange(1, 5)};
  }
  return *rc::gen::container<std::vector<int>>(
      static_cast<std::size_t>(num_parents), rc::gen::inRange(1, 5)
  );
}

std::vector<Counts> any_levels() {
  static constexpr std::array<std::string_view, 10> names{
      "group", "switch1", "switch2", "node", "die", "package", "numa", "l3", "core", "thread"
  };
  std::vector<Counts> levels;
  std::int64_t num_objects = 1;
  for (std::string_view const name : names) {
    bool const is_last = name == names.back() && levels.empty();
    if (is_last || (num_objects < 200 && *rc::gen::inRange(0, 3) == 0)) {
      Counts level{
          .name = std::string(name),
          .of_parent = any_counts(static_cast<int>(num_objects)),
          .link = any_link()
      };
      num_objects = expand(level, num_objects, name);
      levels.push_back(level);
    }
  }
  return levels;
}

Torus any_torus(Counts const& outermost) {
  if (outermost.name != "node" || *rc::gen::arbitrary<bool>()) {
    return {};
  }
  return {
      .extents = {outermost.of_parent.front(), 1},
      .hop_latency = any_decimal(-9),
      .link_per_byte = any_per_byte()
  };
}

Machine any_machine() {
  std::vector<Counts> const levels = any_levels();
  Machine machine = build(levels, any_torus(levels.front()));
  machine.set_speed({.per_combined_byte = any_per_byte(), .per_copied_byte = any_per_byte()});
  RC_LOG() << to_text(machine) << "\n";
  return machine;
}

int any_core(Machine const& machine) {
  return *rc::gen::inRange(0, machine.num_cores());
}

RC_GTEST_PROP(MachineTrees, AreReadBackFromTheirText, ()) {
  Machine const machine = any_machine();
  RC_ASSERT(parse_text(to_text(machine)) == machine);
}

RC_GTEST_PROP(MachineTrees, AreReadBackFromTheirFile, ()) {
  Machine const machine = any_machine();
  RC_ASSERT(read(to_json(machine)) == machine);
}

RC_GTEST_PROP(MachineTrees, AreReadBackFromTheirCounts, ()) {
  Machine const machine = any_machine();
  Machine again = build(counts_of(machine), machine.torus());
  again.set_speed(machine.speed());
  RC_ASSERT(again == machine);
}

RC_GTEST_PROP(MachineTrees, CrossTheFirstLevelThatDiffers, ()) {
  Machine const machine = any_machine();
  int const core = any_core(machine);
  int const other = any_core(machine);
  int const crossing = machine.crossing(core, other);
  RC_ASSERT(crossing == machine.crossing(other, core));
  RC_ASSERT((crossing == machine.num_levels()) == (core == other));
  for (int level = 0; level < machine.num_levels(); ++level) {
    bool const is_same = machine.object_of(level, core) == machine.object_of(level, other);
    RC_ASSERT(is_same == (level < crossing));
  }
}

RC_GTEST_PROP(MachineTrees, AreUltrametric, ()) {
  // Of three cores, the two pairs that are farthest apart cross the same level.
  Machine const machine = any_machine();
  int const a = any_core(machine);
  int const b = any_core(machine);
  int const c = any_core(machine);
  RC_ASSERT(machine.crossing(a, c) >= std::min(machine.crossing(a, b), machine.crossing(b, c)));
}

RC_GTEST_PROP(Placements, GiveEachRankACoreThatIsRecognised, ()) {
  Machine const machine = any_machine();
  int const num_ranks = *rc::gen::inRange(0, machine.num_cores() + 1);
  std::string const kind =
      *rc::gen::element<std::string>("block", "cyclic", "cyclic:2", "cyclic:3", "folded");
  std::vector<int> const cores = place(machine, kind, num_ranks);
  RC_ASSERT(cores.size() == static_cast<std::size_t>(num_ranks));
  RC_ASSERT(std::set<int>(cores.begin(), cores.end()).size() == cores.size());
  int const level = machine.node_level();
  std::vector<int> node_of_rank;
  for (int const core : cores) {
    node_of_rank.push_back(machine.object_of(level, core));
  }
  std::vector<int> cores_of_node(static_cast<std::size_t>(machine.num_objects(level)));
  for (int core = 0; core < machine.num_cores(); ++core) {
    ++cores_of_node[static_cast<std::size_t>(machine.object_of(level, core))];
  }
  std::string const found = recognise(node_of_rank, cores_of_node).placement;
  RC_ASSERT(found != "arbitrary");
  RC_ASSERT(place(machine, found, num_ranks) == cores);
}

/// A text of a machine with some characters changed, taken out or put in.
std::string any_damaged_text() {
  std::string text = to_text(build(any_levels()));
  int const num_changes = *rc::gen::inRange(1, 4);
  for (int change = 0; change < num_changes; ++change) {
    auto const position = *rc::gen::inRange<std::size_t>(0, text.size());
    auto const length = *rc::gen::inRange<std::size_t>(0, 3);
    text.replace(
        position,
        length,
        *rc::gen::element<std::string>(
            "",
            "x",
            " ",
            "+",
            "[",
            "]",
            ":",
            ",",
            "=",
            "0",
            "9",
            "n",
            "torus ",
            "fattree ",
            "-",
            "."
        )
    );
  }
  return text;
}

RC_GTEST_PROP(MachineTexts, WithMistakesAreRefusedOrMachines, ()) {
  std::string const text = any_damaged_text();
  RC_LOG() << text << "\n";
  try {
    Machine const machine = parse_text(text);
    RC_TAG("machine");
    RC_ASSERT(to_text(parse_text(to_text(machine))) == to_text(machine));
  } catch (Error const& error) {
    RC_TAG("refused");
    RC_ASSERT(error.code() == ErrorCode::argument);
    RC_ASSERT(std::string_view(error.what()).starts_with("expected "));
  }
}

}  // namespace
}  // namespace espalier::machine
