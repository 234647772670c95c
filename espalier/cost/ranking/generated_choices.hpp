// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/replay/fabric.hpp"
#include "espalier/cost/replay/setting.hpp"
#include "espalier/cost/replay/sizes.hpp"
#include "espalier/cost/replay/steps.hpp"

namespace espalier::cost {

/// Choices that are to be replayed at several sizes. What they do does not depend on the size, so
/// their programs are generated once, as far as memory allows, and only counted in bytes again.
class GeneratedChoices {
public:
  /// Of all programs that are kept; others are generated each time they are asked for.
  static constexpr std::size_t most_memory_bytes = std::size_t{256} << 20U;

  /// Takes those that accept this many ranks, and numbers them. Choices and setting must outlive
  /// this object.
  GeneratedChoices(
      std::span<algorithms::Choice const> choices,
      int root,
      Setting const& setting,
      std::size_t memory_bytes = most_memory_bytes
  );

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  [[nodiscard]] Setting const& setting() const noexcept { return *setting_; }

  [[nodiscard]] algorithms::Choice const& choice(std::size_t number) const {
    return *entries_[number].choice;
  }

  /// Its steps for blocks of these sizes, matched.
  /// @throws Error as matched_steps().
  [[nodiscard]] Steps steps(std::size_t number, Sizes const& sizes);
  /// Seconds that the ports of some rank are busy at least; 0 where blocks differ.
  [[nodiscard]] double lower_bound(std::size_t number, Sizes const& sizes);

private:
  /// What keeps one port of a rank busy.
  struct Load {
    double of_messages = 0;
    double of_bytes = 0;  ///< per byte of a block
    double gap = 0;       ///< the longest: the last message needs none
  };

  struct Entry {
    algorithms::Choice const* choice = nullptr;
    int num_blocks = 0;          ///< of the whole result, once known
    std::optional<Steps> steps;  ///< if kept: of blocks of one byte
    std::vector<Load> loads;     ///< of all ports that are used, once asked for
  };

  [[nodiscard]] Steps generate(Entry& entry) const;
  void keep(Entry& entry, Steps steps);
  void count_loads(Entry& entry, Steps const& steps) const;

  int root_;
  Setting const* setting_;
  Fabric fabric_;
  std::size_t memory_left_;
  std::vector<Entry> entries_;
};

}  // namespace espalier::cost
