// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <nanobind/nanobind.h>

namespace espalier::python {

/// Each adds the functions of one layer to the module.
void bind_catalog(nanobind::module_& module);
void bind_cost(nanobind::module_& module);
void bind_replay(nanobind::module_& module);
void bind_lower_bound(nanobind::module_& module);
void bind_dims(nanobind::module_& module);
void bind_discovery(nanobind::module_& module);
void bind_halo(nanobind::module_& module);
void bind_loggp(nanobind::module_& module);
void bind_mapping(nanobind::module_& module);
void bind_mapping_grid(nanobind::module_& module);
void bind_machine(nanobind::module_& module);
void bind_machine_sources(nanobind::module_& module);
void bind_mpi_library(nanobind::module_& module);
void bind_neighborhood(nanobind::module_& module);
void bind_one_sided(nanobind::module_& module);
void bind_verify(nanobind::module_& module);
void bind_profile(nanobind::module_& module);

}  // namespace espalier::python
