// SPDX-License-Identifier: Apache-2.0

/// @file
/// The prover for neighborhood collectives: the same engine and rules, with the graph's own promise
/// of who ends with what.

#pragma once

#include <vector>

#include "espalier/neighborhood/catalog.hpp"
#include "espalier/schedule/program.hpp"
#include "espalier/verify/contract.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// Input block k of rank r has a value of its own (neighbor_alltoall), or the rank's one block has
/// (neighbor_allgather); output block j has to get that of the edge at its other end. Blocks of
/// absent ends have none.
[[nodiscard]] Exchange exchange_of(neighborhood::Request const& request);

/// The programs of all ranks.
/// @throws Error as neighborhood::generate.
[[nodiscard]] std::vector<schedule::RankProgram>
generate_all(neighborhood::Algorithm const& algorithm, neighborhood::Request const& request);

/// Generates the programs of all ranks, judges them, and compares with what the algorithm says of
/// itself.
/// @throws Error as neighborhood::generate.
[[nodiscard]] Verdict
prove(neighborhood::Algorithm const& algorithm, neighborhood::Request const& request);

/// The same for given programs, instead of those that the algorithm generates.
[[nodiscard]] Verdict prove(
    neighborhood::Algorithm const& algorithm,
    neighborhood::Request const& request,
    std::vector<schedule::RankProgram> const& programs
);

}  // namespace espalier::verify
