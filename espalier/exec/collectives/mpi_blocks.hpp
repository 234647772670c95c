// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/exec/collectives/mpi_collectives.hpp"

namespace espalier::exec {

/// Blocks as the arguments of a call describe them.
/// @throws Error mpi; argument if a count is negative.
[[nodiscard]] MpiBlocks equal_blocks(int num_blocks, TypedCount const& block);
[[nodiscard]] MpiBlocks varying_blocks(VaryingBlocks const& blocks);
[[nodiscard]] MpiBlocks typed_blocks(TypedBlocks const& blocks);

}  // namespace espalier::exec
