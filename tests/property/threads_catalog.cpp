// SPDX-License-Identifier: Apache-2.0

/// @file
/// Every algorithm of the catalog, run by threads on real memory. The whole memory is compared
/// afterwards, so that a byte written between or around the blocks shows.

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/property/threads_checks.hpp"

namespace espalier::exec {
namespace {

using schedule::Collective;
using test::Schedule;

void check(Case const& the, Shape const& shape, std::size_t turn) {
  SCOPED_TRACE(
      the.schedule.name + " root " + std::to_string(the.root) + " " + shape.name +
      (the.is_in_place ? " in place" : "")
  );
  constexpr std::int64_t lengths[] = {0, 1, 13, 200};
  std::int64_t const length = lengths[turn % 4];
  bool const is_real = turn % 3 == 0;
  switch (the.collective) {
  case Collective::barrier:
    return check_barrier(the);
  case Collective::bcast:
    return check_bcast(the, length);
  case Collective::scatter:
  case Collective::gather:
  case Collective::allgather:
    return check_parts(the, shape);
  case Collective::reduce_scatter:
    return check_reduce_scatter(the, shape.counts, is_real);
  case Collective::alltoall:
    return check_alltoall(the, shape);
  default:
    return check_vector(the, length, is_real);
  }
}

class Threads : public testing::TestWithParam<std::tuple<Collective, int>> {};

// Shapes, roots, places and modes take turns, well mixed: over the numbers of ranks every variant
// meets all of them.
TEST_P(Threads, DoWhatTheCollectivePromises) {
  auto const [collective, p] = GetParam();
  std::vector<Shape> const all_shapes = shapes(p);
  int const num_turns = p <= 9 ? 12 : 3;
  auto number = static_cast<std::uint32_t>(p);
  for (Schedule const& schedule : test::schedules(collective, p)) {
    for (int i = 0; i < num_turns; ++i) {
      auto const turn = static_cast<std::size_t>((++number * 2654435769U) >> 12U);
      Shape const& shape = all_shapes[turn % all_shapes.size()];
      int const root = has_root(collective) ? static_cast<int>(turn / 8) % p : 0;
      if (!schedule.accepts(root) || (schedule.equal_blocks_only && !shape.is_equal())) {
        continue;
      }
      Case const the{
          .schedule = schedule,
          .collective = collective,
          .num_ranks = p,
          .root = root,
          .is_in_place = collective != Collective::bcast && i % 2 == 1,
          .mode = turn / 64 % 2 == 0 ? SendMode::rendezvous : SendMode::buffered,
      };
      check(the, shape, turn / 128);
    }
  }
}

#ifdef ESPALIER_FEW_RANKS
auto const rank_counts = testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17);
#else
auto const rank_counts =
    testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 24, 31, 32);
#endif

std::string name_of(testing::TestParamInfo<std::tuple<Collective, int>> const& tested) {
  auto const [collective, p] = tested.param;
  return std::string(to_string(collective)) + "_p" + std::to_string(p);
}

INSTANTIATE_TEST_SUITE_P(
    Ranks,
    Threads,
    testing::Combine(testing::ValuesIn(schedule::all_collectives()), rank_counts),
    name_of
);

}  // namespace
}  // namespace espalier::exec
