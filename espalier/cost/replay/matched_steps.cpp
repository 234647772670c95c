// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/matched_steps.hpp"

#include "espalier/algorithms/composed/native.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;
using schedule::RankProgram;

/// Blocks of equal sizes need no numbers, which saves most of the work of changing the order.
RankProgram generate_in(
    algorithms::RankOrder const& order,
    Choice const& choice,
    int root,
    int rank,
    bool has_equal_blocks
) {
  if (!has_equal_blocks) {
    return algorithms::with_stand_ins(choice.generate(order, root, rank));
  }
  return schedule::renumber_ranks(
      algorithms::with_stand_ins(choice.generate_at_position(
          order.num_ranks(), order.position_of(root), order.position_of(rank)
      )),
      [&](int position) { return order.rank_at(position); }
  );
}

}  // namespace

Steps matched_steps(Choice const& choice, int root, Setting const& setting, Sizes const& sizes) {
  int const num_ranks = setting.num_ranks();
  auto const order = choice.order_of_ranks(num_ranks);
  Steps steps(sizes);
  for (int rank = 0; rank < num_ranks; ++rank) {
    steps.add(
        order ? generate_in(*order, choice, root, rank, sizes.are_equal())
              : algorithms::generate_for_model(choice, num_ranks, root, rank)
    );
  }
  steps.match();
  return steps;
}

}  // namespace espalier::cost
