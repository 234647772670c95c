// SPDX-License-Identifier: Apache-2.0

/// @file
/// What an algorithm file says about itself. Everything else - proof, drawing, tests,
/// documentation, tuning candidates - is derived from the catalog of these.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/algorithms/algorithm_name.hpp"
#include "espalier/algorithms/choices/arguments.hpp"
#include "espalier/schedule/collective.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::algorithms {

using schedule::Collective;
using schedule::OperandOrder;

/// What a generator may depend on. Equal on all ranks, except `rank`, which is passed beside it.
struct Request {
  int num_ranks = 1;
  int root = 0;  ///< 0 where the collective has none
  Arguments arguments;
};

/// What the file head promises and the prover counts.
///
/// Rounds, volume and reductions are the closed form of the time on a machine without contention:
/// rounds * alpha + (volume * beta + reductions * gamma) * bytes of a block. Where a schedule has
/// no closed form these two are missing, and have to be counted.
struct Facts {
  int rounds = 0;
  std::int64_t messages = 0;  ///< most messages that one rank sends
  std::int64_t blocks = 0;    ///< most blocks that one rank sends
  std::int64_t scratch = 0;   ///< most scratch blocks of one rank
  /// Sum over rounds of the most blocks that one rank sends or receives in it.
  std::optional<std::int64_t> volume;
  /// Sum over rounds of the most blocks that one rank combines in it.
  std::optional<std::int64_t> reductions{0};

  friend bool operator==(Facts const&, Facts const&) = default;
};

/// Raises messages, blocks and scratch to those of one rank's program.
void include(Facts& facts, schedule::RankProgram const& program);

/// The phases of other algorithms in which an algorithm is tried without being asked for.
enum class Tried {
  in_groups,     ///< of those with rows, where rows fit the machine: nodes, packages
  within_rows,   ///< of those with rows, on any machine
  between_rows,  ///< the same for what works between the rows
  in_pieces,     ///< after a scatter of the pieces of a vector
  as_signals,    ///< of a barrier, which sends a signal for each message
};

/// With which arguments an algorithm is tried as a phase.
struct PhaseVariant {
  Tried tried = Tried::in_groups;
  std::string_view arguments;  ///< as in `[k=4]`
  /// Lower ones are tried first; of equal ones those that the catalog lists first.
  int turn = 1;
  /// Of the algorithm that has the phase.
  int most_ranks = std::numeric_limits<int>::max();
};

struct Algorithm {
  Collective collective = Collective::allgather;
  AlgorithmName name;
  std::string_view summary;  ///< one sentence, no full stop
  std::string_view source;   ///< keys of docs/references.bib, separated by commas
  std::string_view valid = "any number of ranks";
  std::vector<Parameter> parameters;
  /// A name is a promise: peers are only rank - 1 and rank + 1 (modulo p).
  bool neighbours_only = false;
  /// All blocks must have the same size: no v-variant.
  bool equal_blocks_only = false;

  /// Empty if the request can be served, otherwise what was expected and found.
  std::string (*refuses)(Request const&) = [](Request const&) { return std::string(); };
  /// The program of one rank, in place (see schedule::contributed); O(size of that program).
  schedule::RankProgram (*generate)(Request const&, int rank) = nullptr;
  Facts (*facts)(Request const&) = nullptr;
  /// The rounds of facts(), where the rest of it has to be counted over all ranks; null if not.
  int (*rounds)(Request const&) = nullptr;
  /// Reductions: what happens to the order of operands, with these arguments and this root.
  OperandOrder (*order)(Request const&) = [](Request const&) { return OperandOrder::any; };
  /// Collectives without parts: into how many pieces the vector is cut, before segments.
  int (*num_pieces)(Request const&) = [](Request const&) { return 1; };
  /// Most messages that one rank sends per segment, at least 1; 0 if blocks cannot be cut into
  /// segments with these arguments; null if never.
  int (*segment_period)(Request const&) = nullptr;
  /// Argument lists worth trying for a request: `[k=3]`, `[k=4]`, ... Always at least one.
  std::vector<std::string> (*variants)(Request const&) = [](Request const&) {
    return std::vector<std::string>{""};
  };
  /// As what it is tried where it is a phase of another algorithm; if empty, never, but it may
  /// still be given as an argument.
  std::vector<PhaseVariant> phase_variants;
};

/// A frame with this many output blocks and nothing else.
[[nodiscard]] schedule::Frame output_frame(int num_ranks, int num_blocks);

}  // namespace espalier::algorithms
