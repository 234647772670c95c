// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the tests of tuning share.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_cases.hpp"
#include "tests/mpi/capi/onesided_support.hpp"

namespace espalier::test {

inline espalier_tuning_options within(double seconds) {
  espalier_tuning_options options = ESPALIER_TUNING_OPTIONS_INIT;
  options.seconds = seconds;
  return options;
}

/// A team of all processes, with two buffers in the segment of each.
struct Members {
  static constexpr std::uint64_t region_bytes = std::uint64_t{1} << 18U;

  Members(Checks& all_checks, char const* transport)
      : checks(&all_checks), world(all_checks, 2 * region_bytes, transport) {
    int const code = espalier_team_create(world.conduit, MPI_COMM_WORLD, 1U << 20U, &team);
    checks->expect(code == MPI_SUCCESS, "a team: " + text_of(code));
    auto* const segment = static_cast<std::byte*>(espalier_conduit_segment(world.conduit));
    in = reinterpret_cast<std::int32_t*>(segment + 64);
    out = reinterpret_cast<std::int32_t*>(segment + region_bytes);
  }

  Members(Members const&) = delete;
  Members& operator=(Members const&) = delete;
  Members(Members&&) = delete;
  Members& operator=(Members&&) = delete;

  ~Members() { checks->expect(espalier_team_free(&team) == MPI_SUCCESS, "free the team"); }

  espalier_request* planned(Case const& one, espalier_onesided_options const& options) {
    espalier_request* request = nullptr;
    int const code = plan(one, in, out, team, &options, &request);
    checks->expect(code == MPI_SUCCESS, one.name + ": " + text_of(code));
    return request;
  }

  void freed(espalier_request* request) const {
    checks->expect(espalier_request_free(&request) == MPI_SUCCESS, "free a request");
  }

  Checks* checks;
  World world;
  espalier_team* team = nullptr;
  std::int32_t* in = nullptr;
  std::int32_t* out = nullptr;
};

inline std::string names_of(espalier_request const* request) {
  return std::string(espalier_request_algorithm(request)) + " by " +
         espalier_request_mechanism(request) + ", " + espalier_request_origin(request);
}

/// Whether all ranks say the same.
inline bool is_same(std::string const& text) {
  std::array<char, 256> of_root{};
  std::copy_n(text.begin(), std::min(text.size(), of_root.size() - 1), of_root.begin());
  PMPI_Bcast(of_root.data(), static_cast<int>(of_root.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  return text == of_root.data();
}

}  // namespace espalier::test
