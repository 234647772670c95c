// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/mapping/dims/stencil.hpp"

namespace espalier::neighborhood {

/// The other end of an edge.
struct End {
  int peer = -1;   ///< rank; -1 if there is no other end: beyond an open border, MPI_PROC_NULL
  int index = -1;  ///< of an edge out: its number among the edges into the peer; and the reverse

  [[nodiscard]] bool is_absent() const noexcept { return peer < 0; }

  friend bool operator==(End const&, End const&) = default;
};

/// What all ranks of a grid have in common when each has the same neighbours relative to itself.
/// Block k of rank r goes to position r + offsets[k].
///
/// If it was declared, all ranks have a common order of edges: block k is edge k out of its rank,
/// and edge arrival[k] into the other. If it was recognised in a graph, each rank has its own order
/// of those edges that are there.
struct Isomorphic {
  /// Block k is this edge of one rank.
  struct OwnNumber {
    int k = 0;
    int number = 0;
  };

  mapping::CartesianGrid grid;
  std::vector<std::vector<int>> offsets;        ///< any length and order; 0 and repetitions too
  std::vector<int> arrival;                     ///< a permutation
  std::vector<int> departure;                   ///< its inverse
  std::vector<std::vector<OwnNumber>> own_out;  ///< by rank, k ascending; empty: common order
  std::vector<std::vector<OwnNumber>> own_in;

  [[nodiscard]] int num_edges() const noexcept { return static_cast<int>(offsets.size()); }

  [[nodiscard]] bool has_common_order() const noexcept { return own_out.empty(); }

  /// The number of block k among the edges out of a rank; both ends of the edge must exist.
  [[nodiscard]] int out_number(int rank, int k) const noexcept;
  /// The number among the edges into a rank of the one through which it gets block k of another.
  [[nodiscard]] int in_number(int rank, int k) const noexcept;

  /// How far block k goes along a dimension: round a periodic one 0 .. extent - 1.
  [[nodiscard]] int hop(int k, int dimension) const noexcept;
  /// Whether any two ranks of the grid have this offset between them.
  [[nodiscard]] bool is_possible(int k) const noexcept;
};

/// Who sends to whom, in which order, for all ranks of a communicator. Several edges may join the
/// same two ranks, and a rank may be its own neighbour.
class Neighborhood {
public:
  /// MPI's order on a Cartesian communicator: -1, then +1 along each dimension. What is sent to -1
  /// arrives as what comes from +1.
  static Neighborhood of_cartesian(mapping::CartesianGrid grid);
  /// Block k goes to r + offset k and comes from r - offset k: an isomorphic neighborhood.
  /// @throws Error argument unless each offset has an entry for each dimension, none beyond 2^30.
  static Neighborhood
  of_stencil(mapping::CartesianGrid grid, std::vector<std::vector<int>> offsets);
  static Neighborhood of_stencil(mapping::CartesianGrid grid, mapping::Stencil const& stencil);
  /// A distributed graph: sources[r] and destinations[r] as rank r lists them; of several edges
  /// from a to b the k-th that a lists is the k-th that b lists. Entries -1 are absent ends.
  /// @throws Error argument unless both have a list for each rank, entries are ranks or -1, and
  ///   every edge is listed at both ends.
  static Neighborhood of_lists(
      std::vector<std::vector<int>> const& sources,
      std::vector<std::vector<int>> const& destinations
  );
  /// The same edges; isomorphic() if they are those of a stencil on a grid, see recognise(). As it
  /// was if edges of one rank only are known.
  static Neighborhood recognised(Neighborhood graph);
  /// What one rank knows of itself. Enough for algorithms that need no more, see knows_all().
  /// @throws Error argument unless `rank` is one of num_ranks, and peers are ranks or -1.
  static Neighborhood
  of_one_rank(int num_ranks, int rank, std::vector<End> in, std::vector<End> out);

  [[nodiscard]] int num_ranks() const noexcept { return num_ranks_; }

  /// False if edges of one rank only are known.
  [[nodiscard]] bool knows_all() const noexcept { return !only_rank_; }

  /// What edges have in common, if they do: O(1) to know, the same on all ranks.
  [[nodiscard]] Isomorphic const* isomorphic() const noexcept {
    return isomorphic_ ? &*isomorphic_ : nullptr;
  }

  /// O(d) each on a grid, absent ends included.
  /// @throws Error argument for a rank that is none, or whose edges are not known.
  [[nodiscard]] std::vector<End> in_edges(int rank) const;
  [[nodiscard]] std::vector<End> out_edges(int rank) const;

private:
  explicit Neighborhood(int num_ranks) : num_ranks_(num_ranks) {}

  static Neighborhood of(Isomorphic isomorphic);
  [[nodiscard]] std::size_t place_of(int rank) const;

  int num_ranks_;
  std::optional<int> only_rank_;
  std::optional<Isomorphic> isomorphic_;
  std::vector<std::vector<End>> in_;  ///< by rank, or of the only rank; empty if declared
  std::vector<std::vector<End>> out_;
};

}  // namespace espalier::neighborhood
