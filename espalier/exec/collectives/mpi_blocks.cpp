// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/collectives/mpi_blocks.hpp"

#include <cstdint>

#include "espalier/exec/messages/mpi_datatype.hpp"

namespace espalier::exec {

MpiBlocks equal_blocks(int num_blocks, TypedCount const& block) {
  std::int64_t const extent_bytes = describe(block.type).extent_bytes;
  return {.type = block.type, .layout = Layout::uniform(num_blocks, block.count, extent_bytes)};
}

MpiBlocks varying_blocks(VaryingBlocks const& blocks) {
  std::int64_t const extent_bytes = describe(blocks.type).extent_bytes;
  return {
      .type = blocks.type,
      .layout = Layout::varying(blocks.counts, blocks.displacements, extent_bytes),
  };
}

MpiBlocks typed_blocks(TypedBlocks const& blocks) {
  return {
      .layout = Layout::varying(blocks.counts, blocks.displacements, 1),
      .types = {blocks.types.begin(), blocks.types.end()},
  };
}

}  // namespace espalier::exec
