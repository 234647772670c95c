// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>

#include <mpi.h>

#include "espalier/capi/grid_call.hpp"
#include "espalier/capi/grid_objects.hpp"
#include "espalier/capi/request.hpp"
#include "espalier/plan/communicators/seats.hpp"
#include "espalier/plan/topologies/grid_run.hpp"

namespace espalier::capi {

/// A collective along the dimensions of a grid.
class GridRequest final : public espalier_request {
public:
  /// @param user of the grid, which must outlive it
  /// @param seat where the messages of the lines travel
  GridRequest(
      MPI_Comm user,
      plan::Seat seat,
      std::string algorithm,
      std::string explanation,
      plan::LineRuns lines,
      bool is_overlapped
  );
  GridRequest(GridRequest const&) = delete;
  GridRequest& operator=(GridRequest const&) = delete;
  GridRequest(GridRequest&&) = delete;
  GridRequest& operator=(GridRequest&&) = delete;
  ~GridRequest() override;

  int start() override { return run_.start(); }

  int test(bool& is_complete) override { return run_.test(is_complete); }

  int wait() override { return run_.wait(); }

  [[nodiscard]] bool is_active() const noexcept override { return run_.is_active(); }

  [[nodiscard]] MPI_Comm user() const noexcept override { return user_; }

  [[nodiscard]] std::string explain() const override { return explanation_; }

private:
  MPI_Comm user_;
  plan::Seat seat_;  ///< before the runs, whose messages travel there
  std::string explanation_;
  plan::GridRun run_;
};

/// Plans a collective. Collective over the grid: all ranks get a request, or all throw.
/// @param call_of reads the arguments of this rank, and may throw plan::ClassError
/// @throws plan::ClassError of the same class on all ranks if the arguments of one are wrong; Error
///   unsupported, mpi.
void plan_grid_call(
    espalier_grid& grid, std::function<GridCollective()> const& call_of, espalier_request** request
);

}  // namespace espalier::capi
