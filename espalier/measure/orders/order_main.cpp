// SPDX-License-Identifier: Apache-2.0

/// @file
/// espalier-order-<vendor>: times scatters, gathers and bcasts with the ranks in several orders, on
/// the ranks it is started with. Started by `espalier order`.

#include <cstddef>
#include <optional>

#include "espalier/measure/collectives/sample_file.hpp"
#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/plan_and_output.hpp"
#include "espalier/measure/common/program.hpp"
#include "espalier/measure/orders/order_plan.hpp"
#include "espalier/measure/orders/order_point.hpp"

namespace espalier::measure {
namespace {

/// Measures point after point; rank 0 says when the time of the whole plan is over.
std::size_t measure_points(Job const& job, OrderPlan const& plan, SampleFile* file) {
  auto const start = Clock::now();
  OrderedCommunicators const communicators(job, plan);
  std::size_t const num_points = plan.measurement.points.size();
  for (std::size_t index = 0; index < num_points; ++index) {
    double const seconds_left = plan.measurement.seconds - seconds_since(start);
    if (!is_time_left(job, seconds_left)) {
      return num_points - index;
    }
    Pace const pace = pace_of(plan.measurement, index, seconds_left);
    measure_order_point(job, plan, communicators, index, pace, file);
  }
  return 0;
}

void measure(Job const& job, PlanAndOutput const& options) {
  auto const plan = shared_plan<OrderPlan>(job, options);
  std::optional<SampleFile> file;
  if (job.rank == 0) {
    file.emplace(options.output);
    file->write_header(job, clock_resolution_us());
  }
  SampleFile* const lines = file ? &*file : nullptr;
  std::size_t const num_left = measure_points(job, plan, lines);
  measure_creation(job, plan, lines);
  if (file) {
    file->write_end(num_left);
  }
}

}  // namespace
}  // namespace espalier::measure

int main(int argc, char** argv) {
  using namespace espalier::measure;
  return run_program(argc, argv, "espalier-order", measure);
}
