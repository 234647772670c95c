// SPDX-License-Identifier: Apache-2.0

/// @file
/// The C++ view, espalier_array.hpp: what it hands on, and what it throws.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "include/espalier_array.hpp"

#include <mpi.h>

#include "tests/mpi/capi/onesided_support.hpp"

namespace {

using namespace espalier::test;
using espalier::Conduit;
using espalier::Request;
using espalier::SharedArray;
using espalier::Team;

constexpr std::uint64_t segment_bytes = 1024;
constexpr std::uint64_t out_at = 512;

void look(Checks& checks, Conduit& conduit, Team& team, SharedArray const& array) {
  auto const p = static_cast<std::int64_t>(team.size());
  espalier_distribution const found = array.distribution();
  checks.expect(found.ndims == 2 && found.grid[1] == p && found.block[0] == 2, "as described");
  espalier::Remote const last = array.place_of({1, 2 * p - 1});
  checks.expect(last.rank == team.size() - 1 && last.offset == 3 * 8, "the last element");
  bool const is_mine = espalier::has_affinity(array.region({{0}, {p - 1}}));
  checks.expect(is_mine == (conduit.rank() == team.size() - 1), "the last block");
}

void collect(Checks& checks, Conduit& conduit, Team& team, SharedArray& in, SharedArray& out) {
  std::int64_t const p = team.size();
  auto const rank = static_cast<std::int64_t>(team.rank());
  auto const all = conduit.segment<std::int64_t>();
  std::int64_t* const result = &all[out_at / 8];
  espalier_region const row = in.region({{0}, ESPALIER_ALL_BLOCKS});
  espalier_region const first = in.region({{0}, {0}});
  espalier_region const to_row = out.region({{0}, ESPALIER_ALL_BLOCKS});
  espalier_region const to_first = out.region({{0}, {0}});
  auto const run = [&](Request request, std::int64_t expected, char const* what) {
    std::ranges::fill(all, 7);
    all[0] = 10 * (rank + 1);
    result[0] = -1;
    conduit.barrier();
    request.start();
    request.wait();
    checks.expect(result[0] == expected, what + std::string(" by ") + request.explain());
  };
  std::int64_t const kept = rank == 0 ? 10 : -1;
  std::int64_t const sum = 10 * p * (p + 1) / 2;
  run(espalier::array_bcast(first, to_row, 1), 10, "bcast");
  // A block has room for four pieces.
  int const count = p > 4 ? 0 : 1;
  run(espalier::array_gather(row, to_first, count), count == 1 ? kept : -1, "gather");
  std::int64_t const piece = rank == 0 ? 10 : 7;
  run(espalier::array_scatter(first, to_row, count), count == 1 ? piece : -1, "scatter");
  run(espalier::array_reduce(row, to_first, 1, MPI_SUM), rank == 0 ? sum : -1, "reduce");
  auto const loose = espalier::team_options(ESPALIER_MYSYNC, ESPALIER_MYSYNC);
  run(espalier::array_exchange(first, to_first, 1, &loose), kept, "exchange");
}

/// The caches of a team, after and before it has implicit teams.
void keep_teams(Checks& checks, Conduit& conduit, Team& team) {
  checks.expect(espalier::team_cache_size(team) > 0, "implicit teams are kept");
  espalier::team_cache_clear(team);
  checks.expect(espalier::team_cache_size(team) == 0, "none is kept");
  Team other(conduit, MPI_COMM_WORLD, 1U << 16U);
  espalier::team_cache_limits(other, 2, 1U << 14U);
  try {
    espalier::team_cache_limits(other, -1);
    checks.expect(false, "a limit below 0 is refused");
  } catch (espalier::OnesidedError const& error) {
    checks.expect(error.error_class() == MPI_ERR_ARG, error.what());
  }
}

void misuse(Checks& checks, SharedArray& in, SharedArray& out) {
  try {
    Request const request = espalier::array_bcast(in.region({{0}, {0}}), out.region({{1}, {0}}), 1);
    checks.expect(false, "blocks outside of the array are refused");
  } catch (espalier::OnesidedError const& error) {
    checks.expect(error.error_class() == MPI_ERR_ARG, error.what());
  }
  try {
    (void)in.region({{0}});
    checks.expect(false, "too few dimensions are refused");
  } catch (std::invalid_argument const& error) {
    checks.expect(true, error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Checks checks;
  for (char const* const transport : transports()) {
    espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
    options.transport = transport;
    Conduit conduit(MPI_COMM_WORLD, segment_bytes, &options);
    Team team(conduit, MPI_COMM_WORLD);
    auto const shape = espalier::distribution({2, 2 * std::int64_t{team.size()}}, {0, 2}, {1});
    SharedArray in(team, shape, MPI_INT64_T);
    SharedArray out(team, shape, MPI_INT64_T, out_at);
    look(checks, conduit, team, in);
    collect(checks, conduit, team, in, out);
    misuse(checks, in, out);
    keep_teams(checks, conduit, team);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
