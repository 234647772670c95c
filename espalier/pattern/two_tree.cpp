// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/two_tree.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "espalier/base/integer.hpp"

namespace espalier::pattern {
namespace {

/// Tree 0 over places 1 .. num_places, at least 2. The first `size` places are a search tree in
/// order: the level of a place is the number of zeros at its end, even places are inner nodes, odd
/// ones leaves. The largest such tree whose last node has one child only (size = 2 modulo 4) is
/// taken, and up to three more places hang below that node. Tree 1 is its mirror image.
class Places {
public:
  explicit Places(int num_places) noexcept
      : num_places_(num_places), size_((num_places - 2) / 4 * 4 + 2) {}

  [[nodiscard]] int root() const noexcept { return 1 << floor_log2(size_); }

  /// 0 at the root.
  [[nodiscard]] int parent(int place) const noexcept {
    if (place == root()) {
      return 0;
    }
    if (place > size_) {
      return std::min(place - 1, size_ + 1);
    }
    do {
      int const step = lowest_bit(place);
      place = (place - step) | (2 * step);
    } while (place > size_);
    return place;
  }

  [[nodiscard]] std::vector<int> children(int place) const {
    std::vector<int> result;
    int const step = lowest_bit(place);
    if (place <= size_ && step > 1) {
      result.push_back(place - step / 2);
    }
    if (place < size_ && step > 1) {
      int const rest = size_ - place;
      result.push_back(place + std::min(step / 2, 1 << floor_log2(rest)));
    }
    if (place == size_ && num_places_ > size_) {
      result.push_back(size_ + 1);
    }
    for (int extra = size_ + 2; place == size_ + 1 && extra <= num_places_; ++extra) {
      result.push_back(extra);
    }
    return result;
  }

  /// In which the first block arrives: in the next round of the right parity.
  [[nodiscard]] int round(int place) const noexcept {
    int result = 0;
    for (int above = parent(place); above != 0; place = above, above = parent(place)) {
      result += parity(place) == parity(above) ? 2 : 1;
    }
    return result;
  }

  [[nodiscard]] int mirrored(int place) const noexcept {
    if (place <= size_) {
      return size_ + 1 - place;
    }
    // The first two places that hang below change roles, so that they are not both times inner.
    bool const changes = place <= size_ + 2 && num_places_ > size_ + 1;
    return changes ? 2 * size_ + 3 - place : place;
  }

private:
  static int lowest_bit(int place) noexcept { return place & -place; }

  /// Of the round in which a place hears, by the number of ones in an even place. Of two brothers
  /// one has as many ones as their parent, the other one more. An odd place hears with its mirror
  /// image, so that the two places of a rank differ when tree 1 is one round late; odd brothers
  /// mirror 4 i and 4 i + 2.
  [[nodiscard]] int parity(int place) const noexcept {
    if (place > size_) {
      return place == size_ + 3 ? 0 : 1;
    }
    int const even = place % 2 == 0 ? place : size_ + 1 - place;
    return 1 - std::popcount(static_cast<unsigned>(even)) % 2;
  }

  int num_places_;
  int size_;
};

}  // namespace

TreeNode two_tree_node(int tree, int p, int x) {
  TreeNode node;
  if (p <= 2) {
    node.parent = x - 1;
    node.parent_round = x == 0 ? 0 : tree;
    if (x + 1 < p) {
      node.children.push_back({.child = 1, .round = tree});
    }
    return node;
  }
  Places const places(p - 1);
  auto const turned = [&](int place) {
    return tree == 0 || place == 0 ? place : places.mirrored(place);
  };
  int const place = turned(x);
  if (x == 0) {
    node.children.push_back({.child = turned(places.root()), .round = tree});
    return node;
  }
  node.parent = turned(places.parent(place));
  node.parent_round = places.round(place) + tree;
  for (int const child : places.children(place)) {
    node.children.push_back({.child = turned(child), .round = places.round(child) + tree});
  }
  std::ranges::sort(node.children, {}, &TreeEdge::round);
  return node;
}

int two_tree_rounds(int p, int num_blocks) noexcept {
  if (p <= 2) {
    return p == 1 ? 0 : num_blocks;
  }
  // To the left every level takes two rounds. Only in the two smallest trees, where the first place
  // that hangs below hears in round 1 or 3, the ones below that hear later.
  int const size = (p - 3) / 4 * 4 + 2;
  int const height = floor_log2(size);
  bool const is_late = height <= 2 && p - 1 >= size + 2;
  return num_blocks + 2 * height + (is_late ? 1 : 0);
}

}  // namespace espalier::pattern
