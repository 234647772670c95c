// SPDX-License-Identifier: Apache-2.0

/// @file
/// What is worth trying on a machine is proved, as the catalog is.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/candidates/machine_variants.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/machine/tree/placement.hpp"
#include "espalier/verify/verify.hpp"

namespace espalier {
namespace {

using algorithms::Choice;
using schedule::Collective;

void expect_proved(std::vector<Choice> const& choices, int num_ranks) {
  for (Choice const& choice : choices) {
    int const root = schedule::has_root(choice.collective()) ? num_ranks / 2 : 0;
    if (!choice.refuses(num_ranks, root).empty()) {
      continue;
    }
    verify::Verdict const verdict = verify::prove(choice, num_ranks, root);
    EXPECT_TRUE(verdict.holds()) << choice.text() << " on " << num_ranks << " ranks, root " << root
                                 << ": " << to_string(*verdict.violation);
  }
}

class ProverCandidates : public testing::TestWithParam<Collective> {};

TEST_P(ProverCandidates, AreProvedForNodes) {
  using candidates::NativePhases;
  for (std::vector<int> const& node_of_rank : {
           std::vector{0, 0, 0, 1, 1, 1, 2, 2, 2},
           std::vector{0, 0, 1, 1, 1, 1, 2},
           std::vector{0, 1, 2, 3, 0, 1, 2, 3, 0, 1},
           std::vector{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
       }) {
    auto const num_ranks = static_cast<int>(node_of_rank.size());
    expect_proved(
        candidates::node_variants(GetParam(), node_of_rank, NativePhases::with), num_ranks
    );
  }
}

TEST_P(ProverCandidates, AreProvedForMachines) {
  machine::Machine const machine = machine::read("3n x 2s x 3c");
  for (std::string const placement : {"block", "cyclic"}) {
    std::vector<int> const cores = machine::place(machine, placement, 18);
    expect_proved(candidates::machine_variants(GetParam(), machine, cores), 18);
  }
}

INSTANTIATE_TEST_SUITE_P(
    ,
    ProverCandidates,
    testing::ValuesIn(schedule::all_collectives().begin(), schedule::all_collectives().end()),
    [](auto const& tested) { return std::string(to_string(tested.param)); }
);

}  // namespace
}  // namespace espalier
