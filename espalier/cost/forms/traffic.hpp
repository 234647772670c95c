// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a schedule sends between the nodes (sockets, switches, ...) of a machine.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/machine/tree/machine.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::cost {

/// Messages, and the blocks in them.
struct Amount {
  std::int64_t messages = 0;
  std::int64_t blocks = 0;

  Amount& operator+=(Amount const& other) noexcept;
  friend bool operator==(Amount const&, Amount const&) = default;
};

/// For each level of the machine what travels from one of its objects to another; of the last
/// level, cores, that is everything.
using Crossings = std::vector<Amount>;

/// Crossings of each round.
/// @param core_of of each rank, as place() gives it.
/// @throws Error as Choice::generate.
[[nodiscard]] std::vector<Crossings> traffic(
    algorithms::Choice const& choice,
    int num_ranks,
    int root,
    machine::Machine const& machine,
    std::span<int const> core_of
);

/// Adds what one program sends; rounds grow as needed.
void add_traffic(
    std::vector<Crossings>& rounds,
    schedule::RankProgram const& program,
    machine::Machine const& machine,
    std::span<int const> core_of
);

/// Sum over rounds.
[[nodiscard]] Crossings total(std::span<Crossings const> rounds, machine::Machine const& machine);

}  // namespace espalier::cost
