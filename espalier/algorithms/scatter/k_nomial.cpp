// SPDX-License-Identifier: Apache-2.0

/// @file
/// K-nomial tree scatter: in every phase each rank that has parts keeps the first of k runs and
/// sends the others on.
///
///     sent, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     round 0         3:345    -        -        -        -        -
///     round 1         1:1      -        -        4:4      -        -
///     round 2         2:2      -        -        5:5      -        -
///
/// The parts of a subtree are a run that may wrap, ranks counted from the root. Fewer phases than
/// the binomial tree (k = 2); parts are forwarded less often.
///
/// Rounds  (k - 1) (ceil(log_k p) - 1) + floor((p - 1) / k^(ceil(log_k p) - 1)); 0 for p = 1.
/// Bytes   m (p - 1) / p sent by the root, m = bytes of all parts.
/// Scratch the parts of the subtree on ranks that serve others.
/// Valid   p >= 1, k >= 2; any root; parts of any sizes.
/// Source  [nishtala2009], "k-nomial tree"; [wilkins2023].

#include "espalier/algorithms/trees/k_nomial.hpp"

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_scatter.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeScatter<KNomialTrees<3>>;

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks > 33) {
    return {"[k=4]", "[k=8]"};
  }
  return request.num_ranks > 4 ? std::vector<std::string>{"[k=3]", "[k=4]"}
                               : std::vector<std::string>{"[k=3]"};
}

}  // namespace

extern Algorithm const scatter_k_nomial{
    .collective = Collective::scatter,
    .name = "k_nomial",
    .summary = "in every phase each rank that has parts serves k - 1 others with runs of them",
    .source = "nishtala2009,wilkins2023",
    .parameters = {{
        .name = "k",
        .type = Parameter::Type::integer,
        .fallback = "3",
        .minimum = 2,
        .description = "ranks of a group: its first one serves k - 1 others in a phase",
    }},
    .generate = Trees::generate,
    .facts = Trees::facts,
    .variants = variants,
    .phase_variants = {{.tried = Tried::in_groups, .arguments = "[k=4]", .turn = 2}},
};

}  // namespace espalier::algorithms
