// SPDX-License-Identifier: Apache-2.0

/// @file
/// The rules of the replay of one-sided programs, one by one.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/base/error.hpp"
#include "espalier/cost/one_sided/calls.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::cost {
namespace {

using schedule::blocks;
using schedule::Builder;
using schedule::RankProgram;
using Times = std::vector<double>;

/// Round numbers as times. A message of n bytes takes its initiator for 1 and ports for 10 + n, and
/// 100 of latency.
constexpr OneSidedMachine plain{
    .network = {.latency = 100, .overhead = 1, .gap = 10, .per_byte = 1},
    .overhead_receive = 0,
    .speed = {.per_combined_byte = 3, .per_copied_byte = 2}
};

constexpr int num_blocks = 4;

Builder builder(int num_ranks, int rank) {
  return {algorithms::output_frame(num_ranks, num_blocks), rank};
}

std::vector<RankProgram> finished(std::vector<Builder> const& builders) {
  std::vector<RankProgram> programs;
  programs.reserve(builders.size());
  for (Builder builder : builders) {
    programs.push_back(std::move(builder).finish());
  }
  return programs;
}

/// Blocks of one byte.
OneSidedTimes run(std::vector<Builder> const& builders, OneSidedMachine const& machine = plain) {
  std::vector<RankProgram> const programs = finished(builders);
  OneSidedCall const call{.programs = programs, .sizes = double{num_blocks}};
  return replay_calls({&call, 1}, machine);
}

Builder awaiting(int num_ranks, int rank, int arrivals = 1) {
  return builder(num_ranks, rank).await(0, arrivals);
}

TEST(ReplayOfCalls, LetsAPutBeCompleteBeforeItIsThere) {
  OneSidedTimes const times =
      run({builder(2, 0).put(1, blocks(0, 2), blocks(0, 2), 0), awaiting(2, 1)});
  EXPECT_EQ(times.left, (std::vector<Times>{{1 + 12, 1 + 12 + 100}}));
  EXPECT_EQ(times.delivered, 113);
}

TEST(ReplayOfCalls, WaitsForPutsThatNobodyAwaits) {
  OneSidedTimes const times = run({builder(2, 0).put(1, blocks(0), blocks(0)), builder(2, 1)});
  EXPECT_EQ(times.left, (std::vector<Times>{{12, 0}}));
  EXPECT_EQ(times.delivered, 112);
  EXPECT_EQ(times.end(), 112);
}

TEST(ReplayOfCalls, SendsPutsOneAfterAnother) {
  std::vector<Builder> programs{builder(4, 0)
                                    .put(1, blocks(0), blocks(0), 0)
                                    .put(2, blocks(0), blocks(0), 0)
                                    .put(3, blocks(0), blocks(0), 0)};
  for (int rank = 1; rank < 4; ++rank) {
    programs.push_back(awaiting(4, rank));
  }
  EXPECT_EQ(run(programs).left, (std::vector<Times>{{34, 112, 123, 134}}));
}

/// A processor that is slower than its port.
TEST(ReplayOfCalls, SendsPutsNoFasterThanTheProcessorStartsThem) {
  OneSidedMachine slow = plain;
  slow.network.overhead = 20;
  std::vector<Builder> const programs{
      builder(3, 0).put(1, blocks(0), blocks(0), 0).put(2, blocks(0), blocks(0), 0),
      awaiting(3, 1),
      awaiting(3, 2)
  };
  EXPECT_EQ(run(programs, slow).left, (std::vector<Times>{{51, 131, 151}}));
}

TEST(ReplayOfCalls, LetsMessagesComeInOneAfterAnother) {
  std::vector<Builder> programs{awaiting(4, 0, 3)};
  for (int rank = 1; rank < 4; ++rank) {
    programs.push_back(builder(4, rank).put(0, blocks(rank), blocks(rank), 0));
  }
  EXPECT_EQ(run(programs).left, (std::vector<Times>{{134, 12, 12, 12}}));
}

TEST(ReplayOfCalls, SendsASignalAsAPutOfNothing) {
  OneSidedTimes const times = run({builder(2, 0).signal(1, 0), awaiting(2, 1)});
  EXPECT_EQ(times.left, (std::vector<Times>{{11, 111}}));
}

/// The target's processor does nothing for it: that it is busy itself does not matter.
TEST(ReplayOfCalls, MakesAGetARoundTrip) {
  OneSidedTimes const times = run(
      {builder(2, 0).get(1, blocks(0, 3), blocks(0, 3)), builder(2, 1).copy(blocks(2), blocks(3))}
  );
  EXPECT_EQ(times.left, (std::vector<Times>{{1 + 10 + 100 + 13 + 100, 2}}));
}

TEST(ReplayOfCalls, AnswersGetsOneAfterAnother) {
  OneSidedTimes const times = run(
      {builder(3, 0),
       builder(3, 1).get(0, blocks(0), blocks(0)),
       builder(3, 2).get(0, blocks(0), blocks(0))}
  );
  // Requests are there at 111 and 121; the answers take the port of rank 0 for 11 each.
  EXPECT_EQ(times.left, (std::vector<Times>{{0, 222, 233}}));
}

TEST(ReplayOfCalls, AwaitsAsManyArrivalsAsItSays) {
  std::vector<Builder> const programs{builder(2, 0).signal(1, 0).signal(1, 0), awaiting(2, 1, 2)};
  EXPECT_EQ(run(programs).left, (std::vector<Times>{{21, 121}}));
}

TEST(ReplayOfCalls, LetsSeveralAwaitOneCounter) {
  std::vector<Builder> const programs{
      builder(2, 0).signal(1, 0),
      builder(2, 1).await(0).await(0).next_round().copy(blocks(0), blocks(1))
  };
  EXPECT_EQ(run(programs).left, (std::vector<Times>{{11, 113}}));
}

TEST(ReplayOfCalls, CopiesAndCombinesOneAfterAnotherBesideMessages) {
  std::vector<Builder> const programs{
      builder(2, 0).copy(blocks(0), blocks(1)).reduce(blocks(2), blocks(3)).signal(1, 0),
      awaiting(2, 1)
  };
  EXPECT_EQ(run(programs).left, (std::vector<Times>{{11, 111}}));
  OneSidedMachine slow = plain;
  slow.speed = {.per_combined_byte = 300, .per_copied_byte = 200};
  EXPECT_EQ(run(programs, slow).left, (std::vector<Times>{{500, 111}}));
}

TEST(ReplayOfCalls, LetsTargetsTakePartOneMessageAtATime) {
  OneSidedMachine attentive = plain;
  attentive.overhead_receive = 50;
  std::vector<Builder> const programs{
      awaiting(3, 0, 2), builder(3, 1).signal(0, 0), builder(3, 2).signal(0, 0)
  };
  EXPECT_EQ(run(programs, attentive).left, (std::vector<Times>{{211, 11, 11}}));
}

/// Between ranks of a node a message takes its initiator for 2 and ports for 3 + n, and 4 of
/// latency.
OneSidedMachine with_nodes(std::vector<int> const& node_of_rank) {
  OneSidedMachine machine = plain;
  machine.overhead_receive = 50;
  machine.within = {.latency = 4, .overhead = 2, .gap = 3, .per_byte = 1};
  machine.node_of_rank = node_of_rank;
  return machine;
}

TEST(ReplayOfCalls, SendsWithinANodeThroughMemory) {
  std::vector<int> const nodes{0, 0, 1};
  std::vector<Builder> const programs{
      builder(3, 0).put(1, blocks(0, 2), blocks(0, 2), 0).put(2, blocks(0), blocks(0), 0),
      awaiting(3, 1),
      awaiting(3, 2)
  };
  // The second message is of the other kind: no port is taken by both. Its target takes part.
  EXPECT_EQ(
      run(programs, with_nodes(nodes)).left, (std::vector<Times>{{3 + 11, 2 + 4 + 5, 3 + 111 + 50}})
  );
}

TEST(ReplayOfCalls, LetsRanksOfANodeShareItsPorts) {
  std::vector<int> const nodes{0, 0, 1, 1};
  std::vector<Builder> const programs{
      builder(4, 0).put(2, blocks(0), blocks(0), 0),
      builder(4, 1).put(3, blocks(0), blocks(0), 0),
      awaiting(4, 2),
      awaiting(4, 3)
  };
  EXPECT_EQ(
      run(programs, with_nodes(nodes)).left, (std::vector<Times>{{12, 23, 112 + 50, 123 + 50}})
  );
}

TEST(ReplayOfCalls, AnswersGetsWithinANodeThroughMemory) {
  std::vector<int> const nodes{0, 0, 1};
  std::vector<Builder> const programs{
      builder(3, 0), builder(3, 1).get(0, blocks(0, 3), blocks(0, 3)), builder(3, 2)
  };
  EXPECT_EQ(run(programs, with_nodes(nodes)).left, (std::vector<Times>{{0, 2 + 3 + 4 + 6 + 4, 0}}));
}

/// A wait by position names every operation before it.
TEST(ReplayOfCalls, WaitsForWritesAndForSends) {
  std::vector<Builder> const programs{
      builder(2, 0)
          .put(1, blocks(0), blocks(0), 0)
          .wait_for_sends()
          .next_round()
          .copy(blocks(0), blocks(1))
          .next_round()
          .copy(blocks(2), blocks(0)),
      awaiting(2, 1)
  };
  EXPECT_EQ(run(programs).left, (std::vector<Times>{{12 + 2 + 2, 112}}));
}

class SeveralCalls : public testing::Test {
protected:
  /// When ranks have left each call.
  std::vector<Times> left(Begin begin, int num_calls = 3) {
    std::vector<RankProgram> const own = finished(builders);
    std::vector<OneSidedCall> const calls(
        static_cast<std::size_t>(num_calls),
        {.programs = own, .sizes = double{num_blocks}, .begin = begin}
    );
    return replay_calls(calls, plain).left;
  }

