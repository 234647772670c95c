// SPDX-License-Identifier: Apache-2.0

/// @file
/// The rules of the replay, one by one, on machines whose links nobody shares.

#include "espalier/cost/replay/replay.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;
using schedule::blocks;
using schedule::RankProgram;
using Times = std::vector<double>;

/// Round numbers as times. A message of n bytes occupies its sender for 10 + n, and 3 of gap; it
/// arrives 5 later and occupies the receiver for n + 1, and 3 of gap.
constexpr machine::Link plain{
    .latency = 5, .overhead_send = 10, .overhead_receive = 1, .gap = 3, .per_byte = 1
};

constexpr int num_blocks = 4;

schedule::Builder builder(int num_ranks, int rank) {
  return {algorithms::output_frame(num_ranks, num_blocks), rank};
}

/// Blocks of one byte.
Times finished(std::vector<RankProgram> const& programs, Setting const& setting) {
  return replay(programs, setting, num_blocks).finished;
}

Times finished(std::vector<RankProgram> const& programs, machine::Link const& link = plain) {
  return finished(programs, uniform(link, static_cast<int>(programs.size())));
}

TEST(Replay, MessagesOfARankFollowEachOther) {
  std::vector<RankProgram> programs;
  programs.push_back(std::move(builder(3, 0).send(1, blocks(0)).send(2, blocks(0, 2))).finish());
  programs.push_back(std::move(builder(3, 1).recv(0, blocks(0))).finish());
  programs.push_back(std::move(builder(3, 2).recv(0, blocks(0, 2))).finish());
  // Sent at 0 .. 11 and, a gap later, 14 .. 26; there 5 + 1 after the last byte has left.
  EXPECT_EQ(finished(programs), (Times{26, 17, 32}));
}

TEST(Replay, AReceiverTakesInOneMessageAtATime) {
  std::vector<RankProgram> programs;
  programs.push_back(std::move(builder(3, 0).recv(1, blocks(0, 2)).recv(2, blocks(2))).finish());
  programs.push_back(std::move(builder(3, 1).send(0, blocks(0, 2))).finish());
  programs.push_back(std::move(builder(3, 2).send(0, blocks(2))).finish());
  // Both begin to arrive at 15; the first is there at 18, the second may begin at 21.
  EXPECT_EQ(finished(programs), (Times{23, 12, 11}));
}

TEST(Replay, ReductionsAndLaterSendsWaitForData) {
  std::vector<RankProgram> programs;
  programs.push_back(std::move(builder(3, 0).send(1, blocks(0))).finish());
  programs.push_back(std::move(builder(3, 1)
                                   .recv(0, blocks(0))
                                   .next_round()
                                   .reduce(blocks(1), blocks(0))
                                   .next_round()
                                   .send(2, blocks(1)))
                         .finish());
  programs.push_back(std::move(builder(3, 2).recv(1, blocks(1))).finish());
  Setting setting = uniform(plain, 3);
  setting.machine.set_speed({.per_combined_byte = 2});
  // There at 17, combined at 19, sent at 30, there at 36.
  EXPECT_EQ(finished(programs, setting), (Times{11, 30, 36}));
}

TEST(Replay, ARankCombinesAndCopiesOneAfterAnother) {
  std::vector<RankProgram> programs;
  programs.push_back(std::move(builder(1, 0)
                                   .copy(blocks(0), blocks(1))
                                   .reduce(blocks(2), blocks(3))
                                   .copy(blocks(1), blocks(0)))
                         .finish());
  Setting setting = uniform(plain, 1);
  EXPECT_EQ(finished(programs, setting), (Times{0}));
  setting.machine.set_speed({.per_combined_byte = 2, .per_copied_byte = 5});
  EXPECT_EQ(finished(programs, setting), (Times{12}));
}

TEST(Replay, WaitsForSendsWhereAsked) {
  std::vector<RankProgram> programs;
  programs.push_back(
      std::move(builder(2, 0).send(1, blocks(0)).wait_for_sends().copy(blocks(0), blocks(1)))
          .finish()
  );
  programs.push_back(std::move(builder(2, 1).recv(0, blocks(0))).finish());
  Setting setting = uniform(plain, 2);
  setting.machine.set_speed({.per_copied_byte = 7});
  EXPECT_EQ(finished(programs, setting).front(), 18);
}

TEST(Replay, LargeMessagesWaitForTheirReceive) {
  std::vector<RankProgram> programs;
  programs.push_back(std::move(builder(3, 0).send(1, blocks(0, 2)).send(2, blocks(0))).finish());
  programs.push_back(
      std::move(builder(3, 1).recv(2, blocks(2)).next_round().recv(0, blocks(0, 2))).finish()
  );
  programs.push_back(std::move(builder(3, 2).send(1, blocks(2)).recv(0, blocks(0))).finish());
  machine::Link rendezvous = plain;
  rendezvous.eager_bytes = 1;
  rendezvous.rendezvous_latency = 100;
  // Rank 1 has begun to wait for the large message at 17: sent at 17 .. 29, there 100 + 6 later.
  // Meanwhile the small one behind it has left at once.
  EXPECT_EQ(finished(programs, rendezvous), (Times{29, 135, 17}));
  // Without the limit it is sent first, and arrives with that of rank 2 before its receive begins.
  EXPECT_EQ(finished(programs), (Times{26, 23, 32}));
}

