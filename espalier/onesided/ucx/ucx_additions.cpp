// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/ucx/ucx_additions.hpp"

#include <algorithm>

namespace espalier::onesided {

bool UcxAdditions::try_add(UcxPeer& peer, std::uint64_t offset, std::uint64_t amount) {
  Addition& addition = additions_[next_];
  if (!addition.request.is_over()) {
    return false;
  }
  addition.amount = amount;
  addition.request = peer.add(offset, &addition.amount);
  next_ = (next_ + 1) % num_additions;
  return true;
}

bool UcxAdditions::is_empty() {
  return std::ranges::all_of(additions_, [](Addition& addition) {
    return addition.request.is_over();
  });
}

}  // namespace espalier::onesided
