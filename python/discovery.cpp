// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/job/discovery.hpp"

#include <map>
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

#include "espalier/base/field.hpp"
#include "espalier/base/json_text.hpp"
#include "espalier/machine/sources/hwloc.hpp"
#include "espalier/machine/sources/launcher.hpp"
#include "espalier/machine/sources/sysfs.hpp"
#include "espalier/machine/sources/topology_conf.hpp"
#include "espalier/machine/text/file.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

using machine::MachineFile;
using nlohmann::json;
using Strings = std::map<std::string, std::string>;

machine::Environment environment_from(Strings const& variables) {
  return {variables.begin(), variables.end()};
}

machine::Network network_from(std::string_view topology, std::string_view origin) {
  return topology.empty() ? machine::Network{} : machine::read_topology_conf(topology, origin);
}

machine::NodeTree tree_here() {
  return machine::has_hwloc() ? machine::read_hwloc_here() : machine::read_sysfs();
}

nb::object or_none(std::optional<int> const& number) {
  return number ? nb::cast(*number) : nb::none();
}

nb::dict launcher(Strings const& variables) {
  machine::Launcher const found = machine::launcher_of(environment_from(variables));
  nb::dict result;
  result["name"] = found.name;
  result["rank"] = or_none(found.rank);
  result["num_ranks"] = or_none(found.num_ranks);
  result["local_rank"] = or_none(found.local_rank);
  result["num_local"] = or_none(found.num_local);
  result["node"] = or_none(found.node);
  return result;
}

machine::Discovery
discovery_of(std::string_view job, std::string_view topology, std::string_view origin) {
  json const document = parse_json(job, "job view");
  return machine::discover(machine::job_view_from_json(document), network_from(topology, origin));
}

std::string
discovery_json(std::string_view job, std::string_view topology, std::string_view origin) {
  machine::Discovery found = discovery_of(job, topology, origin);
  json findings = json::array();
  json warnings = json::array();
  for (machine::Finding const& finding : found.findings) {
    findings.push_back({{"kind", finding.kind}, {"text", finding.text}});
    warnings.push_back(finding.text);
  }
  MachineFile const file{
      .machine = std::move(found.machine),
      .object_names = {{"node", std::move(found.node_names)}},
      .core_of_rank = std::move(found.core_of_rank),
      .origin =
          {{"found_by", "discovery"},
           {"placement", found.placement},
           {"findings", std::move(findings)},
           {"warnings", std::move(warnings)}},
  };
  return to_json(file);
}

std::vector<std::string>
contradictions(std::string_view text, std::string_view origin, std::string_view job) {
  MachineFile const described = machine::read_file(text, origin);
  auto const names = described.object_names.find("node");
  std::vector<std::string> const none;
  return compare(
      described.machine,
      names == described.object_names.end() ? none : names->second,
      discovery_of(job, "", "")
  );
}

}  // namespace

void bind_discovery(nb::module_& module) {
  module.def("has_hwloc", machine::has_hwloc);
  module.def("node_tree_json", [] { return json_text(machine::to_json(tree_here())); });
  module.def("launcher", launcher, nb::arg("environment"));
  module.def(
      "discovery_json",
      discovery_json,
      nb::arg("job"),
      nb::arg("topology") = "",
      nb::arg("origin") = "topology.conf"
  );
  module.def(
      "contradictions", contradictions, nb::arg("machine"), nb::arg("origin"), nb::arg("job")
  );
}

}  // namespace espalier::python
