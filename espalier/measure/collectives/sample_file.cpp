// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/collectives/sample_file.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/base/json_text.hpp"
#include "espalier/measure/common/job_line.hpp"

namespace espalier::measure {
namespace {

using Json = nlohmann::ordered_json;

Json times_of(Samples const& samples, std::vector<std::string> const& names) {
  Json times = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    times[names[i]] = to_nanoseconds(samples.of(i));
  }
  return times;
}

Json head_of(char const* kind, std::size_t index, PointRequest const& point) {
  return {
      {"kind", kind},
      {"index", index},
      {"collective", profile::to_string(point.call_form())},
      {"bytes", point.bytes},
  };
}

}  // namespace

void SampleFile::write_header(Job const& job, double clock_resolution_us) {
  lines_.write(json_text(job_line(job, "espalier-samples", clock_resolution_us)));
}

void SampleFile::write_point(
    std::size_t index,
    PointRequest const& point,
    std::vector<std::string> const& names,
    Samples const& samples,
    int calls_per_sample,
    std::map<std::string, std::string> const& decided
) {
  Json line = head_of("point", index, point);
  line["calls_per_sample"] = calls_per_sample;
  if (!decided.empty()) {
    line["decided"] = decided;
  }
  line["samples_us"] = times_of(samples, names);
  lines_.write(json_text(line));
}

void SampleFile::write_spread(
    std::size_t index,
    PointRequest const& point,
    std::vector<std::string> const& names,
    Spread const& spread
) {
  Json line = head_of("spread", index, point);
  line["fastest_us"] = times_of(spread.fastest, names);
  line["mean_us"] = times_of(spread.mean, names);
  lines_.write(json_text(line));
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
  lines_.write(json_text(line));
}

void SampleFile::write_creation(
    std::string const& order, std::span<double const> split_us, std::span<double const> group_us
) {
  Json const line{
      {"kind", "creation"},
      {"order", order},
      {"split_us", to_nanoseconds(split_us)},
      {"group_us", to_nanoseconds(group_us)},
  };
  lines_.write(json_text(line));
}

void SampleFile::write_end(std::size_t num_points_left) {
  lines_.write(json_text(Json{{"kind", "end"}, {"points_left", num_points_left}}));
}

}  // namespace espalier::measure
