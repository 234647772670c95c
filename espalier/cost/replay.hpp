// SPDX-License-Identifier: Apache-2.0

/// @file
/// Runs the programs of all ranks on a model of a machine without contention.

#pragma once

#include <span>
#include <vector>

#include "espalier/cost/hockney.hpp"
#include "espalier/cost/loggp.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::cost {

/// A rank sends one message at a time and takes in one at a time, both at once; each occupies it
/// for per_message + per_byte * bytes. A message arrives `latency` after its last byte was sent.
/// Reductions run one at a time beside that; copies and waiting cost nothing.
struct Network {
  double per_message = 0;
  double per_byte = 0;
  double latency = 0;
  double per_combined_byte = 0;
};

/// Hockney's machine.
[[nodiscard]] Network network(Hockney const& machine);

/// Which end of a message the models let pay the overhead o.
enum class Overhead { sender, receiver, both };

/// A LogGP machine, per message: gap g, at the paying end or ends o.
[[nodiscard]] Network network(LogGP const& machine, Overhead overhead = Overhead::both);

/// When each rank has finished, if all begin at 0.
///
/// Operations start when what they wait for is complete, in program order where several can;
/// rounds mean nothing. Data may arrive before its receive begins.
/// @throws Error argument if a message has no partner or ranks wait for each other.
[[nodiscard]] std::vector<double>
replay(std::span<schedule::RankProgram const> programs, Network const& network, double block_bytes);

/// When the last rank has finished, generating the programs.
/// @throws Error as Choice::generate.
[[nodiscard]] double replay_time(
    algorithms::Choice const& choice,
    int num_ranks,
    int root,
    Network const& network,
    double block_bytes
);

}  // namespace espalier::cost
