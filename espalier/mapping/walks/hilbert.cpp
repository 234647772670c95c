// SPDX-License-Identifier: Apache-2.0

/// @file
/// Hilbert curve of a box of any extents in any number of dimensions: pieces of it are compact
/// whatever their size, so packages in nodes are near each other too.
///
///     element of the walk at each position, 4 x 4
///      0  3  4  5
///      1  2  7  6
///     14 13  8  9
///     15 12 11 10
///
/// The curve enters a box at a corner and leaves it at the other end of one side. All long sides
/// are halved, and the parts are visited in the order of a Gray code: from each to the next in one
/// dimension. Two parts one after the other through which the curve runs in the dimension that
/// joins them are one part, so short sides do not become shorter. Sides that are not halved get
/// their turn inside the parts. Lengths are extent / crossings; odd extents make a few steps longer
/// than 1.
///
/// Valid   always.
/// Source  [hilbert1891]; directions in parts are those of [hamilton2006], boxes of any extents
/// ours.

#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "espalier/mapping/walk.hpp"
#include "espalier/mapping/walks/crossings.hpp"
#include "espalier/mapping/walks/directed_box.hpp"

namespace espalier::mapping {
namespace {

unsigned gray(unsigned number) noexcept {
  return number ^ (number >> 1);
}

class Curve {
public:
  explicit Curve(Problem const& problem) : grid_(problem.grid), crossings_(crossings(problem)) {
    walk_.reserve(static_cast<std::size_t>(grid_.num_positions()));
  }

  Walk run() {
    DirectedBox box{.corner = std::vector<int>(crossings_.size()), .reach = grid_.extents()};
    box.along = longest(box);
    visit(box);
    return std::move(walk_);
  }

private:
  /// True if side i of a box is longer than `times` side j.
  [[nodiscard]] bool
  is_longer(DirectedBox const& box, std::size_t i, std::size_t j, double times) const {
    return box.extent(i) * crossings_[j] > times * box.extent(j) * crossings_[i];
  }

  /// The longest side of those that can be halved; 0 if none can.
  [[nodiscard]] std::size_t longest(DirectedBox const& box) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < box.reach.size(); ++i) {
      bool const can_be = box.extent(i) > 1;
      if (can_be && (box.extent(best) == 1 || is_longer(box, i, best, 1))) {
        best = i;
      }
    }
    return best;
  }

  /// The sides to be halved, the one along which the curve leaves last.
  [[nodiscard]] std::vector<std::size_t> halved(DirectedBox const& box, std::size_t longest) const {
    constexpr std::size_t most = 8;
    std::vector<std::size_t> sides;
    for (std::size_t i = 0; i < box.reach.size() && sides.size() < most; ++i) {
      if (i != box.along && box.extent(i) > 1 && !is_longer(box, longest, i, 1.5)) {
        sides.push_back(i);
      }
    }
    sides.push_back(box.along);
    return sides;
  }

  void visit(DirectedBox& box) {
    std::size_t const side = longest(box);
    if (box.extent(side) == 1) {
      walk_.push_back(grid_.position(box.corner));
      return;
    }
    if (box.extent(box.along) == 1) {
      box.along = side;
    }
    std::vector<std::size_t> const sides = halved(box, side);
    // 0, then 1 with 2, 3 with 4 .. , then the last
    for (unsigned part = 0; part < 1U << sides.size(); part += 1 + part % 2) {
      DirectedBox inner = part_of(box, sides, part);
      visit(inner);
    }
  }

  /// A part, with the next one if the curve runs through both in the same direction.
  static DirectedBox
  part_of(DirectedBox const& box, std::vector<std::size_t> const& sides, unsigned part) {
    std::size_t const joint = static_cast<std::size_t>(std::countr_one(part)) % sides.size();
    unsigned const entry = part == 0 ? 0 : gray((part - 1) / 2 * 2);
    bool const is_pair = part % 2 == 1 && part + 1 < 1U << sides.size();
    DirectedBox inner = box;
    inner.along = sides[joint];
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (!is_pair || i != joint) {
        inner.halve(sides[i], (gray(part) >> i & 1U) != 0);
      }
      if ((entry >> i & 1U) != 0) {
        inner.turn(sides[i]);
      }
    }
    return inner;
  }

  CartesianGrid const& grid_;
  std::vector<double> crossings_;
  Walk walk_;
};

}  // namespace

extern WalkAlgorithm const hilbert_walk{
    .name = "hilbert",
    .summary = "a Hilbert curve of any extents, cut into pieces",
    .source = "hilbert1891, hamilton2006",
    .walk = [](Problem const& problem) { return Curve(problem).run(); },
};

}  // namespace espalier::mapping
