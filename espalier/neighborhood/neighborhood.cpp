// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/neighborhood.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/neighborhood/matching.hpp"
#include "espalier/neighborhood/recognition.hpp"

namespace espalier::neighborhood {
namespace {

std::vector<int> inverse_of(std::vector<int> const& permutation) {
  std::vector<int> inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    inverse[static_cast<std::size_t>(permutation[i])] = static_cast<int>(i);
  }
  return inverse;
}

Isomorphic isomorphic_of(
    mapping::CartesianGrid grid, std::vector<std::vector<int>> offsets, std::vector<int> arrival
) {
  std::vector<int> departure = inverse_of(arrival);
  return {
      .grid = std::move(grid),
      .offsets = std::move(offsets),
      .arrival = std::move(arrival),
      .departure = std::move(departure),
  };
}

std::vector<int> opposite(std::vector<int> offset) {
  for (int& entry : offset) {
    entry = -entry;
  }
  return offset;
}

/// Edges of a rank of a grid: out, towards the offsets, or in, from where they come.
std::vector<End> shifted_ends(Isomorphic const& all, int rank, bool is_out) {
  std::vector<End> ends;
  ends.reserve(all.offsets.size());
  std::vector<int> const& other = is_out ? all.arrival : all.departure;
  for (std::size_t i = 0; i < all.offsets.size(); ++i) {
    auto const k = is_out ? i : static_cast<std::size_t>(all.departure[i]);
    std::vector<int> const way = is_out ? all.offsets[k] : opposite(all.offsets[k]);
    int const peer = all.grid.shifted(rank, way);
    ends.push_back(peer < 0 ? End{} : End{.peer = peer, .index = other[i]});
  }
  return ends;
}

/// @param own  has k
int own_number(std::vector<Isomorphic::OwnNumber> const& own, int k) {
  return std::ranges::lower_bound(own, k, {}, &Isomorphic::OwnNumber::k)->number;
}

constexpr int farthest = 1 << 30;

void check_offset(std::vector<int> const& offset, int num_dimensions) {
  if (static_cast<int>(offset.size()) != num_dimensions) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected offsets with an entry for each of {} dimensions, got {}",
            num_dimensions,
            offset.size()
        )
    );
  }
  for (int const way : offset) {
    if (way < -farthest || way > farthest) {
      throw Error(
          ErrorCode::argument, formatted("expected offsets up to {}, got {}", farthest, way)
      );
    }
  }
}

void check_peer(int peer, int num_ranks) {
  if (peer < -1 || peer >= num_ranks) {
    throw Error(
        ErrorCode::argument,
        formatted("expected neighbours in 0 .. {}, or -1 for none, got {}", num_ranks - 1, peer)
    );
  }
}

}  // namespace

int Isomorphic::hop(int k, int dimension) const noexcept {
  int const way = offsets[static_cast<std::size_t>(k)][static_cast<std::size_t>(dimension)];
  return grid.is_periodic(dimension) ? wrap(way, grid.extent(dimension)) : way;
}

bool Isomorphic::is_possible(int k) const noexcept {
  for (int dimension = 0; dimension < grid.num_dimensions(); ++dimension) {
    if (std::abs(hop(k, dimension)) >= grid.extent(dimension)) {
      return false;
    }
  }
  return true;
}

int Isomorphic::out_number(int rank, int k) const noexcept {
  return has_common_order() ? k : own_number(own_out[static_cast<std::size_t>(rank)], k);
}

int Isomorphic::in_number(int rank, int k) const noexcept {
  return has_common_order() ? arrival[static_cast<std::size_t>(k)]
                            : own_number(own_in[static_cast<std::size_t>(rank)], k);
}

Neighborhood Neighborhood::of(Isomorphic isomorphic) {
  Neighborhood result(isomorphic.grid.num_positions());
  result.isomorphic_ = std::move(isomorphic);
  return result;
}

