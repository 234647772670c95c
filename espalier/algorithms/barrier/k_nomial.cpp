// SPDX-License-Identifier: Apache-2.0

/// @file
/// K-nomial tree barrier: signals gather along a k-nomial tree at rank 0 and come back the same
/// way.
///
///     sent, p = 5     rank 0   rank 1   rank 2   rank 3   rank 4
///     round 0         -        0        -        2        -
///     round 1         -        -        0        -        -
///     round 2         -        -        -        -        0
///     round 3         4        -        -        -        -
///     round 4         2        -        -        -        -
///     round 5         1        -        3        -        -
///
/// Half of the signals of dissemination in all, twice its rounds: for slow networks with little
/// room for messages.
///
/// Rounds  2 R, R = (k - 1) (ceil(log_k p) - 1) + floor((p - 1) / k^(ceil(log_k p) - 1)); 0 for
///         p = 1.
/// Bytes   none; a rank sends at most R signals.
/// Valid   p >= 1, k >= 2.
/// Source  [nishtala2009], "tree barrier".

#include "espalier/algorithms/trees/k_nomial.hpp"

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_barrier.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeBarrier<KNomialTrees<2>>;

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks < 4) {
    return {""};
  }
  return {"[k=2]", "[k=4]"};
}

}  // namespace

extern Algorithm const barrier_k_nomial{
    .collective = Collective::barrier,
    .name = "k_nomial",
    .summary = "signals gather along a k-nomial tree at rank 0 and come back the same way",
    .source = "nishtala2009",
    .parameters = {{
        .name = "k",
        .type = Parameter::Type::integer,
        .fallback = "2",
        .minimum = 2,
        .description = "ranks that know become k times as many in a phase; 2 is the binomial tree",
    }},
    .generate = Trees::generate,
    .facts = Trees::facts,
    .variants = variants,
};

}  // namespace espalier::algorithms
