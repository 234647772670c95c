// SPDX-License-Identifier: Apache-2.0

/// @file
/// Machines that are found without MPI: this node, hwloc XML, a SLURM job. As machine files.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/core.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/machine/job/findings.hpp"
#include "espalier/machine/sources/host_list.hpp"
#include "espalier/machine/sources/hwloc.hpp"
#include "espalier/machine/sources/kind_of_machine.hpp"
#include "espalier/machine/sources/node_tree.hpp"
#include "espalier/machine/sources/slurm.hpp"
#include "espalier/machine/sources/sysfs.hpp"
#include "espalier/machine/sources/topology_conf.hpp"
#include "espalier/machine/text/file.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

using machine::MachineFile;

nlohmann::json texts_of(std::vector<machine::Finding> const& findings) {
  nlohmann::json texts = nlohmann::json::array();
  for (machine::Finding const& finding : findings) {
    texts.push_back(finding.text);
  }
  return texts;
}

/// A node with a rank on each core.
std::string file_of(machine::NodeTree tree, std::string const& name) {
  machine::NodeMachine node = machine::machine_of(tree);
  std::vector<int> ranks(static_cast<std::size_t>(node.machine.num_cores()));
  std::iota(ranks.begin(), ranks.end(), 0);
  nlohmann::json origin{{"found_by", tree.source}};
  machine::Site const site{.name = name, .ranks = std::move(ranks), .tree = std::move(tree)};
  origin["warnings"] = texts_of(machine::findings_about_nodes({site}));
  return to_json(MachineFile{
      .machine = std::move(node.machine),
      .object_names = {{"node", {name}}},
      .core_of_rank = {},
      .origin = std::move(origin)
  });
}

std::string machine_of_hwloc(std::string_view xml, std::string_view origin) {
  return file_of(machine::read_hwloc_xml(xml, origin), std::string(origin));
}

std::string machine_here(std::string const& name) {
  return file_of(machine::has_hwloc() ? machine::read_hwloc_here() : machine::read_sysfs(), name);
}

/// The core of each task: the next of its node; empty if a node has more tasks than cores.
std::vector<int> cores_of_tasks(
    std::vector<int> const& node_of_task,
    std::vector<std::string> const& nodes,
    machine::NamedMachine const& named
) {
  machine::Machine const& machine = named.machine;
  std::vector<std::vector<int>> cores(nodes.size());
  for (int core = machine.num_cores() - 1; core >= 0; --core) {
    auto const node = static_cast<std::size_t>(machine.object_of(machine.node_level(), core));
    cores[node].push_back(core);
  }
  std::vector<int> result;
  for (int const task_node : node_of_task) {
    std::string const& name = nodes[static_cast<std::size_t>(task_node)];
    auto const node = std::ranges::find(named.node_names, name) - named.node_names.begin();
    std::vector<int>& left = cores[static_cast<std::size_t>(node)];
    if (left.empty()) {
      return {};
    }
    result.push_back(left.back());
    left.pop_back();
  }
  return result;
}

std::string machine_of_slurm(
    machine::Environment const& environment,
    std::optional<std::string> const& topology,
    std::string_view origin
) {
  auto const job = machine::slurm_job(environment);
  if (!job) {
    throw Error(
        ErrorCode::argument,
        "expected a SLURM job (SLURM_JOB_NODELIST is set in it), got none; run this inside one"
    );
  }
  machine::Network const network =
      topology ? machine::read_topology_conf(*topology, origin) : machine::Network{};
  machine::NamedMachine named = machine::machine_of(*job, network);
  std::vector<int> core_of_rank;
  if (auto const nodes = job->node_of_task()) {
    core_of_rank = cores_of_tasks(*nodes, job->nodes, named);
  }
  return to_json(MachineFile{
      .machine = std::move(named.machine),
      .object_names = {{"node", std::move(named.node_names)}},
      .core_of_rank = std::move(core_of_rank),
      .origin = {{"found_by", "slurm"}, {"distribution", job->distribution}}
  });
}

}  // namespace

void bind_machine_sources(nb::module_& module) {
  module.def("host_names", machine::expand_hosts, nb::arg("text"));
  module.def(
      "learned_file_name",
      [](std::string_view mpi_library) { return machine::learned_file_name(mpi_library); },
      nb::arg("mpi_library")
  );
  module.def(
      "is_learned_file_name", machine::is_learned_file_name, nb::arg("name"), nb::arg("mpi_library")
  );
  module.def("machine_here", machine_here, nb::arg("name"));
  module.def("machine_of_hwloc", machine_of_hwloc, nb::arg("xml"), nb::arg("origin"));
  module.def(
      "machine_of_slurm",
      machine_of_slurm,
      nb::arg("environment"),
      nb::arg("topology").none(),
      nb::arg("origin") = "topology.conf"
  );
}

}  // namespace espalier::python
