// SPDX-License-Identifier: Apache-2.0

/// @file
/// Platform for `smpirun -platform`: the machine that the environment names, with one host for each
/// rank: `rank-0`, `rank-1`, ...
///
///     ESPALIER_SIMULATED_MACHINE     path of a machine file, or a text
///     ESPALIER_SIMULATED_PLACEMENT   which core each rank has, as place() reads it; default: block
///     ESPALIER_SIMULATED_RANKS       how many; default: one for each core
///     ESPALIER_SIMULATED_NAMES       what ranks see: node (default), or that each core (core) or
///                                    everything (one) were a node
///     ESPALIER_SIMULATED_JOURNAL     file for what journal.hpp writes; default: nothing is written
///
/// Hosts have the properties `node`, the name that ranks see, and `group`, the number of what
/// shares memory with them (smpi_host.cpp); and for one-sided communication `overhead_send`,
/// `overhead_receive`, `eager_bytes` and `envelope_bytes` (onesided/simulated/simulated_rank.hpp).

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <simgrid/s4u.hpp>

#include "espalier/base/error.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/machine/tree/placement.hpp"
#include "espalier/simulation/ends.hpp"
#include "espalier/simulation/journal.hpp"
#include "espalier/simulation/network.hpp"
#include "espalier/simulation/zone.hpp"

namespace espalier::simulation {
namespace {

/// Operations per second of a core; nothing is charged to it.
constexpr double speed = 1e9;

/// What SMPI 3.32 sends with each message.
constexpr double envelope_bytes = 16;

std::string variable(char const* name, std::string_view otherwise) {
  char const* const value = std::getenv(name);
  return value == nullptr ? std::string(otherwise) : std::string(value);
}

machine::MachineFile read_machine() {
  std::string const named = variable("ESPALIER_SIMULATED_MACHINE", "");
  if (named.empty()) {
    throw Error(
        ErrorCode::argument,
        "expected a machine file or text in ESPALIER_SIMULATED_MACHINE, found nothing"
    );
  }
  std::ifstream file(named);
  if (!file) {
    return machine::read_file(named, "ESPALIER_SIMULATED_MACHINE");
  }
  return machine::read_file(std::string(std::istreambuf_iterator<char>(file), {}), named);
}

/// The host name and the group of ranks that share memory, for each core.
class Sight {
public:
  Sight(machine::MachineFile const& file, std::string kind)
      : machine_(file.machine), kind_(std::move(kind)) {
    if (kind_ != "node" && kind_ != "core" && kind_ != "one") {
      throw Error(
          ErrorCode::argument,
          "expected node, core or one in ESPALIER_SIMULATED_NAMES, found '" + kind_ + "'"
      );
    }
    auto const found = file.object_names.find(machine_.name(machine_.node_level()));
    if (kind_ == "node" && found != file.object_names.end()) {
      names_ = found->second;
    }
  }

  [[nodiscard]] int group(int core) const {
    if (kind_ == "node") {
      return machine_.object_of(machine_.node_level(), core);
    }
    return kind_ == "core" ? core : 0;
  }

  [[nodiscard]] std::string name(int group) const {
    return names_.empty() ? kind_ + "-" + std::to_string(group)
                          : names_[static_cast<std::size_t>(group)];
  }

private:
  machine::Machine const& machine_;
  std::string kind_;
  std::vector<std::string> names_;
};

/// SMPI writes costs that depend on the size as parts `from:seconds:seconds per byte`. It charges a
/// blocking call only up to the eager limit; so does this for those that are started, or what waits
/// for them would be slower than what does not.
std::string cost(double seconds, std::int64_t limit) {
  return fmt::format("0:{}:0;{}:0:0", seconds, limit + 1);
}

void set_ends(Ends const& ends) {
  using simgrid::s4u::Engine;
  // The limit there is the first size that waits for its receiver, and an int.
  auto const limit = std::min<std::int64_t>(ends.eager_bytes, std::numeric_limits<int>::max() - 1);
  Engine::set_config("smpi/os:" + cost(ends.overhead_send, limit));
  Engine::set_config("smpi/ois:" + cost(ends.overhead_send, limit));
  Engine::set_config("smpi/or:" + cost(ends.overhead_receive, limit));
  Engine::set_config(fmt::format("smpi/async-small-thresh:{}", limit + 1));
  Engine::set_config(fmt::format("smpi/send-is-detached-thresh:{}", limit + 1));
}

void set_ends(simgrid::s4u::Host& host, Ends const& ends) {
  host.set_property("overhead_send", fmt::format("{}", ends.overhead_send));
  host.set_property("overhead_receive", fmt::format("{}", ends.overhead_receive));
  host.set_property("eager_bytes", fmt::format("{}", ends.eager_bytes));
  host.set_property("envelope_bytes", fmt::format("{}", envelope_bytes));
}

std::vector<int> cores_of_ranks(machine::Machine const& machine) {
  std::string const given = variable("ESPALIER_SIMULATED_RANKS", "");
  int num_ranks = machine.num_cores();
  char const* const end = given.data() + given.size();
  if (!given.empty() && std::from_chars(given.data(), end, num_ranks).ptr != end) {
    throw Error(
        ErrorCode::argument, "expected a number in ESPALIER_SIMULATED_RANKS, found '" + given + "'"
    );
  }
  return machine::place(machine, variable("ESPALIER_SIMULATED_PLACEMENT", "block"), num_ranks);
}

void load() {
  // What a program prints comes when it prints it, wherever standard output goes.
  static_cast<void>(std::setvbuf(stdout, nullptr, _IOLBF, 1U << 16U));
  machine::MachineFile const file = read_machine();
  Sight const sight(file, variable("ESPALIER_SIMULATED_NAMES", "node"));
  std::vector<int> const cores = cores_of_ranks(file.machine);
  Ends const costs = ends(file.machine);
  set_ends(costs);
  // The engine owns zones.
  auto* const zone =
      (new Zone("machine", Network(file.machine, envelope_bytes), cores))->get_iface();
  for (std::size_t rank = 0; rank < cores.size(); ++rank) {
    auto* const host = zone->create_host("rank-" + std::to_string(rank), speed);
    int const group = sight.group(cores[rank]);
    host->set_property("node", sight.name(group));
    host->set_property("group", std::to_string(group));
    set_ends(*host, costs);
    host->seal();
  }
  zone->seal();
  if (std::string const journal = variable("ESPALIER_SIMULATED_JOURNAL", ""); !journal.empty()) {
    keep_journal(journal, static_cast<int>(cores.size()));
  }
}

}  // namespace
}  // namespace espalier::simulation

extern "C" __attribute__((visibility("default"))) void load_platform(simgrid::s4u::Engine const&);

void load_platform(simgrid::s4u::Engine const&) {
  try {
    espalier::simulation::load();
  } catch (espalier::Error const& error) {
    // The simulator would print where in its own code that was, and abort.
    fmt::print(stderr, "espalier: {}\n", error.what());
    std::_Exit(2);
  }
}
