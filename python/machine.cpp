// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/tree/machine.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "python/core.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "espalier/machine/text/file.hpp"
#include "espalier/machine/text/text.hpp"
#include "espalier/machine/tree/placement.hpp"
#include "espalier/simulation/ends.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

std::string machine_json(std::string_view text, std::string_view origin) {
  return to_json(machine::read_file(text, origin));
}

std::string machine_text(std::string_view text, std::string_view origin) {
  return to_text(machine::read(text, origin));
}

void check_simulated(std::string_view text, std::string_view origin) {
  (void)simulation::ends(machine::read(text, origin));
}

nb::list levels_of(machine::Machine const& machine, std::vector<int> const& core_of) {
  nb::list result;
  for (int level = 0; level < machine.num_levels(); ++level) {
    nb::list object_of_rank;
    for (int const core : core_of) {
      object_of_rank.append(machine.object_of(level, core));
    }
    nb::dict described;
    described["name"] = machine.name(level);
    described["num_objects"] = machine.num_objects(level);
    described["object_of_rank"] = object_of_rank;
    result.append(described);
  }
  return result;
}

nb::dict place(std::string_view machine_text, std::string_view placement, int num_ranks) {
  auto const machine = machine::read(machine_text);
  std::vector<int> const core_of = machine::place(machine, placement, num_ranks);
  nb::dict result;
  result["levels"] = levels_of(machine, core_of);
  result["node_level"] = machine.node_level();
  result["core_of_rank"] = core_of;
  return result;
}

nb::dict recognise(std::vector<int> const& node_of_rank, std::vector<int> const& cores_of_node) {
  machine::Recognised const found = machine::recognise(node_of_rank, cores_of_node);
  nb::dict result;
  result["placement"] = found.placement;
  result["node_order"] = found.node_order;
  return result;
}

}  // namespace

void bind_machine(nb::module_& module) {
  module.def("machine_json", machine_json, nb::arg("text"), nb::arg("origin") = "machine");
  module.def("machine_text", machine_text, nb::arg("text"), nb::arg("origin") = "machine");
  module.def("check_simulated", check_simulated, nb::arg("text"), nb::arg("origin") = "machine");
  module.def("place", place, nb::arg("machine"), nb::arg("placement"), nb::arg("num_ranks"));
  module.def(
      "recognise", recognise, nb::arg("node_of_rank"), nb::arg("cores_of_node") = std::vector<int>()
  );
}

}  // namespace espalier::python
