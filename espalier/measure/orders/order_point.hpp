// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/exec/collectives/mpi_reordering.hpp"
#include "espalier/measure/collectives/sample_file.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/pace.hpp"
#include "espalier/measure/orders/order_plan.hpp"

namespace espalier::measure {

/// The communicators of all orders of a plan but the first, which is that of the job.
class OrderedCommunicators {
public:
  /// Collective. Refers to both.
  /// @throws Error argument if the orders are not of as many ranks as the job has; mpi.
  OrderedCommunicators(Job const& job, OrderPlan const& plan);

  /// The communicator for an order of the plan, and the rank of the root in it.
  [[nodiscard]] MPI_Comm comm(std::size_t order) const;
  [[nodiscard]] int root(std::size_t order) const noexcept;

private:
  Job const* job_;
  OrderPlan const* plan_;
  std::vector<exec::ReorderedCommunicator> made_;
};

/// Collective: times making and freeing the communicator of each order but the first, both ways in
/// turn, and writes it to `file` (rank 0; null elsewhere).
/// @throws Error mpi, io
void measure_creation(Job const& job, OrderPlan const& plan, SampleFile* file);

/// Collective: measures a point of the plan in all orders, natively and with each choice, and
/// writes it to `file` (rank 0; null elsewhere).
///
/// A way to make the call is named `native` or `scatter/binomial` in the first order, and
/// `native@fef` in the one called fef. Nothing is timed before all of them gave the right result:
/// one that does not makes an error line, and the point is left out.
/// @throws Error mpi, io
void measure_order_point(
    Job const& job,
    OrderPlan const& plan,
    OrderedCommunicators const& communicators,
    std::size_t point,
    Pace const& pace,
    SampleFile* file
);

}  // namespace espalier::measure
