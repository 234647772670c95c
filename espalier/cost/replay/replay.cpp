// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/replay.hpp"

#include <algorithm>
#include <utility>

#include "espalier/cost/replay/engine.hpp"
#include "espalier/cost/replay/matched_steps.hpp"

namespace espalier::cost {

double Replay::seconds() const {
  return finished.empty() ? 0 : std::ranges::max(finished);
}

Replay replay(Steps steps, Setting const& setting) {
  Engine engine(std::move(steps), setting);
  engine.run();
  return engine.result();
}

Replay replay(
    std::span<schedule::RankProgram const> programs, Setting const& setting, Sizes const& sizes
) {
  Steps steps(sizes);
  for (schedule::RankProgram const& program : programs) {
    steps.add(program);
  }
  steps.match();
  return replay(std::move(steps), setting);
}

Replay
replay(algorithms::Choice const& choice, int root, Setting const& setting, Sizes const& sizes) {
  return replay(matched_steps(choice, root, setting, sizes), setting);
}

double replay_time(
    algorithms::Choice const& choice, int root, Setting const& setting, Sizes const& sizes
) {
  return replay(choice, root, setting, sizes).seconds();
}

}  // namespace espalier::cost
