// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <vector>

#include "espalier/neighborhood/catalog.hpp"
#include "espalier/verify/drawing.hpp"

namespace espalier::verify {

/// What some of the ranks send in each round:
///
///     sent, p = 9   rank 4
///     round 0       1:40,41,42 7:46,47,48
///     round 1       3:43,03,63 5:45,25,85
///
/// A cell has `receiver:blocks` for each message: `from to` of each block of neighbor_alltoall,
/// whose block it is in neighbor_allgather.
/// @param ranks those to draw; empty: all.
/// @throws Error as neighborhood::generate; argument for a rank that is none; unsupported if the
///   prover rejects the programs.
[[nodiscard]] std::string draw_sent(
    neighborhood::Algorithm const& algorithm,
    neighborhood::Request const& request,
    std::span<int const> ranks = {}
);

/// All messages by round, sender and position in the program.
/// @throws Error as draw_sent.
[[nodiscard]] std::vector<Sent>
sent_messages(neighborhood::Algorithm const& algorithm, neighborhood::Request const& request);

}  // namespace espalier::verify
