// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/grid_call.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {
namespace {

using plan::LineCall;
using schedule::Collective;

std::string where_of(int dimension) {
  return "dimension " + std::to_string(dimension) + ": ";
}

void check_root(schedule::Grid const& grid, int dimension, int root) {
  if (root < 0 || root >= grid.size(dimension)) {
    throw plan::ClassError(
        MPI_ERR_ROOT,
        where_of(dimension) + "expected a root of 0 .. " +
            std::to_string(grid.size(dimension) - 1) + ", got " + std::to_string(root)
    );
  }
}

void check_line_count(int dimension, std::int64_t count) {
  if (count < 0) {
    throw plan::ClassError(
        MPI_ERR_COUNT,
        where_of(dimension) + "expected a count of at least 0, got " + std::to_string(count)
    );
  }
}

/// Only the counts that mean something on this rank: others may be anything.
void check_counts(Collective collective, LineCall const& call, int dimension, int coordinate) {
  bool const is_root = coordinate == call.root;
  if (collective != Collective::gather || is_root) {
    check_line_count(dimension, call.received.count);
  }
  if (collective == Collective::gather || (collective == Collective::scatter && is_root)) {
    check_line_count(dimension, call.sent.count);
  }
}

}  // namespace

void check(plan::GridLines const& grid, GridCollective const& call) {
  int dimension = 0;
  for (LineCall const& line : call.lines) {
    check_root(grid.grid(), dimension, line.root);
    check_counts(call.collective, line, dimension, grid.coordinate(dimension));
    ++dimension;
  }
}

std::vector<std::string> choices_of(GridWays const& ways, GridCollective const& call) {
  return plan::line_choices(call.collective, ways.algorithm, call.lines, ways.segment_bytes);
}

bool has_device_memory(GridView const& view, GridCollective const& call) {
  if (!view.devices.are_possible()) {
    return false;
  }
  plan::GridLines& grid = *view.lines;
  std::vector<plan::Span> all;
  int dimension = 0;
  for (LineCall const& line : call.lines) {
    int const size = grid.grid().size(dimension);
    auto const spans = spans_of(call.collective, line, size, grid.coordinate(dimension));
    all.insert(all.end(), spans.begin(), spans.end());
    ++dimension;
  }
  return view.devices.hold_any(all, grid.own_comm());
}

void refuse_device_memory(GridWays const& ways) {
  throw Error(
      ErrorCode::unsupported,
      ways.algorithm + ": " + in_device_memory + "; collectives of a native grid can serve"
  );
}

}  // namespace espalier::capi
