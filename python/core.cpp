// SPDX-License-Identifier: Apache-2.0

/// @file
/// The module espalier._core: the layers that know no MPI, as functions on plain Python data.
/// Its interface is python/espalier/_core.pyi.

#include "python/core.hpp"

#include <exception>

#include <nanobind/stl/string_view.h>

#include "espalier/base/error.hpp"
#include "espalier/base/version.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

char const* class_of(ErrorCode code) {
  switch (code) {
  case ErrorCode::argument:
    return "ArgumentError";
  case ErrorCode::unsupported:
    return "UnsupportedError";
  case ErrorCode::no_memory:
    return "OutOfMemoryError";
  case ErrorCode::io:
    return "FileError";
  case ErrorCode::format:
    return "FormatError";
  case ErrorCode::mpi:
    return "MpiError";
  }
  return "Error";
}

void translate(std::exception_ptr const& pointer, void* /*payload*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (Error const& error) {
    nb::object const type = nb::module_::import_("espalier.errors").attr(class_of(error.code()));
    PyErr_SetObject(type.ptr(), type(error.what()).ptr());
  }
}

}  // namespace
}  // namespace espalier::python

NB_MODULE(_core, module) {
  nb::register_exception_translator(espalier::python::translate);
  module.attr("__version__") = espalier::version;
  espalier::python::bind_catalog(module);
  espalier::python::bind_cost(module);
  espalier::python::bind_replay(module);
  espalier::python::bind_lower_bound(module);
  espalier::python::bind_halo(module);
  espalier::python::bind_loggp(module);
  espalier::python::bind_mapping(module);
  espalier::python::bind_mapping_grid(module);
  espalier::python::bind_machine(module);
  espalier::python::bind_machine_sources(module);
  espalier::python::bind_dims(module);
  espalier::python::bind_discovery(module);
  espalier::python::bind_mpi_library(module);
  espalier::python::bind_neighborhood(module);
  espalier::python::bind_one_sided(module);
  espalier::python::bind_verify(module);
  espalier::python::bind_profile(module);
}
