// SPDX-License-Identifier: Apache-2.0

#include "espalier/simulation/ends.hpp"

#include <optional>
#include <string>

#include "espalier/base/error.hpp"

namespace espalier::simulation {
namespace {

Ends ends_of(machine::Link const& link) {
  return {
      .overhead_send = link.overhead_send,
      .overhead_receive = link.overhead_receive,
      .eager_bytes = link.eager_bytes
  };
}

[[noreturn]] void refuse(std::string const& expected, std::string const& level) {
  throw Error(
      ErrorCode::unsupported,
      "expected " + expected + " of a simulated machine, got others at the level " + level
  );
}

/// Whether any message goes from one object of a level to another.
bool is_crossed(machine::Machine const& machine, int level) {
  return machine.num_objects(level) > (level == 0 ? 1 : machine.num_objects(level - 1));
}

}  // namespace

Ends ends(machine::Machine const& machine) {
  std::optional<Ends> common;
  for (int level = 0; level < machine.num_levels(); ++level) {
    if (!is_crossed(machine, level)) {
      continue;
    }
    machine::Link const& link = machine.link(level);
    common = common.value_or(ends_of(link));
    if (ends_of(link) != *common) {
      refuse("equal overheads and eager bytes at all crossed levels", machine.name(level));
    }
    if (link.gap != 0 || link.rendezvous_latency != 0) {
      refuse("a gap and a rendezvous latency of 0", machine.name(level));
    }
  }
  return common.value_or(Ends{});
}

}  // namespace espalier::simulation
