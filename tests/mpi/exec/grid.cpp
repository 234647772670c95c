// SPDX-License-Identifier: Apache-2.0

/// @file
/// Multi-dimensional collectives against MPI's own on the lines of a Cartesian communicator, with
/// the dimensions in turn and overlapped.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/exec/collectives/mpi_grid.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using algorithms::Choice;
using exec::GridExecutor;
using exec::LineBuffers;
using exec::MpiExecutor;
using schedule::Collective;
using schedule::Grid;

int rank = 0;
MPI_Comm comm = MPI_COMM_NULL;

/// Shapes of a grid of so many ranks, with up to three dimensions.
std::vector<std::vector<int>> shapes(int num_ranks) {
  std::vector<std::vector<int>> result;
  for (int a = 1; a <= num_ranks; ++a) {
    for (int b = 1; b <= num_ranks; ++b) {
      if (a * b == num_ranks) {
        result.push_back({a, b});
      } else if (num_ranks % (a * b) == 0 && b > 1 && a > 1) {
        result.push_back({a, b, num_ranks / (a * b)});
      }
    }
  }
  return result;
}

/// One dimension of a multi-dimensional collective. Counts differ between dimensions.
struct Line {
  Choice choice;
  int size;
  int coordinate;
  int root;
  int count;
  MPI_Comm native;
  std::vector<int> input;
  std::vector<int> expected;
  std::vector<int> found;
};

void run_native(Line& line, Collective collective) {
  int const count = line.count;
  int* const out = line.expected.data();
  int const* const in = line.input.data();
  switch (collective) {
  case Collective::bcast:
    PMPI_Bcast(out, count, MPI_INT, line.root, line.native);
    break;
  case Collective::gather:
    PMPI_Gather(in, count, MPI_INT, out, count, MPI_INT, line.root, line.native);
    break;
  case Collective::scatter:
    PMPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, line.root, line.native);
    break;
  case Collective::reduce:
    PMPI_Reduce(in, out, count, MPI_INT, MPI_SUM, line.root, line.native);
    break;
  default:
    PMPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, line.native);
    break;
  }
}

MpiExecutor executor_of(Line const& line, Grid const& grid, int dimension) {
  auto const program = schedule::onto_line(
      line.choice.generate(line.size, line.root, line.coordinate), grid, rank, dimension
  );
  exec::TypedCount const block{.type = MPI_INT, .count = line.count};
  switch (line.choice.collective()) {
  case Collective::bcast:
    return exec::bcast_executor(program, comm, block, line.root);
  case Collective::gather:
    return exec::gather_executor(program, comm, block, block, line.root);
  case Collective::scatter:
    return exec::scatter_executor(program, comm, block, block, line.root);
  case Collective::reduce:
    return exec::reduce_executor(
        program, comm, line.count, {.type = MPI_INT, .op = MPI_SUM}, line.root
    );
  default:
    return exec::allgather_executor(program, comm, block, block);
  }
}

/// Algorithms take turns along the dimensions; none if one of them refuses the line.
std::optional<Line>
line_of(Collective collective, Grid const& grid, MPI_Comm cartesian, int dimension, int turn) {
  int const size = grid.size(dimension);
  auto const choices = algorithms::variants(collective, size);
  int const root = schedule::has_root(collective) ? (dimension + 1) % size : 0;
  if (choices.empty()) {
    return std::nullopt;
  }
  Choice const& choice = choices[static_cast<std::size_t>(turn + dimension) % choices.size()];
  if (!choice.refuses(size, root).empty()) {
    return std::nullopt;
  }
  std::vector<int> keep(static_cast<std::size_t>(grid.num_dimensions()), 0);
  keep[static_cast<std::size_t>(dimension)] = 1;
  MPI_Comm native = MPI_COMM_NULL;
  PMPI_Cart_sub(cartesian, keep.data(), &native);
  int const count = 5 + 300 * dimension;
  auto const length = static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
  Line line{choice, size, grid.coordinate(rank, dimension), root, count, native, {}, {}, {}};
  for (std::size_t i = 0; i < length; ++i) {
    line.input.push_back(rank * 1000 + static_cast<int>(i));
  }
  line.expected.assign(length, -1 - rank);
  line.found = line.expected;
  return line;
}

void check(Checks& checks, Collective collective, std::vector<int> const& shape, int turn) {
  Grid const grid(shape);
  std::vector<int> const periods(shape.size(), 0);
  MPI_Comm cartesian = MPI_COMM_NULL;
  PMPI_Cart_create(
      MPI_COMM_WORLD, grid.num_dimensions(), shape.data(), periods.data(), 0, &cartesian
  );
  std::vector<Line> lines;
  std::vector<MpiExecutor> executors;
  std::string what;
  for (int dimension = 0; dimension < grid.num_dimensions(); ++dimension) {
    auto line = line_of(collective, grid, cartesian, dimension, turn);
    if (!line) {
      break;
    }
    what += " " + line->choice.text() + " on " + std::to_string(line->size);
    run_native(*line, collective);
    executors.push_back(executor_of(*line, grid, dimension));
    lines.push_back(std::move(*line));
  }
  if (lines.size() == shape.size()) {
    GridExecutor executor(std::move(executors));
    for (bool const is_overlapped : {false, true, true}) {
      std::vector<LineBuffers> buffers;
      for (Line& line : lines) {
        line.found.assign(line.found.size(), -1 - rank);
        buffers.push_back({line.input.data(), line.found.data()});
      }
      int const code =
          is_overlapped ? executor.run_overlapped(buffers) : executor.run_in_turn(buffers);
      checks.expect(code == MPI_SUCCESS, "an error along" + what);
      for (Line const& line : lines) {
        checks.expect(
            line.found == line.expected, (is_overlapped ? "overlapped" : "in turn") + what
        );
      }
    }
  }
  for (Line& line : lines) {
    PMPI_Comm_free(&line.native);
  }
  PMPI_Comm_free(&cartesian);
}

int run() {
  int num_ranks = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  comm = private_comm();
  Checks checks;
  for (Collective const collective :
       {Collective::bcast,
        Collective::gather,
        Collective::scatter,
        Collective::reduce,
        Collective::allgather}) {
    for (std::vector<int> const& shape : shapes(num_ranks)) {
      for (int turn = 0; turn < 8; ++turn) {
        check(checks, collective, shape, turn);
      }
    }
  }
  PMPI_Comm_free(&comm);
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
