// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace espalier::profile {

/// What rules are made for: a communicator of so many ranks on so many nodes.
struct Shape {
  int num_ranks = 1;
  int num_nodes = 1;

  friend bool operator==(Shape const&, Shape const&) = default;

  /// Such as "4 ranks on 1 node".
  [[nodiscard]] std::string text() const;
};

/// How far a shape is from the one that is needed: by nodes, then by ranks, as ratios. Of two that
/// are equally far the smaller shape comes first. Compared exactly, so all ranks agree.
class Distance {
public:
  /// Rules are borrowed from a shape whose ranks differ at most by this factor. An algorithm that
  /// was faster on 6 ranks says nothing about 800.
  static constexpr int max_borrowing_factor = 2;

  Distance(Shape from, Shape needed) noexcept;

  /// Whether rules are borrowed over this distance: from as many nodes, and within the factor. What
  /// else was tried, and lost more often: docs/benchmarks/borrowing.md.
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

  Ratio nodes_;
  Ratio ranks_;
  int num_nodes_;
  int num_ranks_;
};

}  // namespace espalier::profile
