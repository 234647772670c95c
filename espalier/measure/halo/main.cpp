// SPDX-License-Identifier: Apache-2.0

/// @file
/// espalier-halo-<vendor>: exchanges halos on Cartesian communicators made in several ways, on the
/// ranks it is started with. `--plan` is an input file as HaloInput describes it. Started by
/// `espalier halo`.

#include <algorithm>
#include <cstddef>
#include <optional>

#include "espalier/capi/environment.hpp"
#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/even_pace.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/plan_and_output.hpp"
#include "espalier/measure/common/program.hpp"
#include "espalier/measure/halo/halo_file.hpp"
#include "espalier/measure/halo/halo_input.hpp"
#include "espalier/measure/halo/halo_point.hpp"
#include "espalier/plan/topologies/places.hpp"

namespace espalier::measure {
namespace {

/// Size after size; rank 0 says when the time is over. @return how many are left.
std::size_t measure_groups(Job const& job, HaloInput const& input, HaloFile* file) {
  auto const start = Clock::now();
  std::size_t points_left = input.groups.size() * input.factors.size();
  for (std::size_t group = 0; group < input.groups.size(); ++group) {
    GroupCommunicators communicators(job, input, group, file);
    for (int const factor : input.factors) {
      double const seconds_left = input.seconds - seconds_since(start);
      if (!is_time_left(job, seconds_left)) {
        return points_left;
      }
      Pace const pace = even_pace(
          {.min = input.min_repetitions, .max = input.max_repetitions}, points_left, seconds_left
      );
      measure_halo(job, input, group, factor, communicators, pace, file);
      --points_left;
    }
  }
  return 0;
}

void measure(Job const& job, PlanAndOutput const& options) {
  auto const input = shared_plan<HaloInput>(job, options);
  // As MPIX_Cart_weighted_create finds them.
  plan::MachineText const machine = job.rank == 0 ? capi::described_machine() : plan::MachineText{};
  std::optional<plan::FoundPlaces> const found = plan::find_places_at_root(job.comm, machine);
  std::optional<HaloFile> file;
  if (job.rank == 0) {
    file.emplace(options.output);
    file->write_header(job, clock_resolution_us(), found->places);
  }
  std::size_t const num_left = measure_groups(job, input, file ? &*file : nullptr);
  if (file) {
    file->write_end(num_left);
  }
}

}  // namespace
}  // namespace espalier::measure

int main(int argc, char** argv) {
  using namespace espalier::measure;
  return run_program(argc, argv, "espalier-halo", measure);
}
