// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/call.hpp"

#include <string>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::profile {
namespace {

std::string problem(Call call, std::string const& choice, int num_ranks = 8) {
  return refuses(call, algorithms::Choice::parse(choice), num_ranks, 0);
}

TEST(Call, NamesReadBack) {
  for (Call const call : all_calls) {
    EXPECT_EQ(parse_call(to_string(call)), call);
    EXPECT_TRUE(function_name(call).starts_with("MPI_"));
  }
  EXPECT_EQ(function_name(Call::reduce_scatter_block), "MPI_Reduce_scatter_block");
  EXPECT_EQ(collective_of(Call::alltoallw), algorithms::Collective::alltoall);
  EXPECT_THROW(static_cast<void>(parse_call("ibcast")), Error);
}

TEST(Call, NamesOfNonblockingCallsAreThoseOfMpi) {
  for (Call const call : all_calls) {
    for (Form const form : {Form::blocking, Form::nonblocking}) {
      CallForm const one{.call = call, .form = form};
      EXPECT_EQ(parse_call_form(to_string(one)), one);
    }
  }
  CallForm const one{.call = Call::reduce_scatter_block, .form = Form::nonblocking};
  EXPECT_EQ(to_string(one), "ireduce_scatter_block");
  EXPECT_EQ(function_name(one), "MPI_Ireduce_scatter_block");
  EXPECT_THROW(static_cast<void>(parse_call_form("iibcast")), Error);
  EXPECT_THROW(static_cast<void>(parse_call_form("i")), Error);
}

TEST(Call, NamesOfPersistentCallsAreThoseOfMpi) {
  for (Call const call : all_calls) {
    CallForm const one{.call = call, .form = Form::persistent};
    EXPECT_EQ(parse_call_form(to_string(one)), one);
    EXPECT_EQ(parse_rule_call(to_string(one)), one);
  }
  CallForm const one{.call = Call::alltoallv, .form = Form::persistent};
  EXPECT_EQ(to_string(one), "alltoallv_init");
  EXPECT_EQ(function_name(one), "MPI_Alltoallv_init");
  for (char const* const text : {"ibcast_init", "_init", "neighbor_alltoall_init"}) {
    EXPECT_THROW(static_cast<void>(parse_rule_call(text)), Error) << text;
  }
}

TEST(Call, RanksAgreeOnSizesForPersistentCalls) {
  CallForm const planned{.call = Call::alltoallv, .form = Form::persistent};
  CallForm const started{.call = Call::alltoallv, .form = Form::nonblocking};
  auto const problem_of = [](CallForm one, char const* choice) {
    return refuses(one, algorithms::Choice::parse(choice), 8, 0);
  };
  EXPECT_TRUE(has_known_size(planned));
  EXPECT_FALSE(has_known_size(started));
  EXPECT_FALSE(has_known_size({.call = Call::barrier, .form = Form::persistent}));
  for (char const* const choice : {"alltoall/bruck", "alltoall/torus", "alltoall/node_aware"}) {
    EXPECT_EQ(problem_of(planned, choice), "");
    EXPECT_NE(problem_of(started, choice).find("one size"), std::string::npos);
  }
  EXPECT_NE(problem_of(planned, "alltoall/node_aware[lane=native]"), "");
  EXPECT_NE(problem_of(planned, "alltoall/native[algorithm=pairwise]"), "");
  EXPECT_NE(problem_of(planned, "alltoall/bruck[shared_memory=1]"), "");
  CallForm const gathered{.call = Call::gatherv, .form = Form::persistent};
  EXPECT_EQ(problem_of(gathered, "gather/binomial"), "");
}

TEST(Call, RefusesInNonblockingCallsWhatTheLibraryRuns) {
  CallForm const one{.call = Call::allgather, .form = Form::nonblocking};
  auto const problem_of = [&](char const* choice) {
    return refuses(one, algorithms::Choice::parse(choice), 8, 0);
  };
  EXPECT_EQ(problem_of("allgather/ring"), "");
  EXPECT_NE(problem_of("allgather/native[algorithm=ring]").find("blocking calls only"), -1UL);
  EXPECT_NE(problem_of("allgather/orthogonal[rows=2,inner=native]").find("which wait"), -1UL);
  EXPECT_NE(problem_of("allgather/ring[shared_memory=1]").find("ranks of a node share"), -1UL);
}

TEST(Call, StandsAtItsIndex) {
  for (std::size_t i = 0; i < num_calls; ++i) {
    EXPECT_EQ(index_of(all_calls[i]), i);
  }
  for (std::size_t i = num_calls; i < num_rule_calls; ++i) {
    EXPECT_EQ(index_of(neighbor_calls[i - num_calls]), i);
  }
}

TEST(Call, RefusesAlgorithmsOfOtherCollectives) {
  EXPECT_NE(problem(Call::allgather, "bcast/binomial").find("allgather"), std::string::npos);
  EXPECT_EQ(problem(Call::allgatherv, "allgather/ring"), "");
}

TEST(Call, RefusesWhatTheAlgorithmRefuses) {
  EXPECT_NE(problem(Call::allgather, "allgather/recursive_doubling", 6), "");
  EXPECT_EQ(problem(Call::allgather, "allgather/recursive_doubling", 8), "");
}

TEST(Call, RefusesUnevenBlocksWhereTheyMustBeEqual) {
  EXPECT_EQ(problem(Call::alltoall, "alltoall/bruck"), "");
  EXPECT_NE(problem(Call::alltoallv, "alltoall/bruck").find("one size"), std::string::npos);
}

TEST(Call, RefusesToForwardBlocksOfUnknownSize) {
  EXPECT_EQ(problem(Call::gather, "gather/binomial"), "");
  EXPECT_NE(problem(Call::gatherv, "gather/binomial").find("keeps blocks"), std::string::npos);
  EXPECT_EQ(problem(Call::gatherv, "gather/flat"), "");
  // Nobody stands between the root and two others.
  EXPECT_EQ(problem(Call::gatherv, "gather/binomial", 3), "");
}

TEST(Call, RulesAreForNeighborhoodsToo) {
  for (Call const call : neighbor_calls) {
    EXPECT_TRUE(is_neighborhood(call));
    EXPECT_EQ(parse_rule_call(to_string(call)), CallForm{.call = call});
    EXPECT_TRUE(function_name(call).starts_with("MPI_Neighbor_"));
    CallForm const started{.call = call, .form = Form::nonblocking};
    EXPECT_EQ(parse_rule_call("i" + std::string(to_string(call))), started);
    EXPECT_TRUE(function_name(started).starts_with("MPI_Ineighbor_"));
    EXPECT_THROW(static_cast<void>(parse_call_form(to_string(call))), Error);
  }
  EXPECT_FALSE(is_neighborhood(Call::scatterv));
  EXPECT_EQ(parse_rule_call("ibcast").form, Form::nonblocking);
  EXPECT_EQ(
      neighbor_collective_of(Call::neighbor_alltoallw), neighborhood::Collective::neighbor_alltoall
  );
  EXPECT_THROW(static_cast<void>(parse_rule_call("iineighbor_alltoall")), Error);
  EXPECT_THROW(static_cast<void>(parse_rule_call("neighbor_bcast")), Error);
}

}  // namespace
}  // namespace espalier::profile
