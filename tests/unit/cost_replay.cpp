// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/cost/replay.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;
using schedule::RankProgram;

/// Round numbers as times: 10 a message, 1 a byte, 5 in the wire, 2 a combined byte.
constexpr Network machine{.per_message = 10, .per_byte = 1, .latency = 5, .per_combined_byte = 2};

schedule::Builder builder(int num_ranks, int rank) {
  return {algorithms::output_frame(num_ranks, 4), rank};
}

TEST(Replay, MessagesOfARankFollowEachOther) {
  std::vector<RankProgram> programs;
  programs.push_back(
      std::move(builder(3, 0).send(1, schedule::blocks(0)).send(2, schedule::blocks(0, 2))).finish()
  );
  programs.push_back(std::move(builder(3, 1).recv(0, schedule::blocks(0))).finish());
  programs.push_back(std::move(builder(3, 2).recv(0, schedule::blocks(0, 2))).finish());
  // Sent at 0 .. 11 and 11 .. 23, there 5 later.
  EXPECT_EQ(replay(programs, machine, 1), (std::vector<double>{23, 16, 28}));
}

TEST(Replay, AReceiverTakesInOneMessageAtATime) {
  std::vector<RankProgram> programs;
  programs.push_back(
      std::move(builder(3, 0).recv(1, schedule::blocks(1)).recv(2, schedule::blocks(2))).finish()
  );
  programs.push_back(std::move(builder(3, 1).send(0, schedule::blocks(1))).finish());
  programs.push_back(std::move(builder(3, 2).send(0, schedule::blocks(2))).finish());
  EXPECT_EQ(replay(programs, machine, 1), (std::vector<double>{27, 11, 11}));
}

TEST(Replay, ReductionsAndLaterSendsWaitForData) {
  std::vector<RankProgram> programs;
  programs.push_back(std::move(builder(3, 0).send(1, schedule::blocks(0))).finish());
  programs.push_back(std::move(builder(3, 1)
                                   .recv(0, schedule::blocks(0))
                                   .next_round()
                                   .reduce(schedule::blocks(1), schedule::blocks(0))
                                   .next_round()
                                   .send(2, schedule::blocks(1)))
                         .finish());
  programs.push_back(std::move(builder(3, 2).recv(1, schedule::blocks(1))).finish());
  // There at 16, combined at 18, sent at 29, there at 34.
  EXPECT_EQ(replay(programs, machine, 1), (std::vector<double>{11, 29, 34}));
}

TEST(Replay, WaitsForSendsWhereAsked) {
  std::vector<RankProgram> programs;
  programs.push_back(std::move(builder(2, 0)
                                   .send(1, schedule::blocks(0))
                                   .wait_for_sends()
                                   .copy(schedule::blocks(0), schedule::blocks(1)))
                         .finish());
  programs.push_back(std::move(builder(2, 1).recv(0, schedule::blocks(0))).finish());
  EXPECT_EQ(replay(programs, machine, 1).front(), 11);
}

TEST(Replay, RefusesMessagesWithoutPartner) {
  std::vector<RankProgram> programs;
  programs.push_back(std::move(builder(2, 0).send(1, schedule::blocks(0))).finish());
  programs.push_back(std::move(builder(2, 1)).finish());
  EXPECT_THROW(static_cast<void>(replay(programs, machine, 1)), Error);
}

TEST(Replay, RefusesRanksThatWaitForEachOther) {
  std::vector<RankProgram> programs;
  for (int const rank : {0, 1}) {
    programs.push_back(std::move(builder(2, rank)
                                     .recv(1 - rank, schedule::blocks(0))
                                     .next_round()
                                     .send(1 - rank, schedule::blocks(1)))
                           .finish());
  }
  EXPECT_THROW(static_cast<void>(replay(programs, machine, 1)), Error);
}

TEST(Replay, OfRoundsWithOneMessageIsHockneysFormula) {
  Hockney const hockney{.alpha = 3, .beta = 0.5, .gamma = 0};
  for (std::string const name : {"allgather/ring", "allgather/bruck", "bcast/binomial"}) {
    for (int const p : {1, 2, 3, 8, 13}) {
      Choice const choice = Choice::parse(name);
      double const formula = time(*closed_form(choice.facts(p, 0)), hockney, 4);
      EXPECT_DOUBLE_EQ(replay_time(choice, p, 0, network(hockney), 4), formula) << name << p;
    }
  }
}

TEST(Replay, OfSegmentsIsThePipeline) {
  Hockney const hockney{.alpha = 3, .beta = 0.5, .gamma = 0};
  for (int const p : {2, 3, 7}) {
    for (int const segments : {2, 5, 20}) {
      Choice const chain = Choice::parse("bcast/chain[segments=" + std::to_string(segments) + "]");
      double const steps = p - 2 + segments;
      EXPECT_DOUBLE_EQ(replay_time(chain, p, 0, network(hockney), 4), steps * 5) << p << segments;
    }
  }
}

TEST(Replay, OfEachAlgorithmTakesAtLeastWhatItsBusiestRankSends) {
  Hockney const hockney{.alpha = 3, .beta = 0.5, .gamma = 0.25};
  for (schedule::Collective const collective : schedule::all_collectives()) {
    for (int const p : {1, 2, 5, 8, 12, 17}) {
      for (Choice const& choice : algorithms::variants(collective, p)) {
        algorithms::Facts const facts = choice.facts(p, 0);
        double const sending = 3.0 * static_cast<double>(facts.messages);
        EXPECT_GE(replay_time(choice, p, 0, network(hockney), 4), sending)
            << choice.text() << " p = " << p;
      }
    }
  }
}

}  // namespace
}  // namespace espalier::cost
