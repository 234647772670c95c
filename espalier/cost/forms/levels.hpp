// SPDX-License-Identifier: Apache-2.0

/// @file
/// Hockney's model with a latency and a bandwidth for each level of a machine, nothing shared.

#pragma once

#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/forms/hockney.hpp"
#include "espalier/cost/replay/setting.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::cost {

/// Sum over rounds of what the slowest rank needs in each, where rounds end together.
///
/// A message of n bytes takes alpha + n beta of the link between its ends; what a rank sends in a
/// round goes one after another, what it receives too, both at the same time, and then it combines.
/// With one link this is Hockney's rounds alpha + volume beta + reductions gamma if no rank has two
/// messages in a round.
class LevelTime {
public:
  /// Refers to the setting. @param num_bytes of the whole result.
  LevelTime(Setting const& setting, double num_bytes) : setting_(&setting), num_bytes_(num_bytes) {}

  void add(schedule::RankProgram const& program);

  /// Seconds, over the programs added so far.
  [[nodiscard]] double seconds() const;

private:
  struct Busy {
    double sending = 0;
    double receiving = 0;
    double combining = 0;

    [[nodiscard]] double seconds() const noexcept;
  };

  void add(Busy& busy, schedule::RankProgram const& program, schedule::Operation const& operation);

  Setting const* setting_;
  double num_bytes_;
  std::vector<Busy> rank_;       ///< of the program that is being added, by round
  std::vector<double> slowest_;  ///< by round
};

/// @param num_bytes of the whole result.
/// @throws Error as Choice::generate.
[[nodiscard]] double
levels_time(algorithms::Choice const& choice, int root, Setting const& setting, double num_bytes);

/// Hockney's machine of the outermost link between two of the ranks; alpha and beta are 0 for one
/// rank.
[[nodiscard]] Hockney outermost(Setting const& setting);

/// Hockney's time on that machine: rounds alpha + volume beta + reductions gamma.
/// @throws Error as Choice::generate.
[[nodiscard]] double
hockney_time(algorithms::Choice const& choice, int root, Setting const& setting, double num_bytes);

}  // namespace espalier::cost
