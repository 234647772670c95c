// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/mpi_library.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "python/core.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

namespace nb = nanobind;

namespace espalier::python {
namespace {

nb::tuple judge_mpi_library(std::string file, std::string_view text, std::string_view family) {
  MpiLibrary const library{.file = std::move(file), .version = short_version(text)};
  return nb::make_tuple(library.version, why_native(library, family));
}

}  // namespace

void bind_mpi_library(nb::module_& module) {
  module.def(
      "judge_mpi_library", judge_mpi_library, nb::arg("file"), nb::arg("text"), nb::arg("family")
  );
}

}  // namespace espalier::python