Neighborhood Neighborhood::of_cartesian(mapping::CartesianGrid grid) {
  std::vector<std::vector<int>> offsets;
  std::vector<int> arrival;
  for (int dimension = 0; dimension < grid.num_dimensions(); ++dimension) {
    for (int const step : {-1, 1}) {
      std::vector<int> offset(static_cast<std::size_t>(grid.num_dimensions()), 0);
      offset[static_cast<std::size_t>(dimension)] = step;
      offsets.push_back(std::move(offset));
      arrival.push_back(2 * dimension + (step < 0 ? 1 : 0));
    }
  }
  return of(isomorphic_of(std::move(grid), std::move(offsets), std::move(arrival)));
}

Neighborhood
Neighborhood::of_stencil(mapping::CartesianGrid grid, std::vector<std::vector<int>> offsets) {
  for (std::vector<int> const& offset : offsets) {
    check_offset(offset, grid.num_dimensions());
  }
  std::vector<int> arrival(offsets.size());
  std::iota(arrival.begin(), arrival.end(), 0);
  return of(isomorphic_of(std::move(grid), std::move(offsets), std::move(arrival)));
}

Neighborhood
Neighborhood::of_stencil(mapping::CartesianGrid grid, mapping::Stencil const& stencil) {
  std::vector<std::vector<int>> offsets;
  for (mapping::Stencil::Neighbor const& neighbor : stencil.neighbors()) {
    offsets.push_back(neighbor.offset);
  }
  return of_stencil(std::move(grid), std::move(offsets));
}

Neighborhood Neighborhood::of_lists(
    std::vector<std::vector<int>> const& sources, std::vector<std::vector<int>> const& destinations
) {
  if (sources.size() != destinations.size()) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected sources and destinations of as many ranks, got {} and {}",
            sources.size(),
            destinations.size()
        )
    );
  }
  Neighborhood result(static_cast<int>(sources.size()));
  for (auto const* const lists : {&sources, &destinations}) {
    for (std::vector<int> const& list : *lists) {
      for (int const peer : list) {
        check_peer(peer, result.num_ranks_);
      }
    }
  }
  MatchedEdges matched = match_edges(sources, destinations);
  result.in_ = std::move(matched.in);
  result.out_ = std::move(matched.out);
  return result;
}

Neighborhood Neighborhood::recognised(Neighborhood graph) {
  if (graph.knows_all() && !graph.isomorphic_) {
    graph.isomorphic_ = recognise(graph.out_);
  }
  return graph;
}

Neighborhood
Neighborhood::of_one_rank(int num_ranks, int rank, std::vector<End> in, std::vector<End> out) {
  if (rank < 0 || rank >= num_ranks) {
    throw Error(
        ErrorCode::argument, formatted("expected a rank in 0 .. {}, got {}", num_ranks - 1, rank)
    );
  }
  for (auto const* const ends : {&in, &out}) {
    for (End const& end : *ends) {
      check_peer(end.peer, num_ranks);
    }
  }
  Neighborhood result(num_ranks);
  result.only_rank_ = rank;
  result.in_.push_back(std::move(in));
  result.out_.push_back(std::move(out));
  return result;
}

std::size_t Neighborhood::place_of(int rank) const {
  if (rank < 0 || rank >= num_ranks_) {
    throw Error(
        ErrorCode::argument, formatted("expected a rank in 0 .. {}, got {}", num_ranks_ - 1, rank)
    );
  }
  if (only_rank_ && rank != *only_rank_) {
    throw Error(
        ErrorCode::argument,
        formatted("expected rank {}, whose neighbours alone are known, got {}", *only_rank_, rank)
    );
  }
  return only_rank_ ? 0 : static_cast<std::size_t>(rank);
}

std::vector<End> Neighborhood::in_edges(int rank) const {
  std::size_t const place = place_of(rank);
  return isomorphic_ && in_.empty() ? shifted_ends(*isomorphic_, rank, false) : in_[place];
}

std::vector<End> Neighborhood::out_edges(int rank) const {
  std::size_t const place = place_of(rank);
  return isomorphic_ && out_.empty() ? shifted_ends(*isomorphic_, rank, true) : out_[place];
}

}  // namespace espalier::neighborhood
