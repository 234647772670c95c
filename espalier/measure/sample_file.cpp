// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/sample_file.hpp"

#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/measure/clock.hpp"

namespace espalier::measure {
namespace {

using Json = nlohmann::ordered_json;

/// To a nanosecond: more digits would only make the file longer.
double rounded(double time_us) {
  return std::round(time_us * 1000.0) / 1000.0;
}

Json list_of(std::span<double const> times_us) {
  Json values = Json::array();
  for (double const value : times_us) {
    values.push_back(rounded(value));
  }
  return values;
}

Json times_of(Samples const& samples, std::vector<std::string> const& names) {
  Json times = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    times[names[i]] = list_of(samples.of(i));
  }
  return times;
}

Json head_of(char const* kind, std::size_t index, PointRequest const& point) {
  return {
      {"kind", kind},
      {"index", index},
      {"collective", tune::to_string(point.call)},
      {"bytes", point.bytes},
  };
}

}  // namespace

void SampleFile::write_header(Job const& job, double clock_resolution_us) {
  Json const line{
      {"kind", "header"},
      {"schema", "espalier-samples"},
      {"version", 1},
      {"num_ranks", job.num_ranks},
      {"num_nodes", job.num_nodes},
      {"max_ranks_per_node", job.max_ranks_per_node},
      {"min_cpus_per_node", job.min_cpus_per_node},
      {"mpi", {{"vendor", ESPALIER_MPI_VENDOR}, {"version", job.library_version}}},
      {"clock_resolution_us", rounded(clock_resolution_us)},
      {"is_simulated", is_simulated()},
  };
  lines_.write(line.dump());
}

void SampleFile::write_point(
    std::size_t index,
    PointRequest const& point,
    std::vector<std::string> const& names,
    Samples const& samples,
    int calls_per_sample
) {
  Json line = head_of("point", index, point);
  line["calls_per_sample"] = calls_per_sample;
  line["samples_us"] = times_of(samples, names);
  lines_.write(line.dump());
}

void SampleFile::write_error(
    std::size_t index,
    PointRequest const& point,
    std::string const& choice,
    std::string const& reason,
    std::string const& text
) {
  Json line = head_of("error", index, point);
  line["algorithm"] = choice;
  line["reason"] = reason;
  line["text"] = text;
  lines_.write(line.dump());
}

void SampleFile::write_creation(
    std::string const& order, std::span<double const> split_us, std::span<double const> group_us
) {
  Json const line{
      {"kind", "creation"},
      {"order", order},
      {"split_us", list_of(split_us)},
      {"group_us", list_of(group_us)},
  };
  lines_.write(line.dump());
}

void SampleFile::write_end(std::size_t num_points_left) {
  lines_.write(Json{{"kind", "end"}, {"points_left", num_points_left}}.dump());
}

}  // namespace espalier::measure
