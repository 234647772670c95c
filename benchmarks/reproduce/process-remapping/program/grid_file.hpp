// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/reproduce/process-remapping/program/grid_plan.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/json_lines.hpp"
#include "espalier/measure/common/samples.hpp"
#include "espalier/plan/topologies/grid_trial.hpp"

namespace espalier::measure {

struct GridTask;

/// A way in a mapping.
struct GridCase {
  std::string mapping{};
  std::string way{};
};

/// Samples as JSON lines, schema `espalier-grid-samples`. Used on rank 0 only; all throw Error io.
class GridFile {
public:
  /// @param path `-` is standard output.
  explicit GridFile(std::string const& path) : lines_(path) {}

  void write_header(Job const& job, double clock_resolution_us);
  /// A grid that was made, and what that took.
  void write_mapping(std::size_t point, plan::MappedGrid const& grid);
  void write_point(
      GridTask const& task,
      std::vector<GridCase> const& cases,
      Samples const& samples,
      bool is_verified
  );
  /// What trying mappings for a way found, and what that took.
  void write_trial(std::size_t point, std::string const& way, plan::MappedGrid const& best);
  /// @param reason `refused` or `wrong`.
  void write_error(
      std::size_t point, GridCase const& made, std::string const& reason, std::string const& text
  );
  void write_end(std::size_t num_points_left);

private:
  JsonLines lines_;
};

}  // namespace espalier::measure
