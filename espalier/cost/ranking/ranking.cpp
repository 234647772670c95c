// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/ranking/ranking.hpp"

#include <string>

#include "espalier/base/error.hpp"
#include "espalier/cost/ranking/generated_choices.hpp"
#include "espalier/cost/ranking/queue_ranking.hpp"

namespace espalier::cost {

void require_best(int num_best) {
  if (num_best < 1) {
    throw Error(
        ErrorCode::argument,
        "expected at least 1 choice to be asked for, got " + std::to_string(num_best)
    );
  }
}

std::vector<Ranked> best(
    std::span<algorithms::Choice const> choices,
    int root,
    Setting const& setting,
    Sizes const& sizes,
    int num_best
) {
  require_best(num_best);
  GeneratedChoices generated(choices, root, setting);
  Cut const cut{.least = num_best, .most = num_best};
  return ranked(rank_in_queues(generated, sizes, cut), generated);
}

}  // namespace espalier::cost
