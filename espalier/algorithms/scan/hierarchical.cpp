// SPDX-License-Identifier: Apache-2.0

/// @file
/// Hierarchical scan: rows of consecutive ranks run a scan, their last ranks an exscan over the
/// sums of rows, which rows broadcast and put in front of what they have.
///
///     sent, p = 6     rank 0   rank 1   rank 2     rank 3   rank 4   rank 5
///     round 0         1:0(0)   2:0(1)   -          4:0(3)   5:0(4)   -
///     round 1         2:0(0)   -        -          5:0(3)   -        -
///     round 2         -        -        5:0(012)   -        -        -
///     round 3         -        -        -          -        -        4:0(012)
///     round 4         -        -        -          -        -        3:0(012)
///
/// Rows are meant to be nodes: one rank of a node talks to other nodes. With rows=AxB.. or sizes
/// and rows, inner rows of a row are connected the same way first.
///
/// Rounds  up(row size) + across(number of rows) + down(row size).
/// Bytes   those of up, across and down for the whole vector, by the last rank of a row.
/// Scratch a vector for each level, and what the phases need.
/// Order   rank if up and across keep it: rows are runs of ranks.
/// Valid   p >= product of rows, and what up, across and down accept.
/// Source  [kuehnemann2004] for the groups, [karonis2000] for other collectives.

#include "espalier/algorithms/composed/hierarchical_scan.hpp"

namespace espalier::algorithms {
namespace {

constexpr std::string_view default_up = "scan/recursive_doubling";
constexpr std::string_view default_across = "exscan/recursive_doubling";
constexpr std::string_view default_down = "bcast/binomial";

HierarchicalScan scan_of(Request const& request) {
  return {Hierarchy::parse(request, default_up, default_across, default_down)};
}

schedule::RankProgram generate(Request const& request, int rank) {
  return scan_of(request).program(rank);
}

}  // namespace

extern Algorithm const scan_hierarchical{
    .collective = Collective::scan,
    .name = "hierarchical",
    .summary = "scans within rows, an exscan over the sums of rows, which rows put in front",
    .source = "kuehnemann2004,karonis2000",
    .valid = "at least as many ranks as rows, and what up, across and down accept",
    .parameters = hierarchical_parameters(default_up, default_across, default_down),
    .refuses = [](Request const& request) { return scan_of(request).refuses(); },
    .generate = generate,
    .facts = [](Request const& request) { return scan_of(request).facts(request, generate); },
    .rounds = [](Request const& request) { return sum_of_rounds(scan_of(request).stages()); },
    .order = [](Request const& request) { return weakest_order(scan_of(request).stages()); },
    .num_pieces = [](Request const& request) { return scan_of(request).num_pieces(); },
    .variants =
        [](Request const& request) {
          return layout_variants(request.num_ranks, "up", Collective::scan, Tried::within_rows);
        },
};

}  // namespace espalier::algorithms
