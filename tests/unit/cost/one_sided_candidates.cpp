// SPDX-License-Identifier: Apache-2.0

/// @file
/// Which candidates a request has, and which of them the model prefers.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/cost/one_sided/benchmark_programs.hpp"
#include "espalier/cost/one_sided/candidates.hpp"
#include "espalier/cost/one_sided/form_ranking.hpp"
#include "espalier/cost/one_sided/programs.hpp"

namespace espalier::cost {
namespace {

using schedule::AddressMode;
using schedule::Collective;
using schedule::Mechanism;
using schedule::OperandOrder;
using schedule::Sync;

constexpr OneSidedMachine ranger{
    .network = {.latency = 2.0, .overhead = 0.5, .gap = 2.0, .per_byte = 1e-3},
    .overhead_receive = 0,
    .speed = {.per_combined_byte = 0.28e-3, .per_copied_byte = 0.19e-3}
};

constexpr Collective collectives[] = {
    Collective::bcast,
    Collective::scatter,
    Collective::gather,
    Collective::reduce,
    Collective::allgather,
    Collective::alltoall,
    Collective::allreduce,
    Collective::reduce_scatter,
    Collective::barrier,
};

bool has(std::vector<OneSidedCandidate> const& candidates, Mechanism mechanism) {
  return std::ranges::any_of(candidates, [=](OneSidedCandidate const& candidate) {
    return candidate.form.mechanism == mechanism;
  });
}

class CandidatesOf : public testing::TestWithParam<Collective> {};

TEST_P(CandidatesOf, EachModeAndAddressModeAreThere) {
  for (auto const mode : schedule::all_synchronizations()) {
    for (auto const addresses : schedule::all_address_modes) {
      for (int const p : {1, 2, 5}) {
        OneSidedRequest const request{
            .collective = GetParam(),
            .num_ranks = p,
            .num_bytes = 1e4,
            .mode = mode,
            .addresses = addresses
        };
        EXPECT_FALSE(one_sided_candidates(request).empty())
            << to_string(mode) << " " << to_string(addresses) << " " << p;
      }
    }
  }
}

TEST_P(CandidatesOf, FitTheRequest) {
  OneSidedRequest const request{
      .collective = GetParam(),
      .num_ranks = 12,
      .num_bytes = 1e4,
      .mode = {.in = Sync::mysync, .out = Sync::allsync},
      .addresses = AddressMode::local
  };
  for (OneSidedCandidate const& candidate : one_sided_candidates(request)) {
    EXPECT_EQ(candidate.choice.collective(), GetParam());
    EXPECT_EQ(candidate.form.mode, request.mode);
    EXPECT_EQ(candidate.form.addresses, AddressMode::local);
    EXPECT_EQ(schedule::refusal(candidate.form), "");
  }
}

/// The first step may drop the best candidate; here it does not, or by no more than what k-ary and
/// k-nomial trees differ in when they are released.
TEST_P(CandidatesOf, AreRankedAlmostAsWellWithinTheLimitsOfPlanning) {
  for (double const num_bytes : {64.0, 65536.0}) {
    for (Sync const sync : {Sync::nosync, Sync::allsync}) {
      OneSidedRequest const request{
          .collective = GetParam(),
          .num_ranks = 13,
          .num_bytes = num_bytes,
          .mode = {.in = sync, .out = sync}
      };
      double const limited = best_one_sided(request, ranger).time;
      double const best = best_one_sided(request, ranger, PlanningLimits::none()).time;
      EXPECT_LE(limited, 1.15 * best) << num_bytes << " " << to_string(request.mode);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    OneSided,
    CandidatesOf,
    testing::ValuesIn(collectives),
    [](auto const& collective) { return std::string(to_string(collective.param)); }
);

TEST(OneSidedCandidates, AreNotEagerAboveTheLargestMedium) {
  OneSidedRequest request{.num_ranks = 8, .num_bytes = 1000, .largest_medium = 1000};
  EXPECT_TRUE(has(one_sided_candidates(request), Mechanism::eager));
  request.num_bytes = 1001;
  std::vector<OneSidedCandidate> const candidates = one_sided_candidates(request);
  for (OneSidedCandidate const& candidate : candidates) {
    // Schedules that cut the message send less of it at a time.
    EXPECT_TRUE(candidate.form.mechanism != Mechanism::eager || candidate.choice.num_pieces(8) > 1)
        << candidate.choice.text();
  }
  EXPECT_TRUE(has(candidates, Mechanism::rendezvous));
}

TEST(OneSidedCandidates, KeepWithinScratchMemory) {
  OneSidedRequest const request{
      .num_ranks = 8, .num_bytes = 1000, .addresses = AddressMode::local, .scratch_bytes = 0
  };
  std::vector<OneSidedCandidate> const candidates = one_sided_candidates(request);
  EXPECT_FALSE(has(candidates, Mechanism::eager));
  EXPECT_TRUE(has(candidates, Mechanism::rendezvous));
}

TEST(OneSidedCandidates, OfReductionsKeepTheOrderThatTheOperatorNeeds) {
  OneSidedRequest request{.collective = Collective::reduce, .num_ranks = 12, .num_bytes = 800};
  auto const num_choices = [&](OperandOrder order) {
    request.order = order;
    for (OneSidedCandidate const& candidate : one_sided_candidates(request)) {
      EXPECT_GE(candidate.choice.order(12, 0), order) << candidate.choice.text();
    }
    return applicable_choices(request).size();
  };
  auto const any = num_choices(OperandOrder::any);
  auto const in_rank_order = num_choices(OperandOrder::rank);
  EXPECT_LT(in_rank_order, any);
  EXPECT_GT(in_rank_order, 0);
}

TEST(OneSidedCandidates, DoNotRepeatPrograms) {
  // Each rank of a tree has one message to await, so that counting changes nothing.
  OneSidedRequest const request{.num_ranks = 8, .num_bytes = 8};
  for_each_form(
      request,
      algorithms::Choice::parse("bcast/binomial"),
      [](OneSidedPrograms const& made) {
        EXPECT_NE(made.candidate.form.mechanism, Mechanism::counting_put);
        return true;
      }
  );
}

TEST(OneSidedCandidates, RefuseWhatCannotBe) {
  EXPECT_THROW(static_cast<void>(applicable_choices({.num_ranks = 4, .root = 4})), Error);
  EXPECT_THROW(static_cast<void>(applicable_choices({.num_ranks = 4, .num_bytes = -1})), Error);
  OneSidedRequest const in_no_memory{
      .collective = Collective::reduce, .num_ranks = 4, .num_bytes = 8, .scratch_bytes = 1
  };
  EXPECT_THROW(static_cast<void>(best_one_sided(in_no_memory, ranger)), Error);
}

TEST(OneSidedRanking, IsByTimeAndHasTheTimesOfTheReplay) {
  OneSidedRequest const request{.num_ranks = 16, .num_bytes = 512};
  std::vector<RankedOneSided> const ranking =
      rank_one_sided(request, ranger, PlanningLimits::none());
  EXPECT_EQ(ranking.size(), one_sided_candidates(request).size());
  EXPECT_TRUE(std::ranges::is_sorted(ranking, {}, &RankedOneSided::time));
  auto const programs = one_sided_programs(
      message_programs(ranking.front().candidate.choice, 16, 0), ranking.front().candidate.form
  );
  OneSidedCall const call{.programs = programs, .sizes = 512.0};
  EXPECT_EQ(ranking.front().time, replay_calls({&call, 1}, ranger).end());
}

TEST(OneSidedRanking, PreselectsAmongThoseThatMoveWholeVectors) {
  // Segments would be first by messages, and none of them has a form.
  PlanningLimits few = PlanningLimits::none();
  few.most_choices = 12;
  std::set<std::string> choices;
  for (RankedOneSided const& one :
       rank_one_sided({.num_ranks = 24, .num_bytes = 1 << 20}, ranger, few)) {
    choices.insert(one.candidate.choice.text());
  }
  EXPECT_EQ(choices.size(), 12);
}

TEST(OneSidedRanking, StopsWhenEnoughOperationsWereReplayed) {
  OneSidedRequest const request{
      .collective = Collective::alltoall, .num_ranks = 16, .num_bytes = 1600
  };
  PlanningLimits const little{.most_choices = 10, .most_operations = 1};
  EXPECT_EQ(rank_one_sided(request, ranger, little).size(), 1);
}

TEST(BenchmarkPrograms, AnswerMessagesAndSendWithoutPause) {
  auto const time = [](std::vector<schedule::RankProgram> const& programs, double num_bytes) {
    OneSidedCall const call{.programs = programs, .sizes = num_bytes};
    return replay_calls({&call, 1}, ranger).end();
  };
  EXPECT_NEAR(time(one_sided_programs(answered_message(), {}), 1000), 2 * 4.5 + 1, 1e-9);
  EXPECT_NEAR(time(plain_get(), 1000), 4.5 + 4 + 1, 1e-9);
  EXPECT_NEAR(time(one_sided_programs(flood(3, 7), {}), 7000), 0.5 + 7 * 3 + 2, 1e-9);
  EXPECT_THROW(static_cast<void>(flood(0, 1)), Error);
}

}  // namespace
}  // namespace espalier::cost