  std::vector<Builder> builders{builder(2, 0).put(1, blocks(0), blocks(0), 0), awaiting(2, 1)};
};

TEST_F(SeveralCalls, FollowEachOtherAtEachRank) {
  EXPECT_EQ(left(Begin::after_earlier), (std::vector<Times>{{12, 112}, {24, 124}, {36, 136}}));
}

TEST_F(SeveralCalls, ThatAreUnderwayTogetherHideTheirOverheads) {
  EXPECT_EQ(left(Begin::with_earlier), (std::vector<Times>{{12, 112}, {23, 123}, {34, 134}}));
}

/// The answer to a call makes its rank wait; other calls need not wait for it.
TEST_F(SeveralCalls, ThatAreUnderwayTogetherHideLatencies) {
  builders = {
      builder(2, 0).put(1, blocks(0), blocks(0), 0).await(0),
      builder(2, 1).await(0).next_round().signal(0, 0)
  };
  EXPECT_EQ(left(Begin::after_earlier, 2), (std::vector<Times>{{223, 123}, {446, 346}}));
  EXPECT_EQ(left(Begin::with_earlier, 2), (std::vector<Times>{{223, 123}, {234, 134}}));
}

TEST_F(SeveralCalls, WaitForAllThatWasStartedBefore) {
  std::vector<RankProgram> const own = finished(builders);
  std::vector<RankProgram> const waits =
      finished({builder(2, 0).get(1, blocks(0), blocks(0)), builder(2, 1)});
  std::vector<OneSidedCall> const calls{
      {.programs = waits, .sizes = double{num_blocks}},
      {.programs = own, .sizes = double{num_blocks}, .begin = Begin::with_earlier},
      {.programs = own, .sizes = double{num_blocks}}
  };
  std::vector<Times> const times = replay_calls(calls, plain).left;
  EXPECT_EQ(times[0], (Times{222, 0}));
  EXPECT_EQ(times[1], (Times{22, 122})) << "the put follows the request of the get";
  EXPECT_EQ(times[2], (Times{234, 334}));
}

void expect_refusal(
    std::vector<Builder> const& builders,
    std::string const& part,
    OneSidedMachine const& machine = plain
) {
  try {
    static_cast<void>(run(builders, machine));
    FAIL() << "expected a refusal because of " << part;
  } catch (Error const& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(ReplayOfCalls, RefusesWhatCannotEnd) {
  expect_refusal(
      {builder(2, 0).await(0).next_round().signal(1, 0),
       builder(2, 1).await(0).next_round().signal(0, 0)},
      "wait for each other"
  );
  expect_refusal({builder(2, 0), awaiting(2, 1)}, "raised 1 times, got 0");
  expect_refusal({builder(2, 0).signal(1, 3), awaiting(2, 1)}, "counter 3 of rank 1");
}

TEST(ReplayOfCalls, RefusesOtherPrograms) {
  expect_refusal({builder(2, 0).send(1, blocks(0)), builder(2, 1)}, "messages");
  expect_refusal({builder(2, 1), builder(2, 0)}, "rank 0 of 2");
  expect_refusal({builder(3, 0), builder(3, 1)}, "rank 0 of 2");
  std::vector<int> const nodes{0};
  expect_refusal({builder(2, 0), builder(2, 1)}, "nodes of 2 ranks", with_nodes(nodes));
  EXPECT_THROW(run({}), Error);
}

}  // namespace
}  // namespace espalier::cost
