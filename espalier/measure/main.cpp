// SPDX-License-Identifier: Apache-2.0

/// @file
/// espalier-measure-<vendor>: times the candidates of a measurement plan on the ranks it is started
/// with. Started by `espalier tune`; the formats are in DESIGN.md.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/measure/clock.hpp"
#include "espalier/measure/contender.hpp"
#include "espalier/measure/job.hpp"
#include "espalier/measure/measurement_plan.hpp"
#include "espalier/measure/point.hpp"
#include "espalier/measure/sample_file.hpp"
#include "espalier/tune/profile.hpp"

namespace espalier::measure {
namespace {

struct Options {
  std::string plan;
  std::string output;
};

constexpr std::string_view usage =
    "expected --plan FILE --output FILE (- for standard input and output)";

std::optional<Options> parse(int num_words, char** words) {
  Options options;
  for (int i = 1; i + 1 < num_words; i += 2) {
    std::string_view const name(words[i]);
    if (name == "--plan") {
      options.plan = words[i + 1];
    } else if (name == "--output") {
      options.output = words[i + 1];
    } else {
      return std::nullopt;
    }
  }
  bool const is_complete = num_words == 5 && !options.plan.empty() && !options.output.empty();
  return is_complete ? std::optional(options) : std::nullopt;
}

/// Text of the plan, checked, so that complaints come from one rank only.
std::string read_plan(std::string const& path) {
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    text = tune::read_text(path);
  }
  static_cast<void>(MeasurementPlan::parse(text, path));
  return text;
}

/// What one point needs less than its share of the time, the points after it may use.
Pace pace_of(MeasurementPlan const& plan, std::size_t index, double seconds_left) {
  double const share = seconds_left / static_cast<double>(plan.points.size() - index);
  return {
      .seed = plan.seed + index,
      .warmup = plan.warmup,
      .min_repetitions = plan.min_repetitions,
      .max_repetitions = plan.max_repetitions,
      .seconds = std::min(plan.seconds_per_point, share),
      .precision = plan.precision,
  };
}

/// Measures point after point; rank 0 says when the time of the whole plan is over.
void measure(Job const& job, Options const& options) {
  auto const start = Clock::now();
  std::string const text = from_rank_0(job, job.rank == 0 ? read_plan(options.plan) : "");
  MeasurementPlan const plan = MeasurementPlan::parse(text, options.plan);
  std::optional<SampleFile> file;
  if (job.rank == 0) {
    file.emplace(options.output);
    file->write_header(job, clock_resolution_us());
  }
  Contenders contenders(job);
  std::size_t index = 0;
  for (; index < plan.points.size(); ++index) {
    double const seconds_left = plan.seconds - seconds_since(start);
    if (from_rank_0(job, seconds_left > 0.0 ? 1 : 0) == 0) {
      break;
    }
    Place const place{.index = index, .request = &plan.points[index]};
    measure_point(
        job, place, pace_of(plan, index, seconds_left), contenders, file ? &*file : nullptr
    );
  }
  contenders.finish();
  if (file) {
    file->write_end(plan.points.size() - index);
  }
}

/// An error on one rank ends all: the others may be waiting for it.
[[noreturn]] void abandon(std::string_view text) {
  std::fprintf(stderr, "espalier-measure: %.*s\n", static_cast<int>(text.size()), text.data());
  PMPI_Abort(MPI_COMM_WORLD, 1);
  std::terminate();
}

}  // namespace
}  // namespace espalier::measure

int main(int argc, char** argv) {
  using namespace espalier::measure;
  PMPI_Init(&argc, &argv);
  try {
    Job job = Job::describe();
    auto const options = parse(argc, argv);
    if (!options) {
      throw espalier::Error(espalier::ErrorCode::argument, std::string(usage));
    }
    measure(job, *options);
    PMPI_Comm_free(&job.comm);
  } catch (std::exception const& error) {
    abandon(error.what());
  }
  PMPI_Finalize();
  return 0;
}
