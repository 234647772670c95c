// SPDX-License-Identifier: Apache-2.0

/// @file
/// The circulant graph in which rank r talks to r + s_k and r - s_k (modulo p), for q = ceil(log2
/// p) skips s_k, and which blocks travel in it when rank 0 broadcasts many.
///
/// In round i of a broadcast, with k = i modulo q, every rank r sends to r + s_k and receives from
/// r - s_k. Rank 0 sends block 0, 1, 2, ... After q rounds all other ranks have one block, the one
/// they got first hand or from somebody who had; after that a rank gets a new block in every round,
/// and the pattern repeats every q rounds with all block numbers q higher.

#pragma once

#include <span>
#include <vector>

namespace espalier::pattern {

/// The skips s_0 = 1 < s_1 < ... < s_q = p, where s_k = ceil(s_(k+1) / 2) and q = ceil(log2 p);
/// p >= 1. The last one is no skip but saves a special case.
[[nodiscard]] std::vector<int> circulant_skips(int p);

/// Block that rank r >= 1 receives first, in round 0 .. q - 1 of that number: the smallest skip in
/// r written as a sum of skips, largest first. q for rank 0.
[[nodiscard]] int circulant_first_block(std::span<int const> skips, int r);

/// Blocks that rank r >= 1 receives in rounds k = 0 .. q - 1: its first block, and all of
/// -q .. -1 but the first block minus q. Negative numbers are blocks of the rounds before.
/// Every rank computes its own, in O(log p).
[[nodiscard]] std::vector<int> circulant_received(std::span<int const> skips, int r);

/// Blocks that rank r sends in rounds k = 0 .. q - 1: what r + s_k receives then. Nothing needs to
/// be sent to rank 0: those numbers mean nothing. O(log^2 p).
[[nodiscard]] std::vector<int> circulant_sent(std::span<int const> skips, int r);

}  // namespace espalier::pattern
