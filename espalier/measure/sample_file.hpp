// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "espalier/measure/job.hpp"
#include "espalier/measure/measurement_plan.hpp"
#include "espalier/measure/samples.hpp"

namespace espalier::measure {

/// The samples: JSON lines, each written and flushed as a whole, so that whatever ends the program
/// leaves the points that were finished. Used on rank 0 only.
class SampleFile {
public:
  /// @param path `-` is standard output.
  /// @throws Error io
  explicit SampleFile(std::string const& path);

  /// @throws Error io
  void write_header(Job const& job, double clock_resolution_us);
  /// @throws Error io
  void write_point(
      std::size_t index,
      PointRequest const& point,
      std::vector<std::string> const& names,
      Samples const& samples,
      int calls_per_sample
  );
  /// A choice that was not timed, and why: `refused` (not for this number of ranks) or `wrong`
  /// (its result differs from the native one, or it failed), in which case nothing of the point is.
  /// @throws Error io
  void write_error(
      std::size_t index,
      PointRequest const& point,
      std::string const& choice,
      std::string const& reason,
      std::string const& text
  );
  /// @throws Error io
  void write_end(std::size_t num_points_left);

private:
  struct Close {
    void operator()(std::FILE* file) const noexcept;
  };

  void write(std::string const& line);

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace espalier::measure
