// SPDX-License-Identifier: Apache-2.0

/// @file
/// The prover: decides for all timings at once whether the programs of all ranks do together what
/// their collective promises. DESIGN.md lists the rules.

#pragma once

#include <span>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/schedule/program.hpp"
#include "espalier/verify/contract.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// Judges the programs of ranks 0 .. p - 1, in this order.
///
/// Hazards follow from what each operation waits for, not from one execution. Values are carried
/// through one execution in which every send waits for its receive; with no hazard and no choice
/// in matching all other executions give the same values.
/// @throws Error argument if the contract itself makes no sense.
[[nodiscard]] Verdict
verify(std::span<schedule::RankProgram const> programs, Contract const& contract);

/// The programs of all ranks.
/// @throws Error as Choice::generate.
[[nodiscard]] std::vector<schedule::RankProgram>
generate_all(algorithms::Choice const& choice, int num_ranks, int root);

/// What the programs of a choice have to do, in place.
/// @throws Error argument if root is out of range; what refuses() accepts.
[[nodiscard]] Contract contract_for(algorithms::Choice const& choice, int num_ranks, int root);

/// Generates the programs of all ranks and judges them in place and, where the collective has it,
/// with a separate input; compares with what the algorithm says of itself (rules `facts`, `name`).
/// @throws Error unsupported if the choice refuses the request; argument if root is out of range.
[[nodiscard]] Verdict prove(algorithms::Choice const& choice, int num_ranks, int root);

/// The same for given programs, instead of those that the choice generates.
[[nodiscard]] Verdict prove(
    algorithms::Choice const& choice,
    int num_ranks,
    int root,
    std::vector<schedule::RankProgram> programs
);

/// The same with the ranks in another order. A reduction in rank order has lost that order then,
/// and is judged as one for commutative operators.
[[nodiscard]] Verdict
prove(algorithms::Choice const& choice, algorithms::RankOrder const& order, int root);

}  // namespace espalier::verify
