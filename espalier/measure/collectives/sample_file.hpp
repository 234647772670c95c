// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "espalier/measure/collectives/measurement_plan.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/json_lines.hpp"
#include "espalier/measure/common/samples.hpp"

namespace espalier::measure {

/// The samples of finished points as JSON lines. Used on rank 0 only.
class SampleFile {
public:
  /// @param path `-` is standard output.
  /// @throws Error io
  explicit SampleFile(std::string const& path) : lines_(path) {}

  /// @throws Error io
  void write_header(Job const& job, double clock_resolution_us);
  /// @param decided what contenders chose that decide themselves; `native` or a choice.
  /// @throws Error io
  void write_point(
      std::size_t index,
      PointRequest const& point,
      std::vector<std::string> const& names,
      Samples const& samples,
      int calls_per_sample,
      std::map<std::string, std::string> const& decided = {}
  );
  /// What belongs to the point before it.
  /// @throws Error io
  void write_spread(
      std::size_t index,
      PointRequest const& point,
      std::vector<std::string> const& names,
      Spread const& spread
  );
  /// A choice that was not timed, and why: `refused` (not for this number of ranks), `slow` (the
  /// time of the point did not suffice) or `wrong` (its result differs from the native one, or it
  /// failed), in which case nothing of the point is.
  /// @throws Error io
  void write_error(
      std::size_t index,
      PointRequest const& point,
      std::string const& choice,
      std::string const& reason,
      std::string const& text
  );
  /// How long making a communicator with the ranks in another order takes, in two ways.
  /// @throws Error io
  void write_creation(
      std::string const& order, std::span<double const> split_us, std::span<double const> group_us
  );
  /// @throws Error io
  void write_end(std::size_t num_points_left);

private:
  JsonLines lines_;
};

}  // namespace espalier::measure
