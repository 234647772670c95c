// SPDX-License-Identifier: Apache-2.0

/// @file
/// The lines by which algorithms are chosen, against the replay of all their programs.

#include "espalier/cost/replay/replay.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/neighborhood/choice.hpp"
#include "espalier/verify/neighborhood.hpp"
#include "tests/support/neighborhoods.hpp"

namespace espalier::neighborhood {
namespace {

double replayed(
    std::string const& name, Request const& request, machine::Link const& link, double block_bytes
) {
  auto const programs = verify::generate_all(find(request.collective, name), request);
  return cost::replay(
             programs,
             cost::uniform(link, request.neighborhood.num_ranks()),
             block_bytes * programs.front().frame.num_output_blocks
  )
      .seconds();
}

TEST(NeighborhoodReplay, TakesAsLongAsTheLineOnATorus) {
  machine::Link const link{
      .latency = 1e-6, .overhead_send = 2e-7, .overhead_receive = 2e-7, .per_byte = 1e-9
  };
  for (std::vector<int> const& extents : std::vector<std::vector<int>>{{5, 4}, {3, 4, 3}}) {
    int const d = static_cast<int>(extents.size());
    Neighborhood const all =
        Neighborhood::of_stencil(test::grid_of(extents, 7), test::offsets_of("full", d));
    for (Collective const collective :
         {Collective::neighbor_alltoall, Collective::neighbor_allgather}) {
      Request const request{.collective = collective, .neighborhood = all};
      for (std::string const name : {"direct", "combining"}) {
        for (double const block_bytes : {8.0, 1000.0}) {
          double const expected =
              line(find(collective, name), request, {link, link}).seconds(block_bytes);
          EXPECT_NEAR(replayed(name, request, link, block_bytes), expected, 1e-6 * expected)
              << name << " on " << d << " dimensions";
        }
      }
    }
  }
}

TEST(NeighborhoodReplay, TakesAsLongInARecognisedGraphAsOnTheGrid) {
  machine::Link const link{
      .latency = 1e-6, .overhead_send = 4e-7, .overhead_receive = 4e-7, .per_byte = 1e-10
  };
  Neighborhood const declared =
      Neighborhood::of_stencil(test::grid_of({4, 4, 4}, 7), test::offsets_of("full", 3));
  Neighborhood const graph = Neighborhood::recognised(test::shuffled(declared, 1));
  for (Collective const collective :
       {Collective::neighbor_alltoall, Collective::neighbor_allgather}) {
    for (double const block_bytes : {8.0, 1024.0, 16384.0}) {
      auto const seconds = [&](Neighborhood const& all) {
        Request const request{.collective = collective, .neighborhood = all};
        return replayed("combining", request, link, block_bytes);
      };
      EXPECT_DOUBLE_EQ(seconds(graph), seconds(declared)) << block_bytes;
    }
  }
}

TEST(NeighborhoodReplay, IsFasterForWhatIsChosen) {
  machine::Link const link{.latency = 1e-6, .overhead_send = 5e-7, .per_byte = 1e-9};
  Neighborhood const all =
      Neighborhood::of_stencil(test::grid_of({4, 4, 4}, 0), test::offsets_of("full", 3));
  Request const request{.neighborhood = all};
  Interval const small = faster_bytes(
      line(find("neighbor_alltoall/combining"), request, {link, link}),
      line(find("neighbor_alltoall/direct"), request, {link, link})
  );
  ASSERT_GT(small.to, 100);
  EXPECT_LT(replayed("combining", request, link, 8), replayed("direct", request, link, 8));
  double const large = 10 * small.to;
  EXPECT_GT(replayed("combining", request, link, large), replayed("direct", request, link, large));
}

}  // namespace
}  // namespace espalier::neighborhood
