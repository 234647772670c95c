// SPDX-License-Identifier: Apache-2.0

/// @file
/// An interpreter that is as unkind as it may be: it starts operations in any allowed order, lets a
/// message leave the sender's memory at any time after the send has started, lets it arrive at any
/// time after that, and fills blocks with garbage while they are being received.

#pragma once

#include <string>
#include <vector>

#include "espalier/verify/verify.hpp"
#include "tests/property/random_choice.hpp"

namespace espalier::test {

/// Runs the programs of all ranks once. Empty if everything completed with the promised result,
/// otherwise what is wrong.
std::string run_once(
    std::vector<schedule::RankProgram> const& programs,
    verify::Contract const& contract,
    Random& random
);

}  // namespace espalier::test
