// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the collectives promise, checked on one run of a schedule by threads.

#pragma once

#include <cstdint>
#include <vector>

#include "tests/property/part_shapes.hpp"
#include "tests/property/threads_run.hpp"

namespace espalier::exec {

void check_barrier(Case const& the);
void check_bcast(Case const& the, std::int64_t num_elements);
/// Scatter, gather and allgather.
void check_parts(Case const& the, Shape const& shape);
void check_alltoall(Case const& the, Shape const& shape);

/// Reductions of a whole vector. Numbers are real, or maps whose composition does not commute where
/// the schedule keeps the order of operands.
void check_vector(Case const& the, std::int64_t num_elements, bool is_real);
void check_reduce_scatter(Case const& the, std::vector<int> const& counts, bool is_real);

}  // namespace espalier::exec