TEST(Replay, MessagesWithoutBytesAreNotSentUnlessTheyAreSignals) {
  std::vector<RankProgram> programs;
  programs.push_back(std::move(builder(2, 0).send(1, blocks(0))).finish());
  programs.push_back(std::move(builder(2, 1).recv(0, blocks(0))).finish());
  EXPECT_EQ(replay(programs, uniform(plain, 2), 0).finished, (Times{0, 0}));
  programs.clear();
  programs.push_back(std::move(builder(2, 0).send_signal(1)).finish());
  programs.push_back(std::move(builder(2, 1).recv_signal(0)).finish());
  EXPECT_EQ(replay(programs, uniform(plain, 2), 0).finished, (Times{10, 16}));
}

TEST(Replay, TakesTheLinkOfTheLevelThatIsCrossed) {
  machine::Machine machine = machine::Machine::parse("node:2 core:2");
  machine.set_link(0, {.latency = 100, .per_byte = 10});
  machine.set_link(1, {.latency = 1, .per_byte = 1});
  std::vector<RankProgram> programs;
  programs.push_back(std::move(builder(3, 0).send(1, blocks(0)).send(2, blocks(0))).finish());
  programs.push_back(std::move(builder(3, 1).recv(0, blocks(0))).finish());
  programs.push_back(std::move(builder(3, 2).recv(0, blocks(0))).finish());
  Setting const near{.machine = machine, .core_of = {0, 1, 2}};
  Replay const replayed = replay(programs, near, num_blocks);
  EXPECT_EQ(replayed.finished, (Times{11, 2, 111}));
  EXPECT_EQ(replayed.levels[0].messages, 1);
  EXPECT_EQ(replayed.levels[1].messages, 1);
  EXPECT_EQ(replayed.levels[0].bytes, 1);
  EXPECT_EQ(finished(programs, {.machine = machine, .core_of = {0, 2, 1}}), (Times{11, 110, 12}));
}

void expect_refused(
    std::vector<RankProgram> const& programs, int num_ranks, std::string const& text
) {
  try {
    static_cast<void>(replay(programs, uniform(plain, num_ranks), num_blocks));
    FAIL() << "expected an error";
  } catch (Error const& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(Replay, RefusesMessagesWithoutPartner) {
  std::vector<RankProgram> programs;
  programs.push_back(std::move(builder(3, 0).send(1, blocks(0))).finish());
  programs.push_back(builder(3, 1).finish());
  programs.push_back(builder(3, 2).finish());
  expect_refused(programs, 3, "as many receives as sends");
  programs[1] = std::move(builder(3, 1).recv(2, blocks(0))).finish();
  expect_refused(programs, 3, "a message to rank 1 from rank 2");
  programs[1] = std::move(builder(3, 1).recv(0, blocks(0, 2))).finish();
  expect_refused(programs, 3, "1.000000 bytes received by rank 1 from rank 0");
  programs[0] = std::move(builder(9, 0).send(8, blocks(0))).finish();
  expect_refused(programs, 3, "a peer below 3");
}

TEST(Replay, RefusesAnotherNumberOfPrograms) {
  std::vector<RankProgram> programs;
  programs.push_back(builder(1, 0).finish());
  expect_refused(programs, 2, "a program for each of 2 ranks, got 1");
}

TEST(Replay, RefusesRanksThatWaitForEachOther) {
  std::vector<RankProgram> programs;
  for (int const rank : {0, 1}) {
    programs.push_back(
        std::move(builder(2, rank).recv(1 - rank, blocks(0)).next_round().send(1 - rank, blocks(1)))
            .finish()
    );
  }
  expect_refused(programs, 2, "ranks that wait for each other");
}

TEST(Replay, RefusesCoresThatTheMachineDoesNotHave) {
  std::vector<RankProgram> programs;
  programs.push_back(builder(1, 0).finish());
  Setting setting = uniform(plain, 1);
  setting.core_of = {1};
  EXPECT_THROW(static_cast<void>(replay(programs, setting, 1)), Error);
}

TEST(Replay, OfEachAlgorithmTakesAtLeastWhatItsBusiestRankSends) {
  Hockney const hockney{.alpha = 3, .beta = 0.5};
  for (schedule::Collective const collective : schedule::all_collectives()) {
    for (int const p : {1, 2, 5, 8, 12, 17}) {
      for (Choice const& choice : algorithms::variants(collective, p)) {
        algorithms::Facts const facts = choice.facts(p, 0);
        double const sending = 3.0 * static_cast<double>(facts.messages);
        EXPECT_GE(replay_time(choice, 0, uniform(link(hockney), p), 4.0 * p), sending)
            << choice.text() << " p = " << p;
      }
    }
  }
}

}  // namespace
}  // namespace espalier::cost
