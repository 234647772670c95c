// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/recognition.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "espalier/base/integer.hpp"
#include "espalier/neighborhood/parts.hpp"

namespace espalier::neighborhood {
namespace {

using mapping::CartesianGrid;

constexpr int most_dimensions = 4;

/// An edge out of a rank.
struct Edge {
  int peer = 0;
  int copy = 0;     ///< edges to the same peer that the rank lists before
  int number = 0;   ///< among the edges out of the rank
  int arrival = 0;  ///< among the edges into the peer
};

std::vector<Edge> edges_of(std::vector<End> const& out) {
  std::vector<Edge> edges;
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (!out[k].is_absent()) {
      edges.push_back({.peer = out[k].peer, .number = static_cast<int>(k), .arrival = out[k].index}
      );
    }
  }
  std::ranges::stable_sort(edges, {}, &Edge::peer);
  for (std::size_t i = 1; i < edges.size(); ++i) {
    edges[i].copy = edges[i].peer == edges[i - 1].peer ? edges[i - 1].copy + 1 : 0;
  }
  return edges;
}

/// Offsets between positions of a grid as numbers, with a digit for each dimension: 0 .. n - 1
/// round a periodic one, and -(n - 1) .. n - 1, from 0 on, along an open one.
class OffsetNumbers {
public:
  explicit OffsetNumbers(CartesianGrid const& grid) : grid_(grid) {}

  [[nodiscard]] std::int64_t between(int from, int to) const {
    std::int64_t number = 0;
    for (int dimension = 0; dimension < grid_.num_dimensions(); ++dimension) {
      int const extent = grid_.extent(dimension);
      int const way = grid_.coordinate(to, dimension) - grid_.coordinate(from, dimension);
      int const digit = grid_.is_periodic(dimension) ? wrap(way, extent) : way + extent - 1;
      number = number * base(dimension) + digit;
    }
    return number;
  }

  [[nodiscard]] std::vector<int> offset(std::int64_t number) const {
    std::vector<int> result(static_cast<std::size_t>(grid_.num_dimensions()));
    for (int dimension = grid_.num_dimensions(); dimension-- > 0;) {
      auto const digit = static_cast<int>(number % base(dimension));
      bool const is_periodic = grid_.is_periodic(dimension);
      result[static_cast<std::size_t>(dimension)] =
          is_periodic ? digit : digit - (grid_.extent(dimension) - 1);
      number /= base(dimension);
    }
    return result;
  }

  /// Ranks from which the offset does not lead out of the grid.
  [[nodiscard]] std::int64_t num_ranks(std::vector<int> const& offset) const {
    std::int64_t product = 1;
    for (int dimension = 0; dimension < grid_.num_dimensions(); ++dimension) {
      int const way = offset[static_cast<std::size_t>(dimension)];
      product *= grid_.extent(dimension) - (grid_.is_periodic(dimension) ? 0 : std::abs(way));
    }
    return product;
  }

private:
  [[nodiscard]] std::int64_t base(int dimension) const {
    return std::int64_t{2} * grid_.extent(dimension);
  }

  CartesianGrid const& grid_;
};

/// The first and the last rank along each open dimension, the first along periodic ones.
std::vector<int> corners(CartesianGrid const& grid) {
  std::vector<int> ranks{0};
  for (int dimension = 0; dimension < grid.num_dimensions(); ++dimension) {
    std::size_t const num_before = grid.is_periodic(dimension) ? 0 : ranks.size();
    int const way = (grid.extent(dimension) - 1) * grid.stride(dimension);
    for (std::size_t i = 0; i < num_before; ++i) {
      ranks.push_back(ranks[i] + way);
    }
  }
  return ranks;
}

/// An edge as all ranks have it: with this offset, and so many of the same offset before it.
struct Way {
  std::int64_t offset = 0;
  int copy = 0;

  friend auto operator<=>(Way const&, Way const&) = default;
};

/// That combining sends from a rank inside.
std::size_t num_messages(Isomorphic const& all) {
  std::set<std::pair<int, int>> hops;
  for (int k = 0; k < all.num_edges(); ++k) {
    for (int dimension = 0; dimension < all.grid.num_dimensions(); ++dimension) {
      if (int const hop = all.hop(k, dimension); hop != 0) {
        hops.emplace(dimension, hop);
      }
    }
  }
  return hops.size();
}

/// The edges of all ranks.
struct Graph {
  std::vector<std::vector<Edge>> edges;
  std::int64_t num_edges = 0;
  /// All ranks, those with most edges first, and then far apart from each other in the numbering:
  /// what is wrong on some is found soon.
  std::vector<int> ranks;

