// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/reproduce/process-remapping/program/grid_file.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "benchmarks/reproduce/process-remapping/program/grid_point.hpp"
#include "espalier/measure/common/job_line.hpp"

namespace espalier::measure {
namespace {

using Json = nlohmann::ordered_json;

Json overhead_of(plan::GridOverhead const& overhead) {
  return {
      {"sort_us", to_nanoseconds(overhead.sort_us)},
      {"choose_us", to_nanoseconds(overhead.choose_us)},
      {"rearrange_us", to_nanoseconds(overhead.rearrange_us)},
      {"create_us", to_nanoseconds(overhead.create_us)},
      {"trial_us", to_nanoseconds(overhead.trial_us)},
      {"total_us", to_nanoseconds(overhead.total_us())},
  };
}

Json case_of(GridCase const& one, std::span<double const> times_us) {
  Json samples = Json::array();
  for (double const time_us : times_us) {
    samples.push_back(to_nanoseconds(time_us));
  }
  return {{"mapping", one.mapping}, {"way", one.way}, {"samples_us", samples}};
}

}  // namespace

void GridFile::write_header(Job const& job, double clock_resolution_us) {
  lines_.write(job_line(job, "espalier-grid-samples", clock_resolution_us).dump());
}

void GridFile::write_mapping(std::size_t point, plan::MappedGrid const& grid) {
  Json const line{
      {"kind", "mapping"},
      {"point", point},
      {"mapping", grid.mapping},
      {"overhead", overhead_of(grid.overhead)},
  };
  lines_.write(line.dump());
}

void GridFile::write_point(
    GridTask const& task,
    std::vector<GridCase> const& cases,
    Samples const& samples,
    bool is_verified
) {
  Json list = Json::array();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    list.push_back(case_of(cases[i], samples.of(i)));
  }
  Json const line{
      {"kind", "point"},
      {"point", task.number},
      {"grid", task.point.extents},
      {"collective", std::string(schedule::to_string(task.point.collective))},
      {"bytes", task.point.bytes},
      {"is_overlapped", task.point.is_overlapped},
      {"is_verified", is_verified},
      {"cases", list},
  };
  lines_.write(line.dump());
}

void GridFile::write_trial(
    std::size_t point, std::string const& way, plan::MappedGrid const& best
) {
  Json tried = Json::array();
  for (plan::TriedMapping const& one : best.tried) {
    tried.push_back({{"mapping", one.name}, {"call_us", to_nanoseconds(one.call_us)}});
  }
  double const calls = best.num_calls_to_pay();
  Json const line{
      {"kind", "trial"},
      {"point", point},
      {"way", way},
      {"chosen", best.mapping},
      {"tried", tried},
      {"overhead", overhead_of(best.overhead)},
      {"calls_to_pay", std::isfinite(calls) ? Json(calls) : Json()},
  };
  lines_.write(line.dump());
}

void GridFile::write_error(
    std::size_t point, GridCase const& made, std::string const& reason, std::string const& text
) {
  Json const line{
      {"kind", "error"},
      {"point", point},
      {"mapping", made.mapping},
      {"way", made.way},
      {"reason", reason},
      {"text", text},
  };
  lines_.write(line.dump());
}

void GridFile::write_end(std::size_t num_points_left) {
  lines_.write(Json{{"kind", "end"}, {"points_left", num_points_left}}.dump());
}

}  // namespace espalier::measure
