// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/planned/explanation.hpp"

#include "espalier/base/counted.hpp"

namespace espalier::capi {

std::string text_of(exec::RunCost const& cost, int num_rounds) {
  std::string const rounds = num_rounds > 0 ? " in " + counted(num_rounds, "round") : "";
  return "this rank sends " + counted(cost.num_messages, "message") + " of " +
         counted(cost.num_bytes, "byte") + " in all" + rounds + ", and keeps " +
         counted(cost.scratch_bytes, "byte") + " of scratch memory";
}

}  // namespace espalier::capi
