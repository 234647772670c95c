// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/forms/lower_bound.hpp"

#include <string_view>

#include "python/core.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include "espalier/machine/text/file.hpp"
#include "espalier/machine/tree/placement.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

nb::dict lower_bound(
    std::string_view collective,
    int num_ranks,
    int root,
    std::string_view machine_text,
    std::string_view placement,
    double num_bytes
) {
  machine::Machine const machine = machine::read(machine_text);
  cost::Setting const setting{
      .machine = machine, .core_of = machine::place(machine, placement, num_ranks)
  };
  cost::LowerBound const bound =
      cost::lower_bound(schedule::parse_collective(collective), root, setting, num_bytes);
  nb::dict result;
  result["seconds"] = bound.seconds();
  result["rounds_seconds"] = bound.rounds;
  result["bytes_seconds"] = bound.bytes;
  return result;
}

}  // namespace

void bind_lower_bound(nb::module_& module) {
  module.def(
      "lower_bound",
      lower_bound,
      nb::arg("collective"),
      nb::arg("num_ranks"),
      nb::arg("root"),
      nb::arg("machine"),
      nb::arg("placement"),
      nb::arg("num_bytes")
  );
}

}  // namespace espalier::python
