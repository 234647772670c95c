// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>

#include "include/espalier_onesided.h"

#include "espalier/measure/common/job.hpp"
#include "espalier/measure/one_sided/team_plan.hpp"

namespace espalier::measure {

/// A request of a team, freed with the object.
struct FreeRequest {
  void operator()(espalier_request* request) const noexcept { espalier_request_free(&request); }
};

using OwnRequest = std::unique_ptr<espalier_request, FreeRequest>;

/// A team of all ranks of a job, with segments that hold the buffers of each request of a plan. All
/// functions are collective over the job.
class TunedTeam {
public:
  /// Refers to both. @throws Error mpi
  TunedTeam(Job const& job, TeamPlan const& plan);
  TunedTeam(TunedTeam const&) = delete;
  TunedTeam& operator=(TunedTeam const&) = delete;
  TunedTeam(TunedTeam&&) = delete;
  TunedTeam& operator=(TunedTeam&&) = delete;
  ~TunedTeam();

  /// @throws Error mpi
  [[nodiscard]] OwnRequest planned(TeamRequest const& request) const;
  /// @throws Error mpi
  void tune(espalier_request& request, double seconds) const;

  /// "node", "rma", "ucx" or "simulated".
  [[nodiscard]] char const* transport() const { return espalier_conduit_transport(conduit_); }

private:
  Job const* job_;
  TeamPlan const* plan_;
  espalier_conduit* conduit_ = nullptr;
  espalier_team* team_ = nullptr;
  std::byte* received_ = nullptr;  ///< in the segment, behind what is sent
};

}  // namespace espalier::measure
