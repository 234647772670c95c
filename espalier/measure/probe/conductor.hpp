// SPDX-License-Identifier: Apache-2.0

/// @file
/// Step after step in the order of the plan.
///
///     rank 0 -> ranks of a set     begin step i, it may last t seconds
///     ranks of the set             measure by themselves; all others wait quietly
///     leader of the set -> rank 0  the line, which is written at once
///
/// Rank 0 talks to those that take part only, so that a step costs the others nothing.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/json_lines.hpp"
#include "espalier/measure/probe/course.hpp"
#include "espalier/measure/probe/message_memory.hpp"
#include "espalier/measure/probe/probe_plan.hpp"

namespace espalier::measure::probe {

/// All steps of a plan on one rank.
class Conductor {
public:
  /// Refers to job and plan.
  Conductor(Job const& job, ProbePlan const& plan);

  /// Rank 0. @return number of sets not or not completely measured because time was over.
  /// @throws Error mpi, io
  std::size_t conduct(JsonLines& lines, double seconds);

  /// All other ranks: does what rank 0 says until it says that all is done.
  /// @throws Error mpi
  void follow();

private:
  struct Begin;

  void announce(Begin const& begin, std::vector<int> const& ranks) const;
  std::string measure(Begin const& begin);
  [[nodiscard]] Limits limits_of(Begin const& begin) const;
  [[nodiscard]] std::string line_from(int leader) const;
  [[nodiscard]] std::size_t sets_from(std::size_t step) const;

  Job const* job_;
  ProbePlan const* plan_;
  std::vector<Step> steps_;
  MessageMemory memory_;
  double clock_step_us_;
};

}  // namespace espalier::measure::probe
