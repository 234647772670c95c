// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/reduce_scatter/parts/halvings.hpp"

#include <algorithm>
#include <cstddef>

#include "espalier/base/integer.hpp"
#include "espalier/pattern/circulant.hpp"
#include "espalier/pattern/negabinary.hpp"

namespace espalier::algorithms {
namespace {

/// For an even rank at 0: what goes to its partner in each step. It is what the rank would still
/// lack if all steps ran backwards and everybody handed over all blocks collected so far.
std::vector<std::vector<int>> negabinary_offsets(int p) {
  auto const num_steps = static_cast<std::size_t>(ceil_log2(p));
  std::vector<std::vector<int>> lacking(num_steps);
  std::vector<bool> is_held(static_cast<std::size_t>(p), false);
  std::vector<int> held{0};
  is_held[0] = true;
  for (std::size_t step = num_steps; step-- > 0;) {
    std::int64_t const distance = pattern::negabinary_ones(static_cast<int>(step));
    for (int const offset : held) {
      int const of_partner = wrap(distance - offset, p);
      if (!is_held[static_cast<std::size_t>(of_partner)]) {
        lacking[step].push_back(of_partner);
      }
    }
    for (int const offset : lacking[step]) {
      is_held[static_cast<std::size_t>(offset)] = true;
      held.push_back(offset);
    }
  }
  return lacking;
}

/// Blocks at these offsets from `begin`, mirrored for odd ranks: even ones first, in order, so that
/// combs are seen and both ends of a message agree.
std::vector<int>
blocks_at(std::vector<int> const& offsets, std::int64_t begin, int direction, int p) {
  std::vector<int> blocks;
  blocks.reserve(offsets.size());
  for (int const offset : offsets) {
    blocks.push_back(wrap(begin + std::int64_t{direction} * offset, p));
  }
  std::ranges::sort(blocks, [](int a, int b) { return a % 2 != b % 2 ? a % 2 < b % 2 : a < b; });
  return blocks;
}

}  // namespace

std::vector<Handover> halve_distances(int p, int rank) {
  std::vector<Handover> steps;
  for (int d = p / 2; d > 0; d /= 2) {
    int const peer = rank ^ d;
    steps.push_back({
        .to = peer,
        .from = peer,
        .sent = comb(peer / d * d, d, 1, p),
        .kept = comb(rank / d * d, d, 1, p),
    });
  }
  return steps;
}

std::vector<Handover> double_distances(int p, int rank) {
  std::vector<Handover> steps;
  int begin = 0;
  for (int d = 1, size = p / 2; d < p; d *= 2, size /= 2) {
    int const upper = begin + size;
    bool const keeps_upper = (rank & d) != 0;
    steps.push_back({
        .to = rank ^ d,
        .from = rank ^ d,
        .sent = comb(keeps_upper ? begin : upper, size, 1, p),
        .kept = comb(keeps_upper ? upper : begin, size, 1, p),
    });
    begin = keeps_upper ? upper : begin;
  }
  return steps;
}

std::vector<Handover> halve_negabinary_distances(int p, int rank) {
  std::vector<Handover> steps;
  int step = ceil_log2(p);
  for (int size = p / 2; size > 0; size /= 2) {
    --step;
    int const peer = pattern::negabinary_partner(p, rank, step);
    steps.push_back({
        .to = peer,
        .from = peer,
        .sent = comb(pattern::negabinary_run_begin(p, peer, step), size, 1, p),
        .kept = comb(pattern::negabinary_run_begin(p, rank, step), size, 1, p),
    });
  }
  return steps;
}

std::vector<Handover> double_negabinary_distances(int p, int rank) {
  int const direction = rank % 2 == 0 ? 1 : -1;
  std::vector<Handover> steps;
  for (std::vector<int> const& offsets : negabinary_offsets(p)) {
    int const peer = pattern::negabinary_partner(p, rank, static_cast<int>(steps.size()));
    steps.push_back({
        .to = peer,
        .from = peer,
        .sent = blocks_at(offsets, rank, direction, p),
        .kept = blocks_at(offsets, peer, -direction, p),
    });
  }
  return steps;
}

std::vector<Handover> fall_along_skips(int p, int rank) {
  std::vector<int> const skips = pattern::circulant_skips(p);
  std::vector<Handover> steps;
  for (std::size_t k = skips.size() - 1; k-- > 0;) {
    int const num_blocks = skips[k + 1] - skips[k];
    steps.push_back({
        .to = wrap(std::int64_t{rank} + skips[k], p),
        .from = wrap(rank - skips[k], p),
        .sent = comb(std::int64_t{rank} + skips[k], num_blocks, 1, p),
        .kept = comb(rank, num_blocks, 1, p),
    });
  }
  return steps;
}

std::vector<Handover> pass_to_neighbor(int p, int rank) {
  std::vector<Handover> steps;
  for (int k = 0; k < p - 1; ++k) {
    steps.push_back({
        .to = wrap(rank + 1, p),
        .from = wrap(rank - 1, p),
        .sent = {wrap(rank - k - 1, p)},
        .kept = {wrap(rank - k - 2, p)},
    });
  }
  return steps;
}

}  // namespace espalier::algorithms
