// SPDX-License-Identifier: Apache-2.0

/// @file
/// K-ary tree scatter: every rank cuts the parts it hears into k runs and sends each to the first
/// rank of the run.
///
///     sent, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     round 0         3:345    -        -        -        -        -
///     round 1         1:12     -        -        5:5      -        -
///     round 2         -        2:2      -        4:4      -        -
///
/// A rank sends at most k messages, of nearly equal sizes, and is done; the last run is served
/// first. The parts of a subtree are a run that may wrap, ranks counted from the root.
///
/// Rounds  at most k ceil(log_k p), less where runs are short; p - 1 for k = 1.
/// Bytes   m (p - 1) / p sent by the root, m = bytes of all parts.
/// Scratch the parts of the subtree on ranks that serve others, at most ceil(p / k) for k > 1.
/// Valid   p >= 1, k >= 1 (1 is the chain); any root; parts of any sizes.
/// Source  [nishtala2009], "k-ary tree".

#include "espalier/algorithms/trees/k_ary.hpp"

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_scatter.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeScatter<KAryRunTrees>;

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks > 33) {
    return {"[k=2]", "[k=4]"};
  }
  return request.num_ranks > 3 ? std::vector<std::string>{"[k=1]", "[k=2]", "[k=3]"}
                               : std::vector<std::string>{"[k=2]"};
}

}  // namespace

extern Algorithm const scatter_k_ary{
    .collective = Collective::scatter,
    .name = "k_ary",
    .summary = "every rank cuts the parts it has into k runs and sends each to its first rank",
    .source = "nishtala2009",
    .parameters = {{
        .name = "k",
        .type = Parameter::Type::integer,
        .fallback = "2",
        .minimum = 1,
        .description = "most ranks that a rank serves",
    }},
    .generate = Trees::generate,
    .facts = Trees::facts,
    .variants = variants,
};

}  // namespace espalier::algorithms
