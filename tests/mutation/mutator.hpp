// SPDX-License-Identifier: Apache-2.0

/// @file
/// Every change of a single operation of correct programs.
///
/// Changes of kind, peer, tag, blocks, rounds and of the number of operations must be rejected. A
/// change of what an operation waits for must be rejected exactly if it matters, that is, if
/// afterwards two operations of the rank touch a block, one of them writes, and neither comes
/// before the other in the transitive closure of what operations wait for; or if two messages of a
/// pair, direction and tag may start in either order. The closure is computed here by brute force.

#pragma once

#include <functional>
#include <string>

#include "espalier/verify/verdict.hpp"
#include "tests/mutation/mutants.hpp"

namespace espalier::mutation {

/// Correct programs, and how to judge changed ones.
struct Subject {
  std::string name;
  Programs programs;
  std::function<verify::Verdict(Programs const&)> judge;
};

/// Changes one operation after the other and looks at what the prover says; the number of changes.
/// Very long programs are left out.
int mutate(Subject subject);

}  // namespace espalier::mutation
