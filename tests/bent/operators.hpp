// SPDX-License-Identifier: Apache-2.0

/// @file
/// Operators of the user over elements of two integers, in any form.

#pragma once

#include <mpi.h>

#include "tests/bent/datatypes.hpp"

namespace bent {

enum class Operation {
  sum,     ///< commutes
  affine,  ///< (a, b) (c, d) = (a c, b c + d): associative, does not commute
  left,    ///< the operand of the lower rank: associative, does not commute
};

/// What the operators find in memory from now on; they count calls with another handle.
void expect_elements(Shape shape, Form const& form);

/// Calls with another datatype than the one expected, since that was said.
long num_strange_types();

MPI_Op make_operator(Operation operation);

}  // namespace bent
