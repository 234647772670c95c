/* SPDX-License-Identifier: Apache-2.0 */

/* The same as shared_arrays.c. */

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

#include <espalier_array.hpp>

#include <mpi.h>

namespace {

constexpr int block_size = 4;
constexpr int block_elements = block_size * block_size;
constexpr int num_blocks = 6;
constexpr int n = block_size * num_blocks;

constexpr espalier_blocks all = ESPALIER_ALL_BLOCKS;

constexpr espalier_blocks only(int block) {
  return {block, 0, 0};
}

using espalier::SharedArray;

/* The processes as a grid to which blocks are dealt. */
class Grid {
public:
  Grid() : conduit_(MPI_COMM_WORLD, 1 << 20), team_(conduit_, MPI_COMM_WORLD) {
    MPI_Dims_create(team_.size(), 2, size_.data());
  }

  [[nodiscard]] espalier::Team const& team() const { return team_; }

  [[nodiscard]] int rows() const { return size_[0]; }

  [[nodiscard]] int columns() const { return size_[1]; }

  /* Where this process is. */
  [[nodiscard]] int row() const { return team_.rank() / columns(); }

  [[nodiscard]] int column() const { return team_.rank() % columns(); }

  /* An array of so many blocks, behind those before. */
  [[nodiscard]] SharedArray array(int block_rows, int block_columns) {
    auto const blocks = espalier::distribution(
        {block_rows * block_size, block_columns * block_size},
        {block_size, block_size},
        {rows(), columns()}
    );
    SharedArray made(team_, blocks, MPI_DOUBLE, end_);
    std::uint64_t num_bytes = 0;
    espalier::require_success(
        espalier_distribution_bytes(&blocks, MPI_DOUBLE, team_.size(), &num_bytes)
    );
    end_ += num_bytes;
    return made;
  }

  /* A block of this process. */
  [[nodiscard]] double* block(SharedArray const& array, int row, int column) const {
    std::uint64_t const offset = array.place_of({row * block_size, column * block_size}).offset;
    return conduit_.segment<double>().subspan(offset / sizeof(double)).data();
  }

  /* Calls use(row, column) for the blocks of this process in a matrix. */
  template <typename Use> void for_own_blocks(Use use) const {
    for (int i = row(); i < num_blocks; i += rows()) {
      for (int j = column(); j < num_blocks; j += columns()) {
        use(i, j);
      }
    }
  }

private:
  espalier::Conduit conduit_;
  espalier::Team team_;
  std::array<int, 2> size_{};
  std::uint64_t end_ = 0;
};

struct Matrices {
  explicit Matrices(Grid& grid)
      : a(grid.array(num_blocks, num_blocks)), b(grid.array(num_blocks, num_blocks)),
        c(grid.array(num_blocks, num_blocks)) {}

  SharedArray a, b, c;
};

/* The blocks of A and of B that a step needs, for which it waits. */
struct Step {
  explicit Step(Grid& grid)
      : a(grid.array(num_blocks, grid.columns())), /* a column for each process of a row */
        b(grid.array(grid.rows(), num_blocks)) {}

  SharedArray a, b;
  std::vector<espalier::Request> requests;
};

/* Starts what brings blocks (:, k) of A to all processes of their row, and blocks (k, :) of B to
   all of their column. Who takes no part in one of them need not call. */
void start(Step& step, int k, Grid const& grid, Matrices const& matrices) {
  /* A panel is mine before I start and after I waited. */
  auto const own = espalier::team_options(ESPALIER_MYSYNC, ESPALIER_MYSYNC);
  for (int row = grid.row(); row < num_blocks; row += grid.rows()) {
    auto const from = matrices.a.region({only(row), only(k)});
    auto const to = step.a.region({only(row), all});
    step.requests.push_back(espalier::array_bcast(from, to, block_elements, &own));
  }
  for (int column = grid.column(); column < num_blocks; column += grid.columns()) {
    auto const from = matrices.b.region({only(k), only(column)});
    auto const to = step.b.region({all, only(column)});
    step.requests.push_back(espalier::array_bcast(from, to, block_elements, &own));
  }
  for (espalier::Request& request : step.requests) {
    request.start();
  }
}

void finish(Step& step) {
  for (espalier::Request& request : step.requests) {
    request.wait();
  }
  step.requests.clear();
}

void multiply(double const* left, double const* right, double* sum) {
  for (int i = 0; i < block_size; ++i) {
    for (int k = 0; k < block_size; ++k) {
      for (int j = 0; j < block_size; ++j) {
        sum[i * block_size + j] += left[i * block_size + k] * right[k * block_size + j];
      }
    }
  }
}

/* Of an element of a block, in the matrix. */
int row_of(int block_row, int element) {
  return block_row * block_size + element / block_size;
}

int column_of(int block_column, int element) {
  return block_column * block_size + element % block_size;
}

/* a = i + j and b = i - j, so that c is known. */
void fill(Grid const& grid, Matrices const& matrices) {
  grid.for_own_blocks([&](int row, int column) {
    for (int e = 0; e < block_elements; ++e) {
      grid.block(matrices.a, row, column)[e] = row_of(row, e) + column_of(column, e);
      grid.block(matrices.b, row, column)[e] = row_of(row, e) - column_of(column, e);
    }
  });
}

/* How wrong the blocks of this process are. */
double error_of(Grid const& grid, Matrices const& matrices) {
  constexpr double sum = n * (n - 1) / 2.0;
  constexpr double squares = n * (n - 1) * (2 * n - 1) / 6.0;
  double error = 0;
  grid.for_own_blocks([&](int row, int column) {
    for (int e = 0; e < block_elements; ++e) {
      int const i = row_of(row, e);
      int const j = column_of(column, e);
      double const expected = squares + (i - j) * sum - n * i * j;
      error = std::max(error, std::abs(grid.block(matrices.c, row, column)[e] - expected));
    }
  });
  return error;
}

void multiply_all(Grid& grid, Matrices const& matrices) {
  std::array steps{Step(grid), Step(grid)};
  start(steps[0], 0, grid, matrices);
  for (int k = 0; k < num_blocks; ++k) {
    if (k + 1 < num_blocks) {
      start(steps[static_cast<std::size_t>(k + 1) % 2], k + 1, grid, matrices);
    }
    Step& step = steps[static_cast<std::size_t>(k) % 2];
    finish(step);
    grid.for_own_blocks([&](int row, int column) {
      multiply(
          grid.block(step.a, row, grid.column()),
          grid.block(step.b, grid.row(), column),
          grid.block(matrices.c, row, column)
      );
    });
  }
}

/* What is made here ends where the function ends, the last first. */
void run() {
  Grid grid;
  Matrices const matrices(grid);
  fill(grid, matrices);
  multiply_all(grid, matrices);
  double const error = error_of(grid, matrices);
  double largest = 0;
  MPI_Reduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (grid.team().rank() == 0) {
    std::cout << n << " x " << n << " matrices on " << grid.rows() << " x " << grid.columns()
              << " processes, " << espalier::team_cache_size(grid.team())
              << " implicit teams, largest error " << largest << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run();
  MPI_Finalize();
  return 0;
}
