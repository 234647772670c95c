// SPDX-License-Identifier: Apache-2.0

#include "espalier/simulation/ends.hpp"

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

}  // namespace

Ends ends(machine::Machine const& machine) {
  Ends const common = ends_of(machine.link(0));
  for (int level = 0; level < machine.num_levels(); ++level) {
    machine::Link const& link = machine.link(level);
    if (ends_of(link) != common) {
      refuse("the overheads and eager bytes of the first level at all levels", machine.name(level));
    }
    if (link.gap != 0 || link.rendezvous_latency != 0) {
      refuse("a gap and a rendezvous latency of 0", machine.name(level));
    }
  }
  return common;
}

}  // namespace espalier::simulation
