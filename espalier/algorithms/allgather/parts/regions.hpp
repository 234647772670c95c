// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/composed/rows.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {

/// Ranks cut into regions of consecutive ranks, counted modulo their number. Sizes differ by at
/// most one.
struct Regions {
  Rows rows;

  [[nodiscard]] RankRange region(std::int64_t index) const;
  /// The rank of a region at this place, modulo its size.
  [[nodiscard]] int rank_at(std::int64_t index, int place) const;
  /// Blocks of num_regions regions from the one with this index; not of all.
  [[nodiscard]] schedule::Slot blocks(std::int64_t index, int num_regions) const;
};

/// Allgathers within all regions at the same time, by one algorithm.
struct RegionalGathering {
  Regions regions;
  Choice inner;

  /// As Algorithm::refuses.
  [[nodiscard]] std::string refuses() const;
  /// Smaller regions wait for the others.
  [[nodiscard]] int num_rounds() const;
  /// Appends that of the builder's rank: place i of its region contributes blocks_of[i].
  void append(schedule::Builder& builder, std::span<schedule::Slot const> blocks_of) const;
};

}  // namespace espalier::algorithms
