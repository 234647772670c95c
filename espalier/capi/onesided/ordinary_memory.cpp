// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/ordinary_memory.hpp"

#include "espalier/base/format.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {

void require_ordinary(
    plan::DeviceMemory const& devices,
    void const* address,
    std::string_view name,
    std::string_view advice
) {
  if (address == nullptr || devices.holder(address) == nullptr) {
    return;
  }
  throw plan::ClassError(
      MPI_ERR_BUFFER,
      formatted(
          "expected {} in memory of the processor, got memory of a device: {}",
          name,
          advice.empty() ? "copy it" : advice
      )
  );
}

}  // namespace espalier::capi
