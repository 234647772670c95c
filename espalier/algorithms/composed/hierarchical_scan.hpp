// SPDX-License-Identifier: Apache-2.0

/// @file
/// Scan and exscan on rows of consecutive ranks: within rows, then over the sums of rows, which the
/// last ranks of rows have, and at last every rank puts the sum of all rows before its own in
/// front.

#pragma once

#include "espalier/algorithms/composed/hierarchical.hpp"

namespace espalier::algorithms {

/// The algorithms of the phases: `up` is a scan or an exscan within leaves, `across` an exscan over
/// the sums of rows, `down` the broadcast of a row.
struct HierarchicalScan {
  Hierarchy hierarchy;

  [[nodiscard]] std::string refuses() const;
  [[nodiscard]] int num_pieces() const;
  /// Within leaves, then for each level, from the last one, between and within rows.
  [[nodiscard]] std::vector<Stage> stages(int num_blocks = 1) const;
  [[nodiscard]] schedule::RankProgram program(int rank) const;
  [[nodiscard]] Facts
  facts(Request const& request, schedule::RankProgram (*generate)(Request const&, int)) const;
};

}  // namespace espalier::algorithms
