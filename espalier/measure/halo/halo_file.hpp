// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "espalier/mapping/places.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/json_lines.hpp"
#include "espalier/measure/common/samples.hpp"
#include "espalier/measure/halo/grid_communicator.hpp"
#include "espalier/measure/halo/halo_geometry.hpp"

namespace espalier::measure {

/// A case of a group of the input, both counted from 0.
struct CasePlace {
  std::size_t group = 0;
  std::size_t number = 0;
};

/// A case of a size that was measured.
struct MeasuredCase {
  std::size_t number = 0;  ///< in its group
  HaloGeometry geometry{};
  bool is_verified = false;
};

/// Samples as JSON lines, schema `espalier-halo-samples`. Used on rank 0 only; all throw Error io.
class HaloFile {
public:
  /// @param path `-` is standard output.
  explicit HaloFile(std::string const& path) : lines_(path) {}

  void write_header(Job const& job, double clock_resolution_us, mapping::Places const& places);
  void write_case(CasePlace const& place, GridCommunicator const& comm);
  void write_point(
      std::size_t group,
      int factor,
      std::vector<MeasuredCase> const& cases,
      Samples const& samples,
      int exchanges_per_sample
  );
  /// @param factor 0: of none, there is no communicator.
  /// @param reason `refused` or `wrong`.
  void write_error(
      CasePlace const& place, int factor, std::string const& reason, std::string const& text
  );
  void write_end(std::size_t num_points_left);

private:
  JsonLines lines_;
};

}  // namespace espalier::measure
