// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/allgather/parts/folded.hpp"

#include <utility>

#include "espalier/base/integer.hpp"

namespace espalier::algorithms {

schedule::Slot blocks_of(pattern::Folding const& folding, int begin, int size) {
  int const first = folding.rank_of(wrap(begin, folding.num_places()));
  int const end = folding.rank_of(wrap(std::int64_t{begin} + size, folding.num_places()));
  return schedule::blocks(first, wrap(end - first, folding.num_places() + folding.num_pairs()));
}

schedule::RankProgram folded_allgather(
    schedule::Builder builder,
    pattern::Folding const& folding,
    int num_rounds,
    std::function<void(schedule::Builder&, int place)> const& between
) {
  int const rank = builder.rank();
  int const others = builder.frame().num_ranks - 1;
  if (folding.is_aside(rank)) {
    builder.send(rank - 1, schedule::blocks(rank)).next_round(1 + num_rounds);
    builder.recv(rank - 1, schedule::blocks(rank + 1, others));
    return std::move(builder).finish();
  }
  bool const is_pair = folding.is_pair(folding.place_of(rank));
  if (is_pair) {
    builder.recv(rank + 1, schedule::blocks(rank + 1));
  }
  between(builder.next_round(folding.num_pairs() > 0 ? 1 : 0), folding.place_of(rank));
  if (is_pair) {
    builder.send(rank + 1, schedule::blocks(rank + 2, others));
  }
  return std::move(builder).finish();
}

}  // namespace espalier::algorithms
