// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/schedule/program.hpp"
#include "tests/property/random_choice.hpp"

namespace espalier::test {

/// Changes the programs of all ranks a little, in a way that often leaves them correct: waits,
/// order or tags.
void change(std::vector<schedule::RankProgram>& programs, Random& random);

}  // namespace espalier::test
