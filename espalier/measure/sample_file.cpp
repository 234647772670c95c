// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/sample_file.hpp"

#include <cerrno>
#include <cmath>
#include <system_error>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"

namespace espalier::measure {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void fail(std::string const& path, int number) {
  throw Error(
      ErrorCode::io,
      path + ": expected a file that can be written, got '" +
          std::generic_category().message(number) + "'"
  );
}

/// To a nanosecond: more digits would only make the file longer.
double rounded(double time_us) {
  return std::round(time_us * 1000.0) / 1000.0;
}

Json times_of(Samples const& samples, std::vector<std::string> const& names) {
  Json times = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    Json values = Json::array();
    for (double const value : samples.of(i)) {
      values.push_back(rounded(value));
    }
    times[names[i]] = std::move(values);
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

void SampleFile::Close::operator()(std::FILE* file) const noexcept {
  if (file != stdout) {
    std::fclose(file);
  }
}

SampleFile::SampleFile(std::string const& path)
    : path_(path == "-" ? "standard output" : path),
      file_(path == "-" ? stdout : std::fopen(path.c_str(), "w")) {
  if (!file_) {
    fail(path_, errno);
  }
}

void SampleFile::write(std::string const& line) {
  errno = 0;
  std::string const text = line + "\n";
  std::size_t const written = std::fwrite(text.data(), 1, text.size(), file_.get());
  if (written != text.size() || std::fflush(file_.get()) != 0) {
    fail(path_, errno);
  }
}

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
  };
  write(line.dump());
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
  write(line.dump());
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
  write(line.dump());
}

void SampleFile::write_end(std::size_t num_points_left) {
  write(Json{{"kind", "end"}, {"points_left", num_points_left}}.dump());
}

}  // namespace espalier::measure
