// SPDX-License-Identifier: Apache-2.0

/// @file
/// How blocks of an isomorphic neighborhood travel dimension by dimension: a forest of hops that is
/// the same on all ranks, and which part of it a rank at a border has.
///
/// The block for offset (1, -2) makes two hops, +1 along dimension 0 and -2 along dimension 1. A
/// hop round a periodic dimension is taken modulo its extent, so that -1 and +1 are one hop in a
/// ring of two and none in a ring of one. In neighbor_alltoall every block hops alone, in
/// neighbor_allgather blocks of one rank that begin with the same hops are one:
///
///     offsets       (0,1) (1,0) (1,1)
///     alltoall      here -0,1-> A    here -1,0-> B    here -1,0-> c -0,1-> C
///     allgather     here -0,1-> A    here -1,0-> B -0,1-> C

#pragma once

#include <vector>

#include "espalier/neighborhood/neighborhood.hpp"

namespace espalier::neighborhood {

/// A place on the way of a block: where it is after some hops.
struct Stop {
  int parent = -1;           ///< the stop before; -1: the input
  int stage = 0;             ///< of the hop that leads here
  int hop = 0;               ///< how far, along the dimension of the stage
  std::vector<int> blocks;   ///< offsets on whose way it lies
  std::vector<int> targets;  ///< those that end here
};

class Forest {
public:
  /// Each block alone; offsets that no two ranks of the grid have between them are left out.
  static Forest of_alltoall(Isomorphic const& all);
  /// Common beginnings once. Dimensions in which offsets differ least come first, so that many
  /// blocks begin in the same way [traeff2019].
  static Forest of_allgather(Isomorphic const& all);

  /// Parents come before their children; stages ascend along a way.
  [[nodiscard]] std::vector<Stop> const& stops() const noexcept { return stops_; }

  /// Offsets without any hop: blocks that stay on their rank.
  [[nodiscard]] std::vector<int> const& staying() const noexcept { return staying_; }

  /// The dimension of each stage; only those in which something hops.
  [[nodiscard]] std::vector<int> const& dimensions() const noexcept { return dimensions_; }

  /// Whether all blocks of a rank are one at the input: neighbor_allgather.
  [[nodiscard]] bool is_shared() const noexcept { return is_shared_; }

  [[nodiscard]] int num_stages() const noexcept { return static_cast<int>(dimensions_.size()); }

private:
  Forest(Isomorphic const& all, bool is_shared);

  void choose_dimensions();
  void add_way(int block);
  int stop_after(int parent, int stage, int hop);

  Isomorphic const& all_;
  bool is_shared_;
  std::vector<int> dimensions_;
  std::vector<Stop> stops_;
  std::vector<int> staying_;
};

/// Which blocks pass a rank. On open grids a block exists only if both its ends do; then all stops
/// between them do.
class Passing {
public:
  Passing(Isomorphic const& all, Forest const& forest, int rank);

  /// Whether what comes to the stop with a hop from this rank exists.
  [[nodiscard]] bool departs(Stop const& stop) const;
  /// Whether what comes to the stop with a hop to this rank exists.
  [[nodiscard]] bool arrives(Stop const& stop) const;
  /// The rank whose blocks arrive at a stop here.
  [[nodiscard]] int origin(Stop const& stop) const;

private:
  [[nodiscard]] bool passes(int block, int stage) const;

  Isomorphic const& all_;
  Forest const& forest_;
  int rank_;
};

}  // namespace espalier::neighborhood
