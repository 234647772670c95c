// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace espalier::profile {

/// How the ranks of a communicator lie on its nodes. Why rules tell this apart, and nothing else:
/// docs/benchmarks/keys.md.
enum class Placement : std::uint8_t {
  any,     ///< of a rule: it does not matter, or nobody knows; of a communicator: all are the same
  block,   ///< the ranks of each node follow each other
  cyclic,  ///< ranks were dealt to nodes in turn
  other,
};

/// `block`, as in profiles; empty for any.
[[nodiscard]] std::string_view to_string(Placement placement) noexcept;
/// None for another text.
[[nodiscard]] std::optional<Placement> parse_placement(std::string_view text) noexcept;

/// Any where ranks could not lie otherwise: on one node, or with one rank on each.
/// @param node_of_rank  numbers that say which ranks are on one node
[[nodiscard]] Placement placement_of(std::span<int const> node_of_rank);

/// What neighborhood the ranks of a communicator have.
enum class Topology : std::uint8_t {
  none,   ///< of rules for other collectives, and of what they are for
  grid,   ///< Cartesian, of which all ranks know everything
  graph,  ///< edges join all ranks, so that all know the size of equal blocks
  /// A graph in several parts, or with ranks without neighbours: what one part knows of the size of
  /// its blocks another one does not, so that rules do not depend on it.
  disconnected,
};

/// `grid`, as in profiles; empty for none.
[[nodiscard]] std::string_view to_string(Topology topology) noexcept;
/// Nothing for another text.
[[nodiscard]] std::optional<Topology> parse_topology(std::string_view text) noexcept;

/// Neighborhoods are told apart by the edges of the rank that has most, in or out: by the smallest
/// power of two that is no less.
[[nodiscard]] int neighbor_class(int most_edges) noexcept;

/// What rules are made for: a communicator of so many ranks on so many nodes.
struct Shape {
  int num_ranks = 1;
  int num_nodes = 1;
  Placement placement = Placement::any;
  Topology topology = Topology::none;
  int max_neighbors = 0;  ///< as neighbor_class(); 0 without a topology

  friend bool operator==(Shape const&, Shape const&) = default;

  /// Whether a rule for this shape was made for such a communicator.
  [[nodiscard]] bool covers(Shape needed) const noexcept;

  /// Such as "4 ranks on 1 node", "8 ranks on 2 nodes (cyclic), grid of up to 4 neighbours".
  [[nodiscard]] std::string text() const;
};

/// Of ranks on these nodes, numbered as in placement_of().
[[nodiscard]] Shape shape_of(std::span<int const> node_of_rank);

/// How far a shape is from the one that is needed: by placement, then by nodes, then by ranks, as
/// ratios. Of two that are equally far the smaller shape comes first, and one for this placement
/// before one for any. Compared exactly, so all ranks agree.
class Distance {
public:
  /// Rules are borrowed from a shape whose ranks differ at most by this factor. An algorithm that
  /// was faster on 6 ranks says nothing about 800.
  static constexpr int max_borrowing_factor = 2;

  Distance(Shape from, Shape needed) noexcept;

  /// Whether rules are borrowed over this distance: from as many nodes, within the factor, and not
  /// from another placement or neighborhood. What else was tried, and lost more often:
  /// docs/benchmarks/borrowing.md.
  [[nodiscard]] bool is_borrowable() const noexcept;

  friend std::strong_ordering operator<=>(Distance const&, Distance const&) noexcept = default;

private:
  /// The larger number by the smaller one; ordered as the absolute value of its logarithm.
  struct Ratio {
    std::int64_t larger;
    std::int64_t smaller;

    Ratio(int a, int b) noexcept;

    friend std::strong_ordering operator<=>(Ratio const& a, Ratio const& b) noexcept {
      return a.larger * b.smaller <=> b.larger * a.smaller;
    }

    friend bool operator==(Ratio const& a, Ratio const& b) noexcept { return (a <=> b) == 0; }
  };

  bool is_of_another_kind_;  ///< of placement or neighborhood
  Ratio nodes_;
  Ratio ranks_;
  int num_nodes_;
  int num_ranks_;
  bool is_for_any_;
};

}  // namespace espalier::profile
