// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the prover accepts works for every timing: schedules are changed at random, and those that
/// are still accepted are run many times by an unkind interpreter.

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/schedule/transforms.hpp"
#include "espalier/verify/verify.hpp"
#include "tests/property/changer.hpp"
#include "tests/property/interpreter.hpp"
#include "tests/property/random_choice.hpp"

namespace espalier::test {
namespace {

using schedule::Collective;
using schedule::RankProgram;
using verify::Contract;

using Programs = std::vector<RankProgram>;

struct Subject {
  std::string name;
  Programs programs;
  Contract contract;
};

/// Any collective that has algorithms.
Collective any_collective(Random& random) {
  auto const catalog = algorithms::catalog();
  return catalog[below(random, catalog.size())]->collective;
}

Subject any_subject(Random& random) {
  Collective const collective = any_collective(random);
  int const p = 2 + static_cast<int>(below(random, 4));
  auto const choices = algorithms::variants(collective, p);
  if (choices.empty()) {
    return any_subject(random);
  }
  auto const& choice = choices[below(random, choices.size())];
  int const root = schedule::has_root(collective)
                       ? static_cast<int>(below(random, static_cast<std::size_t>(p)))
                       : 0;
  if (!choice.refuses(p, root).empty()) {
    return any_subject(random);
  }
  Subject subject{
      .name = choice.text() + " on " + std::to_string(p) + " ranks, root " + std::to_string(root),
      .programs = verify::generate_all(choice, p, root),
      .contract = verify::contract_for(choice, p, root),
  };
  bool const gathers = collective == Collective::allgather;
  bool const can_run_backwards = gathers || collective == Collective::bcast;
  bool const moves_output_only = choice.facts(p, root).scratch == 0;
  if (can_run_backwards && moves_output_only && choice.num_segments() == 1 &&
      below(random, 3) == 0) {
    int const num_rounds = choice.facts(p, root).rounds;
    for (RankProgram& program : subject.programs) {
      program = schedule::reverse(program, num_rounds);
    }
    subject.name += " reversed";
    subject.contract.collective = gathers ? Collective::reduce_scatter : Collective::reduce;
  }
  return subject;
}

bool fails(Subject const& subject, Random& random) {
  for (int run = 0; run < 10; ++run) {
    if (!run_once(subject.programs, subject.contract, random).empty()) {
      return true;
    }
  }
  return false;
}

TEST(ProverSoundness, WhatIsAcceptedWorksForEveryTiming) {
  unsigned const seed = std::random_device{}();
  Random random(seed);
#ifdef ESPALIER_FEW_RANKS
  constexpr int num_trials = 300;
#else
  constexpr int num_trials = 3000;
#endif
  int num_accepted = 0;
  int num_rejected = 0;
  int num_seen_failing = 0;
  for (int trial = 0; trial < num_trials; ++trial) {
    Subject subject = any_subject(random);
    Programs const original = subject.programs;
    for (std::size_t i = below(random, 4); i > 0; --i) {
      change(subject.programs, random);
    }
    if (!verify::verify(subject.programs, subject.contract).holds()) {
      ++num_rejected;
      num_seen_failing += fails(subject, random) ? 1 : 0;
      continue;
    }
    num_accepted += subject.programs == original ? 0 : 1;
    for (int run = 0; run < 10; ++run) {
      ASSERT_EQ(run_once(subject.programs, subject.contract, random), "")
          << subject.name << ", trial " << trial << ", seed " << seed;
    }
  }
  EXPECT_GT(num_accepted, num_trials / 20) << "seed " << seed;
  EXPECT_GT(num_rejected, num_trials / 20) << "seed " << seed;
  // The interpreter has to be able to tell.
  EXPECT_GT(num_seen_failing, num_rejected / 4) << "seed " << seed;
}

}  // namespace
}  // namespace espalier::test
