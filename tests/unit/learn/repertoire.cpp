// SPDX-License-Identifier: Apache-2.0

/// @file
/// Candidates whose programs are kept from search to search.

#include "espalier/learn/repertoire.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/cost/replay/replay.hpp"
#include "espalier/learn/shortlist.hpp"
#include "espalier/machine/sources/interconnect.hpp"

namespace espalier::learn {
namespace {

using profile::Call;
using schedule::Collective;

constexpr std::chrono::seconds enough(60);

Place place(int num_nodes, int per_node) {
  Place result{
      .between_nodes = machine::stock_link({machine::InterconnectKind::infiniband, "mlx5_0", 0}),
      .within_node = machine::stock_link_within_node(per_node, per_node),
  };
  for (int rank = 0; rank < num_nodes * per_node; ++rank) {
    result.node_of_rank.push_back(rank / per_node);
  }
  return result;
}

Situation situation(Call call, double num_bytes, Place const& where) {
  return situation_of(call, num_bytes, where, where.node_of_rank);
}

TEST(Repertoire, TakesAsLongAsProgramsThatAreGeneratedAnew) {
  Place const where = place(2, 3);
  for (Call const call : {Call::allreduce, Call::alltoall, Call::barrier}) {
    Repertoire candidates(profile::collective_of(call), where.node_of_rank);
    ASSERT_GT(candidates.size(), 3);
    for (double const num_bytes : {6000.0, 48.0, 6e6}) {
      Situation const here = situation(call, call == Call::barrier ? 0 : num_bytes, where);
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        double const expected =
            cost::replay_time(candidates.choice(i), 0, here.setting, here.num_bytes);
        EXPECT_NEAR(candidates.seconds(i, here, here), expected, 1e-12 + 1e-9 * expected)
            << candidates.choice(i).text();
      }
    }
  }
}

TEST(Repertoire, HasTheFirstOfEachFamilyBeforeTheirVariants) {
  Repertoire const candidates(Collective::allreduce, place(4, 4).node_of_rank);
  std::size_t num_first = 0;
  while (num_first < candidates.size() && candidates.is_first(num_first)) {
    ++num_first;
  }
  EXPECT_GT(num_first, 5);
  for (std::size_t i = num_first; i < candidates.size(); ++i) {
    EXPECT_FALSE(candidates.is_first(i)) << candidates.choice(i).text();
  }
}

std::vector<std::string> names(std::vector<Proposal> const& proposals) {
  std::vector<std::string> result;
  for (Proposal const& proposal : proposals) {
    result.push_back(proposal.choice.text());
  }
  return result;
}

TEST(Repertoires, ChangeNothingOfWhatIsProposed) {
  Repertoires known;
  for (Place const& where : {place(4, 4), place(64, 8)}) {
    for (double const num_bytes : {64.0, 1e6, 64.0}) {
      for (Call const call : {Call::allreduce, Call::allgather}) {
        EXPECT_EQ(
            names(shortlist(call, num_bytes, where, 3, enough, {}, &known)),
            names(shortlist(call, num_bytes, where, 3, enough))
        ) << num_bytes;
      }
    }
  }
}

TEST(Repertoires, KeepWhatWasUsedLast) {
  std::vector<int> const nodes{0, 0, 1, 1};
  Repertoires known;
  auto first = known.take(Collective::bcast, nodes);
  Repertoire const* const bcast = first.get();
  EXPECT_NE(known.take(Collective::bcast, nodes).get(), bcast) << "somebody has it";
  known.put_back(std::move(first));
  EXPECT_NE(known.take(Collective::reduce, nodes).get(), bcast);
  EXPECT_NE(known.take(Collective::bcast, {0, 1, 0, 1}).get(), bcast);
  first = known.take(Collective::bcast, nodes);
  EXPECT_EQ(first.get(), bcast);
  known.put_back(std::move(first));

  std::vector<std::unique_ptr<Repertoire>> others;
  for (std::size_t num_ranks = 2; num_ranks < 6; ++num_ranks) {
    others.push_back(known.take(Collective::bcast, std::vector<int>(num_ranks)));
  }
  Repertoire const* const last = others.back().get();
  for (auto& other : others) {
    known.put_back(std::move(other));
  }
  EXPECT_EQ(known.take(Collective::bcast, std::vector<int>(5)).get(), last);
  auto const again = known.take(Collective::bcast, nodes);
  EXPECT_TRUE(again->is_of(Collective::bcast, nodes)) << "made anew, as four others came after it";
}

}  // namespace
}  // namespace espalier::learn
