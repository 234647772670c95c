// SPDX-License-Identifier: Apache-2.0

/// @file
/// What an algorithm for a neighborhood collective says about itself; the proof, the tests and the
/// choice between them are derived from the catalog of these.
///
/// A program has one input block for each edge out (neighbor_alltoall) or one in all
/// (neighbor_allgather), and one output block for each edge in, in the order of the Neighborhood.
/// Blocks of absent ends are never touched.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/neighborhood/neighborhood.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::neighborhood {

using algorithms::Facts;

/// The v- and w-variants of MPI are the same collective with other block sizes.
enum class Collective : std::uint8_t {
  neighbor_alltoall,   ///< a block for each edge
  neighbor_allgather,  ///< the same block to all neighbours
};

[[nodiscard]] std::string_view to_string(Collective collective) noexcept;

/// Who knows how large blocks are: what labels of the program mean.
enum class BlockSizes : std::uint8_t {
  equal,      ///< all have one size: label 0
  by_offset,  ///< isomorphic, declared: block k has one size on all ranks: label k (allgather: 0)
  by_edge,    ///< only the two ends know: label k p + sender (allgather: sender)
};

/// What a generator may depend on; equal on all ranks. Refers to its parts.
struct Request {
  Collective collective = Collective::neighbor_alltoall;
  Neighborhood const& neighborhood;
  std::span<int const> node_of_rank{};  ///< any number for each node; empty: not known
  BlockSizes sizes = BlockSizes::equal;
};

struct Algorithm {
  Collective collective = Collective::neighbor_alltoall;
  std::string_view name;
  std::string_view summary;  ///< one sentence, no full stop
  std::string_view source;   ///< keys of docs/references.bib, separated by commas
  std::string_view valid;
  /// True if a rank keeps blocks for others: with BlockSizes::by_edge the sizes of the labels in
  /// scratch_like have to be learnt before binding.
  bool forwards = false;
  /// Empty if the request can be served, otherwise what was expected and found. The same on all
  /// ranks, with any sizes.
  std::string (*refuses)(Request const&) = nullptr;
  schedule::RankProgram (*generate)(Request const&, int rank) = nullptr;
  /// What the file head promises, over all ranks; O(edges of all ranks).
  Facts (*facts)(Request const&) = nullptr;
  /// The same of a rank whose neighbours all exist, in an isomorphic neighborhood, in O(edges of
  /// one rank); null if it depends on where ranks are.
  Facts (*facts_inside)(Request const&) = nullptr;
};

}  // namespace espalier::neighborhood
