// SPDX-License-Identifier: Apache-2.0

/// @file
/// What an algorithm file says about itself. Everything else - proof, drawing, tests,
/// documentation, tuning candidates - is derived from the catalog of these.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/algorithms/arguments.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::algorithms {

/// What the schedule achieves. The v-variants of MPI are the same collective with other block
/// sizes.
enum class Collective : std::uint8_t {
  allgather,  ///< output has p blocks; at the start rank r holds block r, at the end all of them
  bcast,      ///< output has any number of blocks; at the start the root holds all
};

[[nodiscard]] std::string_view to_string(Collective collective) noexcept;

/// What a generator may depend on. Equal on all ranks, except `rank`, which is passed beside it.
struct Request {
  int num_ranks = 1;
  int root = 0;  ///< 0 where the collective has none
  Arguments arguments;
};

/// What the file head promises and the prover counts.
struct Facts {
  int rounds = 0;
  std::int64_t messages = 0;  ///< most messages that one rank sends
  std::int64_t blocks = 0;    ///< most blocks that one rank sends

  friend bool operator==(Facts const&, Facts const&) = default;
};

struct Algorithm {
  Collective collective = Collective::allgather;
  std::string_view name;
  std::string_view summary;  ///< one sentence, no full stop
  std::string_view source;   ///< keys of docs/references.bib, separated by commas
  std::string_view valid = "any number of ranks";
  std::vector<Parameter> parameters;
  /// A name is a promise: peers are only rank - 1 and rank + 1 (modulo p).
  bool neighbours_only = false;

  /// Empty if the request can be served, otherwise what was expected and found.
  std::string (*refuses)(Request const&) = [](Request const&) { return std::string(); };
  /// The program of one rank, on output blocks only; O(size of that program).
  schedule::RankProgram (*generate)(Request const&, int rank) = nullptr;
  Facts (*facts)(Request const&) = nullptr;
  /// Bcast: into how many pieces the message is cut, before segments. An allgather has a block a
  /// rank.
  int (*num_pieces)(Request const&) = [](Request const&) { return 1; };
  /// Most messages that one rank sends per segment, at least 1; 0 if blocks cannot be cut into
  /// segments with these arguments; null if never.
  int (*segment_period)(Request const&) = nullptr;
  /// Argument lists worth trying for a request: `[k=3]`, `[k=4]`, ... Always at least one.
  std::vector<std::string> (*variants)(Request const&) = [](Request const&) {
    return std::vector<std::string>{""};
  };
};

/// A frame with p (allgather) or num_blocks (bcast) output blocks and nothing else.
[[nodiscard]] schedule::Frame output_frame(int num_ranks, int num_blocks);

}  // namespace espalier::algorithms
