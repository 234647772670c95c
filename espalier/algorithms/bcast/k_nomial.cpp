// SPDX-License-Identifier: Apache-2.0

/// @file
/// K-nomial tree broadcast: in every phase each rank that has the message serves k - 1 that have
/// not.
///
///     blocks held, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     start                  0        -        -        -        -        -
///     after round 0          0        -        -        0        -        -
///     after round 1          0        0        -        0        0        -
///     after round 2          0        0        0        0        0        0
///
/// Fewer phases than the binomial tree (k = 2), more messages in a row from one rank.
///
/// Rounds  (k - 1) (ceil(log_k p) - 1) + floor((p - 1) / k^(ceil(log_k p) - 1)); 0 for p = 1.
/// Bytes   m times as many sent by the root, m = bytes of the message.
/// Valid   p >= 1, k >= 2; any root; can be segmented.
/// Source  [wilkins2023], "k-nomial tree".

#include "espalier/algorithms/trees/k_nomial.hpp"

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_bcast.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeBcast<KNomialTrees<3>>;

std::vector<std::string> variants(Request const& request) {
  std::vector<std::string> result;
  for (int const k : {3, 4, 8}) {
    bool const is_worth_it = request.num_ranks <= 33 || k != 3;
    if (k < request.num_ranks && is_worth_it) {
      result.push_back("[k=" + std::to_string(k) + "]");
    }
  }
  return result.empty() ? std::vector<std::string>{""} : result;
}

}  // namespace

extern Algorithm const bcast_k_nomial{
    .collective = Collective::bcast,
    .name = "k_nomial",
    .summary = "in every phase each rank that has the message serves k - 1 that have not",
    .source = "wilkins2023",
    .parameters = {{
        .name = "k",
        .type = Parameter::Type::integer,
        .fallback = "3",
        .minimum = 2,
        .description = "ranks that have the message become k times as many in a phase",
    }},
    .generate = Trees::generate,
    .facts = Trees::facts,
    .segment_period = Trees::segment_period,
    .variants = variants,
    .phase_variants = {{.tried = Tried::in_groups, .arguments = "[k=4]", .turn = 2}},
};

}  // namespace espalier::algorithms
