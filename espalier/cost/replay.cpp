// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay.hpp"

#include <algorithm>
#include <utility>

#include "espalier/cost/engine.hpp"
#include "espalier/cost/steps.hpp"

namespace espalier::cost {
namespace {

Replay run(Steps steps, Setting const& setting) {
  steps.match();
  Engine engine(std::move(steps), setting);
  engine.run();
  return engine.result();
}

}  // namespace

double Replay::seconds() const {
  return finished.empty() ? 0 : std::ranges::max(finished);
}

Replay replay(
    std::span<schedule::RankProgram const> programs, Setting const& setting, Sizes const& sizes
) {
  Steps steps(sizes);
  for (schedule::RankProgram const& program : programs) {
    steps.add(program);
  }
  return run(std::move(steps), setting);
}

Replay
replay(algorithms::Choice const& choice, int root, Setting const& setting, Sizes const& sizes) {
  Steps steps(sizes);
  for (int rank = 0; rank < setting.num_ranks(); ++rank) {
    steps.add(choice.generate(setting.num_ranks(), root, rank));
  }
  return run(std::move(steps), setting);
}

double replay_time(
    algorithms::Choice const& choice, int root, Setting const& setting, Sizes const& sizes
) {
  return replay(choice, root, setting, sizes).seconds();
}

}  // namespace espalier::cost
