// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/sharing.hpp"

#include "espalier/cost/replay/matched_steps.hpp"
#include "espalier/cost/replay/sharing_engine.hpp"
#include "espalier/simulation/network.hpp"

namespace espalier::cost {

double shared_time(
    algorithms::Choice const& choice, int root, Setting const& setting, Sizes const& sizes
) {
  simulation::Network const network(setting.machine);
  SharingEngine engine(matched_steps(choice, root, setting, sizes), setting, network);
  engine.run();
  return engine.seconds();
}

}  // namespace espalier::cost
