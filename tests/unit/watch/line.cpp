// SPDX-License-Identifier: Apache-2.0

#include "espalier/watch/line.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "espalier/watch/call.hpp"

namespace espalier::watch {
namespace {

constexpr Time s = 1'000'000'000;
constexpr Time now_here = 1000 * s;

Members const world{.name = "MPI_COMM_WORLD", .num_ranks = 8, .rank = 3, .has_world_ranks = true};
Members const rows{.name = "rows", .num_ranks = 4, .rank = 1};

Activity activity(Members const& members, What const& what, Wait const& wait, Time age = 30 * s) {
  return {
      .version = 2,
      .description = describe(what, members),
      .wait = wait,
      .since = now_here - age,
      .num_rounds = 7,
  };
}

Activity ring(Members const& members, int peer, int world_peer) {
  Activity result = activity(
      members,
      {.function = "MPI_Allgather", .algorithm = "allgather/ring"},
      {.stage = Stage::receiving, .round = 1, .peer = peer}
  );
  result.world_peer = world_peer;
  return result;
}

TEST(Line, NamesCallCommunicatorAlgorithmRoundAndPeer) {
  Findings findings;
  findings.last = {.function = "MPI_Bcast", .end = now_here - 31 * s};
  EXPECT_EQ(
      line(3, ring(world, 2, 2), Peer{.world_rank = 2, .findings = findings}, now_here),
      "rank 3 waits for 30 s in MPI_Allgather (8 ranks of MPI_COMM_WORLD, allgather/ring, round 2 "
      "of 7) for a message from rank 2; rank 2 is in no collective, its last one was MPI_Bcast "
      "31 s ago"
  );
}

TEST(Line, TellsRanksOfOtherCommunicatorsFromThoseOfTheWorld) {
  EXPECT_EQ(
      line(5, ring(rows, 0, 2), Peer{.world_rank = 2}, now_here),
      "rank 5 waits for 30 s in MPI_Allgather (its rank 1 of 4 in rows, allgather/ring, round 2 "
      "of 7) for a message from its rank 0, which is rank 2 of MPI_COMM_WORLD; rank 2 is on "
      "another node and reports for itself"
  );
  Members const unnamed{.num_ranks = 4, .rank = 1};
  EXPECT_EQ(
      line(5, ring(unnamed, 0, -1), std::nullopt, now_here),
      "rank 5 waits for 30 s in MPI_Allgather (its rank 1 of 4 in a communicator without a name, "
      "allgather/ring, round 2 of 7) for a message from its rank 0"
  );
}

TEST(Line, StaysOneWhateverCommunicatorsAreNamed) {
  Members const odd{.name = "a\nb\033[31m", .num_ranks = 4, .rank = 1};
  std::string const told = line(5, ring(odd, 0, -1), std::nullopt, now_here);
  EXPECT_NE(told.find(" in a?b?[31m, "), std::string::npos) << told;
}

TEST(Line, TellsNativeCallsWithoutPeer) {
  Activity const native = activity(world, {.function = "MPI_Bcast", .bytes = 4096}, {}, 1500000000);
  EXPECT_EQ(
      line(0, native, std::nullopt, now_here),
      "rank 0 waits for 1.5 s in MPI_Bcast of the MPI library (8 ranks of MPI_COMM_WORLD, 4096 "
      "bytes)"
  );
}

TEST(Line, TellsStagesWithoutMessage) {
  What const what{.function = "MPI_Barrier", .algorithm = "barrier/ring"};
  EXPECT_EQ(
      line(0, activity(world, what, {.stage = Stage::starting}), std::nullopt, now_here),
      "rank 0 waits for 30 s in MPI_Barrier (8 ranks of MPI_COMM_WORLD, barrier/ring) before its "
      "first message"
  );
}

TEST(Line, TellsThatOtherMessagesWouldDo) {
  Activity chain = ring(world, 2, 2);
  chain.wait.stage = Stage::sending;
  chain.wait.num_others = 3;
  std::string const text = line(3, chain, std::nullopt, now_here);
  EXPECT_NE(
      text.find("for its message to be taken by rank 2 (or one of 3 other messages)"),
      std::string::npos
  ) << text;
}

std::string told(Findings const& findings) {
  return peer_text({.world_rank = 2, .findings = findings}, now_here);
}

TEST(Peer, IsToldByWhatItDoes) {
  EXPECT_EQ(told({}), "rank 2 is in no collective, and was in none before");
  EXPECT_EQ(told({.is_moving = true}), "rank 2 goes from one collective to the next");
  EXPECT_EQ(
      told({.finished_since = now_here - 31 * s}),
      "rank 2 came to MPI_Finalize, or its end, 31 s ago"
  );
  EXPECT_EQ(
      peer_text({.world_rank = 2, .could_ask = false}, now_here),
      "rank 2 cannot be asked, there is no shared memory"
  );
}

TEST(Peer, IsToldByAllCallsItIsIn) {
  Findings findings;
  findings.calls[1] = activity(world, {.function = "MPI_Barrier"}, {}, 29 * s);
  std::string const first =
      "rank 2 is in MPI_Barrier of the MPI library (8 ranks of MPI_COMM_WORLD) for 29 s";
  EXPECT_EQ(told(findings), first);
  findings.calls[4] = ring(world, 1, 1);
  EXPECT_EQ(
      told(findings),
      first +
          ", and in MPI_Allgather (8 ranks of MPI_COMM_WORLD, allgather/ring, round 2 of 7) for "
          "30 s, waiting for a message from rank 1"
  );
}

}  // namespace
}  // namespace espalier::watch
