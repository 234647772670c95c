// SPDX-License-Identifier: Apache-2.0

/// @file
/// The fastest tree where a rank can send in every round, but a message arrives `latency` rounds
/// after its sending began: the postal model [barnoy1992].
///
/// After t rounds F(t) ranks can have the message: F(t) = 1 for t < latency, then
/// F(t) = F(t - 1) + F(t - latency). With latency 1 that is the binomial tree, with 2 the Fibonacci
/// tree, with p - 1 or more the flat one. A run of ranks that takes t rounds is led by its first
/// rank, which keeps F(t - 1) ranks and gives the others, a run as well, to the rank it serves.

#pragma once

#include "espalier/pattern/tree.hpp"

namespace espalier::pattern {

/// Node x of the tree over p ranks; latency >= 1. A round is that in which a message is sent; a
/// rank serves its first child `latency` rounds after it was served.
[[nodiscard]] TreeNode postal_node(int latency, int p, int x);

/// Rounds in which a message is sent: the root serves one rank in each.
[[nodiscard]] int postal_rounds(int latency, int p);

}  // namespace espalier::pattern
