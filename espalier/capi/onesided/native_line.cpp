// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/native_line.hpp"

#include <algorithm>

namespace espalier::capi {

void NativeLine::move_on() {
  auto const still_waiting =
      std::ranges::find_if_not(waiting_, [](Run* run) { return run->begin_calls(); });
  waiting_.erase(waiting_.begin(), still_waiting);
}

}  // namespace espalier::capi
