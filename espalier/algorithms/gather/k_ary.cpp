// SPDX-License-Identifier: Apache-2.0

/// @file
/// K-ary tree gather: every rank collects k runs of parts and hands them on as one.
///
///     sent, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     round 0         -        -        1:2      -        3:4      -
///     round 1         -        0:12     -        -        -        3:5
///     round 2         -        -        -        0:345    -        -
///
/// The k-ary scatter backwards: nobody hears more than k others, and their messages have nearly
/// equal sizes. The parts of a subtree are a run that may wrap, ranks counted from the root.
///
/// Rounds  at most k ceil(log_k p), less where runs are short; p - 1 for k = 1.
/// Bytes   m (p - 1) / p received by the root, m = bytes of all parts.
/// Scratch the parts of the subtree on ranks that hear others, at most ceil(p / k) parts for k > 1.
/// Valid   p >= 1, k >= 1 (1 is the chain); any root; parts of any sizes.
/// Source  [nishtala2009], "k-ary tree".

#include "espalier/algorithms/trees/k_ary.hpp"

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_gather.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeGather<KAryRunTrees>;

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks > 33) {
    return {"[k=2]", "[k=4]"};
  }
  return request.num_ranks > 3 ? std::vector<std::string>{"[k=1]", "[k=2]", "[k=3]"}
                               : std::vector<std::string>{"[k=2]"};
}

}  // namespace

extern Algorithm const gather_k_ary{
    .collective = Collective::gather,
    .name = "k_ary",
    .summary = "every rank collects k runs of parts and hands them on as one",
    .source = "nishtala2009",
    .parameters = {{
        .name = "k",
        .type = Parameter::Type::integer,
        .fallback = "2",
        .minimum = 1,
        .description = "most ranks that a rank hears",
    }},
    .generate = Trees::generate,
    .facts = Trees::facts,
    .variants = variants,
};

}  // namespace espalier::algorithms