  explicit Graph(std::vector<std::vector<End>> const& out) {
    for (std::vector<End> const& list : out) {
      edges.push_back(edges_of(list));
      num_edges += std::ssize(edges.back());
    }
    std::int64_t const num_ranks = std::ssize(edges);
    std::int64_t step = num_ranks * 618 / 1000 + 1;
    while (std::gcd(step, num_ranks) != 1) {
      ++step;
    }
    for (std::int64_t i = 0; i < num_ranks; ++i) {
      ranks.push_back(static_cast<int>(i * step % num_ranks));
    }
    std::ranges::stable_sort(ranks, std::greater{}, [&](int rank) { return of(rank).size(); });
  }

  [[nodiscard]] std::vector<Edge> const& of(int rank) const {
    return edges[static_cast<std::size_t>(rank)];
  }

  [[nodiscard]] bool is_connected() const {
    Parts parts(static_cast<int>(edges.size()));
    for (int const rank : ranks) {
      for (Edge const& edge : of(rank)) {
        parts.join(rank, edge.peer);
      }
    }
    return parts.num() == 1;
  }
};

/// The stencil that the edges are on one grid, if they are one.
class Attempt {
public:
  Attempt(Graph const& graph, CartesianGrid grid)
      : graph_(graph), grid_(std::move(grid)), offsets_(grid_) {}

  Attempt(Attempt const&) = delete;
  Attempt& operator=(Attempt const&) = delete;
  Attempt(Attempt&&) = delete;
  Attempt& operator=(Attempt&&) = delete;
  ~Attempt() = default;

  /// Whether as many edges follow from those of the corners as there are.
  bool expects_all() {
    for (int const corner : corners(grid_)) {
      if (!learn_from(corner)) {
        return false;
      }
    }
    return num_expected_ == graph_.num_edges;
  }

  /// What it is if has_all(), without the numbers of edges; after expects_all().
  [[nodiscard]] Isomorphic stencil() {
    std::vector<std::vector<int>> offsets;
    for (auto& [way, number] : numbers_) {
      number = static_cast<int>(offsets.size());
      offsets.push_back(offsets_.offset(way.offset));
    }
    std::vector<int> same(offsets.size());
    std::iota(same.begin(), same.end(), 0);
    return {.grid = grid_, .offsets = std::move(offsets), .arrival = same, .departure = same};
  }

  /// No two edges of a rank have the same way. So if each has one of the ways, and there are as
  /// many as expected, none is missing.
  bool has_all() {
    return std::ranges::all_of(graph_.ranks, [&](int rank) {
      return std::ranges::all_of(graph_.of(rank), [&](Edge const& edge) {
        ++num_looks_;
        return numbers_.contains(way_of(rank, edge));
      });
    });
  }

  /// Adds to the stencil which of its edges those of each rank are.
  void add_numbers(Isomorphic& found) const {
    found.own_out.resize(graph_.edges.size());
    found.own_in.resize(graph_.edges.size());
    for (int rank = 0; rank < grid_.num_positions(); ++rank) {
      for (Edge const& edge : graph_.of(rank)) {
        int const k = numbers_.at(way_of(rank, edge));
        found.own_out[static_cast<std::size_t>(rank)].push_back({.k = k, .number = edge.number});
        found.own_in[static_cast<std::size_t>(edge.peer)].push_back({.k = k, .number = edge.arrival}
        );
      }
    }
    for (auto* const lists : {&found.own_out, &found.own_in}) {
      for (std::vector<Isomorphic::OwnNumber>& list : *lists) {
        std::ranges::sort(list, {}, &Isomorphic::OwnNumber::k);
      }
    }
  }

  [[nodiscard]] std::int64_t num_looks() const noexcept { return num_looks_; }

private:
  [[nodiscard]] Way way_of(int rank, Edge const& edge) const {
    return {.offset = offsets_.between(rank, edge.peer), .copy = edge.copy};
  }

  /// False if more edges follow than there are.
  bool learn_from(int rank) {
    for (Edge const& edge : graph_.of(rank)) {
      ++num_looks_;
      Way const way = way_of(rank, edge);
      if (numbers_.try_emplace(way, 0).second) {
        num_expected_ += offsets_.num_ranks(offsets_.offset(way.offset));
      }
      if (num_expected_ > graph_.num_edges) {
        return false;
      }
    }
    return true;
  }

