// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/reproduce/process-remapping/program/grid_memory.hpp"

#include <algorithm>
#include <span>

#include "espalier/base/integer.hpp"

namespace espalier::measure {
namespace {

using schedule::Collective;

std::size_t floats_of(std::int64_t bytes) {
  return static_cast<std::size_t>(ceil_div<std::int64_t>(bytes, sizeof(float)));
}

/// Floats of the memory along a line: as many parts as there are ranks.
std::size_t line_floats(GridPoint const& point, int extent) {
  if (point.collective == Collective::bcast) {
    return floats_of(point.bytes);
  }
  auto const num_parts = static_cast<std::size_t>(extent);
  return ceil_div(floats_of(point.bytes), num_parts) * num_parts;
}

std::size_t total_floats(GridPoint const& point) {
  std::size_t total = 0;
  for (int const extent : point.extents) {
    total += line_floats(point, extent);
  }
  return total;
}

std::size_t most_floats(GridPoint const& point) {
  std::size_t most = 1;
  for (int const extent : point.extents) {
    most = std::max(most, line_floats(point, extent));
  }
  return most;
}

/// Different for other owners, dimensions, stamps and neighbouring elements; exact in a float.
float value(int owner, int dimension, std::size_t element, std::uint32_t stamp) {
  auto word = static_cast<std::uint32_t>(element) * 2654435761U;
  word ^= static_cast<std::uint32_t>(owner + 1) * 40503U;
  word ^= static_cast<std::uint32_t>(dimension + 1) * 69069U + stamp * 2246822519U;
  return static_cast<float>((word ^ word >> 15U) & 0xFFFFFFU);
}

struct Part {
  int owner;
  int dimension;
  std::uint32_t stamp;
};

void fill_part(std::span<float> floats, Part const& part) {
  for (std::size_t i = 0; i < floats.size(); ++i) {
    floats[i] = value(part.owner, part.dimension, i, part.stamp);
  }
}

std::string problem_of(std::span<float const> floats, Part const& part) {
  for (std::size_t i = 0; i < floats.size(); ++i) {
    if (floats[i] != value(part.owner, part.dimension, i, part.stamp)) {
      return "expected element " + std::to_string(i) + " of position " +
             std::to_string(part.owner) + " along dimension " + std::to_string(part.dimension) +
             ", got another value";
    }
  }
  return {};
}

}  // namespace

GridMemory::GridMemory(GridPoint const& point)
    : point_(point), memory_(total_floats(point), most_floats(point)) {}

std::size_t GridMemory::part(int dimension) const {
  int const extent = point_.extents[static_cast<std::size_t>(dimension)];
  std::size_t const line = line_floats(point_, extent);
  return point_.collective == Collective::bcast ? line : line / static_cast<std::size_t>(extent);
}

std::size_t GridMemory::offset(int dimension) const {
  std::size_t offset = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(dimension); ++i) {
    offset += line_floats(point_, point_.extents[i]);
  }
  return offset;
}

std::vector<plan::LineCall> GridMemory::calls() {
  std::vector<plan::LineCall> calls;
  for (int dimension = 0; dimension < static_cast<int>(point_.extents.size()); ++dimension) {
    exec::TypedCount const one{
        .type = MPI_FLOAT, .count = static_cast<std::int64_t>(part(dimension))
    };
    calls.push_back({
        .input = memory_.sent_at(offset(dimension)),
        .sent = one,
        .output = memory_.received_at(offset(dimension)),
        .received = one,
    });
  }
  return calls;
}

void GridMemory::fill(schedule::Grid const& grid, int rank, std::uint32_t stamp) {
  std::ranges::fill(memory_.received(), -1.0F);
  for (int dimension = 0; dimension < grid.num_dimensions(); ++dimension) {
    std::size_t const size = part(dimension);
    auto const sent = memory_.sent().subspan(offset(dimension));
    bool const is_root = grid.coordinate(rank, dimension) == 0;
    if (point_.collective == Collective::gather) {
      fill_part(sent.first(size), {rank, dimension, stamp});
    } else if (is_root && point_.collective == Collective::bcast) {
      auto const received = memory_.received().subspan(offset(dimension));
      fill_part(received.first(size), {rank, dimension, stamp});
    } else if (is_root) {
      for (int i = 0; i < grid.size(dimension); ++i) {
        fill_part(
            sent.subspan(static_cast<std::size_t>(i) * size, size),
            {grid.rank_on_line(rank, dimension, i), dimension, stamp}
        );
      }
    }
  }
}

std::string GridMemory::problem(schedule::Grid const& grid, int rank, std::uint32_t stamp) const {
  std::string text;
  for (int dimension = 0; text.empty() && dimension < grid.num_dimensions(); ++dimension) {
    std::size_t const size = part(dimension);
    auto const received = memory_.received().subspan(offset(dimension));
    int const root = grid.rank_on_line(rank, dimension, 0);
    if (point_.collective != Collective::gather) {
      int const owner = point_.collective == Collective::bcast ? root : rank;
      text = problem_of(received.first(size), {owner, dimension, stamp});
      continue;
    }
    for (int i = 0; rank == root && text.empty() && i < grid.size(dimension); ++i) {
      text = problem_of(
          received.subspan(static_cast<std::size_t>(i) * size, size),
          {grid.rank_on_line(rank, dimension, i), dimension, stamp}
      );
    }
  }
  return text;
}

}  // namespace espalier::measure
