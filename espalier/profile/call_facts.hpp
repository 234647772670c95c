// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "espalier/neighborhood/algorithm.hpp"
#include "espalier/schedule/collective.hpp"

namespace espalier::profile {

/// Who knows how large the blocks of a call are.
enum class BlockSizes : std::uint8_t {
  none,             ///< nobody needs to: there are no blocks
  equal,            ///< every rank: all blocks can have one size
  known_to_all,     ///< every rank, from its arguments
  known_to_owners,  ///< of any block its two ends, or the root; no other rank
};

/// What a row of espalier/calls/functions.json says of a call.
struct CallFacts {
  std::string_view text;      ///< `allgatherv`, as in profiles and settings
  std::string_view function;  ///< `MPI_Allgatherv`
  /// Whose algorithms serve it.
  std::variant<schedule::Collective, neighborhood::Collective> collective;
  BlockSizes block_sizes;
};

}  // namespace espalier::profile