  Graph const& graph_;
  CartesianGrid grid_;
  OffsetNumbers offsets_;
  std::map<Way, int> numbers_;
  std::int64_t num_expected_ = 0;
  std::int64_t num_looks_ = 0;
};

class Search {
public:
  Search(std::vector<std::vector<End>> const& out, std::int64_t most_looks)
      : graph_(out), most_looks_(most_looks) {
    auto const num_ranks = static_cast<int>(out.size());
    for (int divisor = 2; divisor <= num_ranks; ++divisor) {
      if (num_ranks % divisor == 0) {
        divisors_.push_back(divisor);
      }
    }
  }

  std::optional<Isomorphic> run() && {
    if (!graph_.is_connected()) {
      return std::nullopt;
    }
    for (int num_dimensions = 1; num_dimensions <= most_dimensions; ++num_dimensions) {
      std::vector<int> extents;
      add_candidates(std::ssize(graph_.edges), num_dimensions, extents);
    }
    std::ranges::stable_sort(candidates_, {}, &Candidate::least_messages);
    for (Candidate const& candidate : candidates_) {
      try_periods(candidate);
    }
    return std::move(best_);
  }

private:
  /// As long as one takes before its first look.
  static constexpr std::int64_t looks_for_a_grid = 8;

  struct Candidate {
    std::vector<int> extents;
    /// That combining sends, whichever dimensions are periodic.
    std::size_t least_messages = 0;
  };

  /// All grids of the extents so far and of so many more whose product is `rest`.
  void add_candidates(std::int64_t rest, int num_more, std::vector<int>& extents) {
    if (num_more == 0 && rest == 1) {
      candidates_.push_back({.extents = extents, .least_messages = least_messages(extents)});
    }
    for (int const divisor : divisors_) {
      if (num_more > 0 && rest % divisor == 0 && may_look()) {
        extents.push_back(divisor);
        add_candidates(rest / divisor, num_more - 1, extents);
        extents.pop_back();
      }
    }
  }

  /// Hops that differ round each dimension, of some ranks.
  std::size_t least_messages(std::vector<int> const& extents) {
    constexpr std::size_t num_samples = 2;
    CartesianGrid const grid(extents);
    std::set<std::pair<int, int>> hops;
    for (std::size_t i = 0; i < std::min(num_samples, graph_.ranks.size()); ++i) {
      int const rank = graph_.ranks[i];
      for (Edge const& edge : graph_.of(rank)) {
        for (int dimension = 0; dimension < grid.num_dimensions(); ++dimension) {
          int const way = grid.coordinate(edge.peer, dimension) - grid.coordinate(rank, dimension);
          hops.emplace(dimension, wrap(way, grid.extent(dimension)));
        }
      }
      num_looks_ += std::ssize(graph_.of(rank));
    }
    num_looks_ += looks_for_a_grid;
    return static_cast<std::size_t>(std::ranges::count_if(hops, [](auto const& hop) {
      return hop.second != 0;
    }));
  }

  /// A torus first: it is open, too, with long offsets in place of those round its ends.
  void try_periods(Candidate const& candidate) {
    auto const may_be_better = [&] { return !best_ || candidate.least_messages < best_messages_; };
    std::size_t const num_dimensions = candidate.extents.size();
    for (unsigned periods = 1U << num_dimensions; periods-- > 0 && may_be_better() && may_look();) {
      std::vector<bool> is_periodic;
      for (std::size_t i = 0; i < num_dimensions; ++i) {
        is_periodic.push_back((periods >> i & 1U) != 0);
      }
      Attempt attempt(graph_, CartesianGrid(candidate.extents, std::move(is_periodic)));
      take_if_best(attempt);
      num_looks_ += attempt.num_looks() + looks_for_a_grid;
    }
  }

  /// At all edges once more.
  [[nodiscard]] bool may_look() const noexcept {
    return num_looks_ + graph_.num_edges <= most_looks_;
  }

  void take_if_best(Attempt& attempt) {
    if (!attempt.expects_all()) {
      return;
    }
    Isomorphic stencil = attempt.stencil();
    std::size_t const messages = num_messages(stencil);
    if ((!best_ || messages < best_messages_) && attempt.has_all()) {
      attempt.add_numbers(stencil);
      best_ = std::move(stencil);
      best_messages_ = messages;
    }
  }

  Graph graph_;
  std::int64_t most_looks_;
  std::vector<int> divisors_;  ///< of the number of ranks, from 2 on
  std::vector<Candidate> candidates_;
  std::int64_t num_looks_ = 0;
  std::optional<Isomorphic> best_;
  std::size_t best_messages_ = 0;
};

}  // namespace

std::optional<Isomorphic>
recognise(std::vector<std::vector<End>> const& out, std::int64_t most_looks) {
  return Search(out, most_looks).run();
}

}  // namespace espalier::neighborhood
