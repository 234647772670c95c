// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/kind_of_calls.hpp"

#include <string>

#include <gtest/gtest.h>

#include "espalier/profile/call.hpp"

namespace espalier::plan {
namespace {

using profile::Call;

TEST(KindOfCalls, RanksMeetWhereEachOfThemWaitsForAllOthers) {
  for (Call const call :
       {Call::allgather, Call::allreduce, Call::alltoall, Call::barrier, Call::reduce_scatter_block
       }) {
    EXPECT_TRUE(ranks_meet(call)) << to_string(call);
  }
}

TEST(KindOfCalls, RanksWithNothingToDoMeetNobody) {
  for (Call const call :
       {Call::allgatherv, Call::alltoallv, Call::alltoallw, Call::reduce_scatter}) {
    EXPECT_FALSE(ranks_meet(call)) << to_string(call);
  }
}

TEST(KindOfCalls, NobodyRunsAheadWhereEachWaitsForAllThatHaveData) {
  for (Call const call : {Call::allgather, Call::allgatherv, Call::barrier}) {
    EXPECT_FALSE(ranks_run_ahead(call)) << to_string(call);
  }
  for (Call const call : {Call::alltoallv, Call::bcast, Call::neighbor_alltoall}) {
    EXPECT_TRUE(ranks_run_ahead(call)) << to_string(call);
  }
}

TEST(KindOfCalls, RanksMayRunAheadOfTheRoot) {
  for (Call const call : {Call::bcast, Call::gather, Call::reduce, Call::scan, Call::scatterv}) {
    EXPECT_FALSE(ranks_meet(call)) << to_string(call);
  }
}

}  // namespace
}  // namespace espalier::plan
