// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/circulant.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "espalier/base/integer.hpp"

namespace espalier::pattern {
namespace {

/// Finds what a rank receives in rounds 0, 1, ...: one skip each that it has not received yet.
///
/// Rank p + r looks at the ranks below it, as sums of skips with the largest skip first; the last
/// skip of a sum is the first block of that rank. The sums are visited from large to small. Round k
/// gets the first one that is no larger than p + r - s_k, if its first block is not taken and it is
/// below the one of round k - 1.
class Search {
public:
  Search(std::span<int const> skips, int r)
      : skips_(skips), num_rounds_(skips.size() - 1), rank_(skips.back() + std::int64_t{r}),
        is_taken_(skips.size(), false) {
    is_taken_[static_cast<std::size_t>(circulant_first_block(skips, r))] = true;
  }

  std::vector<int> run() {
    visit(0, static_cast<int>(num_rounds_));
    return std::move(found_);
  }

private:
  /// Largest sum that round k may take.
  [[nodiscard]] std::int64_t limit(std::size_t k) const { return rank_ - skips_[k]; }

  [[nodiscard]] bool is_done() const { return found_.size() == num_rounds_; }

  /// All sums that begin with `sum` and go on with skips up to `largest`.
  void visit(std::int64_t sum, int largest) {
    for (int e = largest; e >= 0 && !is_done(); --e) {
      auto const i = static_cast<std::size_t>(e);
      std::int64_t const next = sum + skips_[i];
      if (is_taken_[i] || next > limit(found_.size()) || next >= previous_) {
        continue;
      }
      if (next <= limit(found_.size() + 1)) {
        visit(next, e);
      }
      if (is_done() || sum > limit(found_.size() + 1)) {
        return;
      }
      previous_ = next;
      found_.push_back(e);
      is_taken_[i] = true;
    }
  }

  std::span<int const> skips_;
  std::size_t num_rounds_;
  std::int64_t rank_;
  std::int64_t previous_ = std::numeric_limits<std::int64_t>::max();
  std::vector<bool> is_taken_;
  std::vector<int> found_;
};

}  // namespace

std::vector<int> circulant_skips(int p) {
  std::vector<int> skips(static_cast<std::size_t>(ceil_log2(p)) + 1);
  for (auto skip = skips.rbegin(); skip != skips.rend(); ++skip) {
    *skip = p;
    p = ceil_div(p, 2);
  }
  return skips;
}

int circulant_first_block(std::span<int const> skips, int r) {
  auto k = static_cast<int>(skips.size()) - 1;
  while (r > 0) {
    --k;
    if (int const skip = skips[static_cast<std::size_t>(k)]; skip <= r) {
      r -= skip;
    }
  }
  return k;
}

std::vector<int> circulant_received(std::span<int const> skips, int r) {
  auto const q = static_cast<int>(skips.size()) - 1;
  std::vector<int> blocks = Search(skips, r).run();
  for (int& block : blocks) {
    // Rank 0 has no first block: what would come from it is the first block of this rank.
    block = block == q ? circulant_first_block(skips, r) : block - q;
  }
  return blocks;
}

std::vector<int> circulant_sent(std::span<int const> skips, int r) {
  int const p = skips.back();
  std::vector<int> blocks;
  for (std::size_t k = 0; k + 1 < skips.size(); ++k) {
    blocks.push_back(circulant_received(skips, wrap(std::int64_t{r} + skips[k], p))[k]);
  }
  return blocks;
}

}  // namespace espalier::pattern
