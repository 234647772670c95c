// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/onesided/ucx/ucx_peer.hpp"

namespace espalier::onesided {

/// Atomic additions that UCX may still read the amounts of, in bounded memory.
class UcxAdditions {
public:
  /// False if there is no room now.
  /// @throws Error if an addition failed.
  [[nodiscard]] bool try_add(UcxPeer& peer, std::uint64_t offset, std::uint64_t amount);

  /// Whether UCX reads none of them any more.
  [[nodiscard]] bool is_empty();

private:
  struct Addition {
    std::uint64_t amount = 0;
    UcxRequest request;
  };

  static constexpr std::size_t num_additions = 64;

  std::vector<Addition> additions_ = std::vector<Addition>(num_additions);
  std::size_t next_ = 0;  ///< the one that was used least recently
};

}  // namespace espalier::onesided
