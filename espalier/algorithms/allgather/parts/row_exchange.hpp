// SPDX-License-Identifier: Apache-2.0

/// @file
/// The phase of the orthogonal allgather in which rows that are complete are exchanged.
///
/// Every rank works with those at its place in the other rows. The last ranks of a larger row have
/// no partner in the smallest row: when the others are done they give each of them the other rows,
/// each a part.

#pragma once

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/composed/rows.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {

/// Appends the phase between `rows` for the builder's rank, beginning in the builder's round.
void append_row_exchange(schedule::Builder& builder, Rows const& rows, Choice const& across);

}  // namespace espalier::algorithms
