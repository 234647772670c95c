// SPDX-License-Identifier: Apache-2.0

/// @file
/// Compositions with phases of the MPI library keep the promise of their collective, whatever these
/// do inside: for every algorithm that takes such phases, in every combination.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/composed/native.hpp"
#include "espalier/base/error.hpp"
#include "espalier/schedule/json.hpp"
#include "espalier/verify/verify.hpp"

namespace espalier {
namespace {

using algorithms::Algorithm;
using algorithms::Choice;
using algorithms::Parameter;
using schedule::RankProgram;

/// `inner=native`, `across=native`, and both.
std::vector<std::string> combinations(Algorithm const& algorithm) {
  std::vector<std::string> result{""};
  for (Parameter const& parameter : algorithm.parameters) {
    if (parameter.type == Parameter::Type::algorithm &&
        algorithms::takes_native(algorithm, parameter)) {
      std::size_t const size = result.size();
      for (std::size_t i = 0; i < size; ++i) {
        result.push_back(result[i] + "," + std::string(parameter.name) + "=native");
      }
    }
  }
  result.erase(result.begin());
  return result;
}

std::vector<std::string> layouts(int p) {
  std::vector<std::string> result{"rows=2"};
  if (p >= 5) {
    result.push_back("sizes=2x1x" + std::to_string(p - 3));
  }
  if (p >= 8) {
    result.insert(result.end(), {"rows=2x2", "rows=4"});
  }
  return result;
}

std::vector<Choice> choices_with_native_phases(int p) {
  std::vector<Choice> result;
  for (Algorithm const* algorithm : algorithms::catalog()) {
    for (std::string const& phases : combinations(*algorithm)) {
      for (std::string const& layout : layouts(p)) {
        std::string const name(algorithm->name);
        Choice const choice =
            Choice::parse(algorithm->collective, name + "[" + layout + phases + "]");
        if (choice.refuses(p, 0).empty()) {
          result.push_back(choice);
        }
      }
    }
  }
  return result;
}

class ProverNative : public testing::TestWithParam<int> {};

TEST_P(ProverNative, ProvesAllCombinations) {
  int const p = GetParam();
  for (Choice const& choice : choices_with_native_phases(p)) {
    int const num_roots = schedule::has_root(choice.collective()) ? p : 1;
    for (int root = 0; root < num_roots; ++root) {
      SCOPED_TRACE(choice.text() + " p " + std::to_string(p) + " root " + std::to_string(root));
      verify::Verdict const verdict = verify::prove(choice, p, root);
      ASSERT_TRUE(verdict.holds()) << to_string(*verdict.violation);
    }
  }
}

/// In groups that may be native a rank is whatever the root is: communicators are made before.
TEST_P(ProverNative, GroupsDoNotDependOnTheRoot) {
  int const p = GetParam();
  for (Choice const& choice : choices_with_native_phases(p)) {
    if (!schedule::has_root(choice.collective())) {
      continue;
    }
    for (int rank = 0; rank < p; ++rank) {
      RankProgram const known = choice.generate(p, rank, rank);
      for (int root = 0; root < p; ++root) {
        for (auto const& call : choice.generate(p, root, rank).native_calls) {
          EXPECT_NE(
              std::ranges::find(known.native_calls, call.members, &schedule::NativeCall::members),
              known.native_calls.end()
          ) << choice.text()
            << " rank " << rank << " root " << root;
        }
      }
    }
  }
}

/// Communicators are made of the groups that ranks list with themselves as root.
TEST_P(ProverNative, AllMembersListAGroup) {
  int const p = GetParam();
  for (Choice const& choice : choices_with_native_phases(p)) {
    bool const has_root = schedule::has_root(choice.collective());
    std::vector<RankProgram> programs;
    for (int rank = 0; rank < p; ++rank) {
      programs.push_back(choice.generate(p, has_root ? rank : 0, rank));
    }
    for (RankProgram const& program : programs) {
      for (schedule::NativeCall const& call : program.native_calls) {
        for (int const member : call.members) {
          auto const& calls = programs[static_cast<std::size_t>(member)].native_calls;
          EXPECT_NE(
              std::ranges::find(calls, call.members, &schedule::NativeCall::members), calls.end()
          ) << choice.text()
            << " rank " << program.rank << " member " << member;
        }
      }
    }
  }
}

/// With stand-ins for models, too, and as a document.
TEST_P(ProverNative, ProvesStandInsAndDocuments) {
  int const p = GetParam();
  for (Choice const& choice : choices_with_native_phases(p)) {
    std::vector<RankProgram> programs = verify::generate_all(choice, p, 0);
    for (RankProgram const& program : programs) {
      EXPECT_EQ(schedule::from_json(schedule::to_json(program)), program) << choice.text();
    }
    std::ranges::transform(programs, programs.begin(), algorithms::with_stand_ins);
    auto contract = verify::contract_for(choice, p, 0);
    contract.order = schedule::OperandOrder::any;
    verify::Verdict const verdict = verify::verify(programs, contract);
    // Rounds of a stand-in are not those of the phase.
    EXPECT_TRUE(verdict.holds() || verdict.violation->rule == verify::ProverRule::facts)
        << choice.text() << ": " << to_string(*verdict.violation);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, ProverNative, testing::Values(2, 3, 4, 5, 7, 8, 9, 12));

TEST(NativePhases, AreThereForEveryCollectiveWithGroups) {
  std::vector<algorithms::Collective> found;
  for (Choice const& choice : choices_with_native_phases(8)) {
    found.push_back(choice.collective());
  }
  for (auto const collective : schedule::all_collectives()) {
    bool const is_served = algorithms::native_phase(collective) != nullptr;
    EXPECT_EQ(std::ranges::find(found, collective) != found.end(), is_served)
        << to_string(collective);
  }
}

TEST(NativePhases, AreNoAlgorithmsByThemselves) {
  EXPECT_THROW(Choice::parse("allgather/native"), Error);
  EXPECT_THROW(Choice::parse("barrier/hierarchical[down=native]"), Error);
  EXPECT_THROW(Choice::parse("scan/hierarchical[across=native]"), Error);
  EXPECT_THROW(Choice::parse("bcast/scatter_allgather[allgather=native]"), Error);
}

/// What looks at its own phases cannot see those of a phase.
TEST(NativePhases, AreOfTheOutermostAlgorithmOnly) {
  for (std::string const text : {
           "allgather/multi_lane[sizes=4x3x1,lane=orthogonal[inner=native]]",
           "allgather/hierarchical[sizes=3x3x2,across=multi_lane[rows=1,join=native]]",
           "allgather/hierarchical[sizes=1x3x2x2,across=orthogonal[inner=native]]",
           "bcast/scatter_allgather[allgather=hierarchical[across=native]]",
           "gather/multi_lane[rows=2,join=orthogonal[inner=native]]",
           "gather/multi_lane[rows=2,lanes=2,join=orthogonal[rows=1,inner=native]]",
           "scatter/multi_lane[rows=3,lane=orthogonal[inner=native]]",
           "allreduce/reduce_scatter_allgather[allgather=orthogonal[inner=native]]",
       }) {
    EXPECT_THROW(Choice::parse(text), Error) << text;
  }
}

TEST(NativePhases, NeedRowsOfOneSizeBetweenRows) {
  Choice const across = Choice::parse("allgather/orthogonal[rows=2,inner=ring,across=native]");
  EXPECT_EQ(across.refuses(5, 0), "across=native needs rows of one size");
  EXPECT_EQ(across.refuses(6, 0), "");
  EXPECT_EQ(
      Choice::parse("allgather/orthogonal[rows=2,inner=native,across=ring]").refuses(5, 0), ""
  );
  Choice const segmented = Choice::parse("bcast/orthogonal[rows=2,inner=native,segments=4]");
  EXPECT_NE(segmented.refuses(6, 0), "");
}

}  // namespace
}  // namespace espalier
