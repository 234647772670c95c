// SPDX-License-Identifier: Apache-2.0

#include "python/core.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "espalier/measure/halo/halo_input.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

nb::dict describe(measure::HaloCase const& one) {
  nb::dict result;
  result["line"] = one.line;
  result["method"] = static_cast<int>(one.method);
  return result;
}

nb::dict describe(measure::HaloGroup const& group) {
  nb::list strides;
  for (measure::HaloStride const& stride : group.strides) {
    strides.append(nb::cast(std::vector<int>{stride.block, stride.stride}));
  }
  nb::list cases;
  for (measure::HaloCase const& one : group.cases) {
    cases.append(describe(one));
  }
  nb::dict result;
  result["grid"] = nb::cast(group.grid);
  result["is_periodic"] = nb::cast(group.is_periodic);
  result["strides"] = strides;
  result["cases"] = cases;
  return result;
}

nb::dict halo_input(std::string_view text, std::string_view origin) {
  auto const input = measure::HaloInput::parse(text, origin);
  nb::list groups;
  for (measure::HaloGroup const& group : input.groups) {
    groups.append(describe(group));
  }
  nb::dict result;
  result["factors"] = nb::cast(input.factors);
  result["seconds"] = input.seconds;
  result["groups"] = groups;
  return result;
}

}  // namespace

void bind_halo(nb::module_& module) {
  module.def("halo_input", halo_input, nb::arg("text"), nb::arg("origin"));
}

}  // namespace espalier::python
