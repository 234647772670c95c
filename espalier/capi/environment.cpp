// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/environment.hpp"

#include <cstdlib>

namespace espalier::capi {

plan::MachineText described_machine() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  plan::MachineText machine = plan::machine_text_of(std::getenv("ESPALIER_MACHINE"));
  machine.misfit = plan::MachineText::Misfit::error;
  return machine;
}

}  // namespace espalier::capi
