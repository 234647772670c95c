// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "python/core.hpp"
#include "python/descriptions.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/forms/count.hpp"
#include "espalier/cost/forms/hockney.hpp"
#include "espalier/cost/forms/traffic.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/machine/tree/placement.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

using algorithms::Choice;

nb::object closed_form(std::string_view text, int num_ranks, int root) {
  auto const work = cost::closed_form(Choice::parse(text).facts(num_ranks, root));
  return work ? nb::object(work_of(*work)) : nb::none();
}

nb::dict count(std::string const& text, int num_ranks, int root) {
  cost::Work work;
  {
    nb::gil_scoped_release const released;
    work = cost::count(Choice::parse(text), num_ranks, root);
  }
  return work_of(work);
}

nb::dict traffic(
    std::string_view text,
    int num_ranks,
    int root,
    std::string_view machine_text,
    std::string_view placement
) {
  auto const machine = machine::read(machine_text);
  std::vector<int> const core_of = machine::place(machine, placement, num_ranks);
  auto const rounds = cost::traffic(Choice::parse(text), num_ranks, root, machine, core_of);
  return traffic_of(rounds, machine);
}

}  // namespace

void bind_cost(nb::module_& module) {
  module.def(
      "closed_form", closed_form, nb::arg("text"), nb::arg("num_ranks"), nb::arg("root") = 0
  );
  module.def("count", count, nb::arg("text"), nb::arg("num_ranks"), nb::arg("root") = 0);
  module.def(
      "traffic",
      traffic,
      nb::arg("text"),
      nb::arg("num_ranks"),
      nb::arg("root"),
      nb::arg("machine"),
      nb::arg("placement")
  );
}

}  // namespace espalier::python
