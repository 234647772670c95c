// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

#include "espalier/measure/common/job.hpp"
#include "espalier/measure/probe/course.hpp"
#include "espalier/measure/probe/exchange.hpp"
#include "espalier/measure/probe/message_memory.hpp"
#include "espalier/measure/probe/probe_plan.hpp"

namespace espalier::measure::probe {

/// One step on one rank of its set. The ranks of a set run by themselves: the sender of the first
/// pair leads them, and nobody else takes part.
class SetRun {
public:
  /// Refers to job and memory. The rank of the job is in the set.
  SetRun(Job const& job, MessageMemory& memory, ProbePlan const& plan, Step const& step);

  [[nodiscard]] static int leader_of(PairSet const& pairs) { return pairs.front().sender; }

  /// Collective over the set, once.
  /// @return what was measured, complete on the leader only.
  /// @throws Error mpi
  Course run(Limits const& limits);

private:
  [[nodiscard]] Batch from_leader(Batch batch) const;
  std::vector<double> carry_out(Batch const& batch);
  [[nodiscard]] std::vector<std::vector<double>> gather(std::vector<double> const& mine) const;
  void give_to_leader(std::vector<double> const& mine) const;

  [[nodiscard]] bool leads() const { return job_->rank == members_.front(); }

  Job const* job_;
  TestKind kind_;
  PairSet const* pairs_;
  std::vector<int> members_;
  int index_;          ///< of this rank among the members
  bool is_measuring_;  ///< the end of its pair that measures
  Exchange exchange_;
};

}  // namespace espalier::measure::probe
