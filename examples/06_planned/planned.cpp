/* SPDX-License-Identifier: Apache-2.0 */

/* The same as planned.c. */

#include <array>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <vector>

#include <espalier_planned.hpp>

#include <mpi.h>

namespace {

constexpr std::size_t num_rows = 16; /* of one process */
constexpr int num_steps = 60;

using Rows = std::array<double, num_rows>;

/* The matrix of a chain of springs with one that is stiffer. */
double entry(std::size_t row, std::size_t column) {
  if (row == column) {
    return row == 0 ? 5 : 2;
  }
  return row - column == 1 || column - row == 1 ? -1 : 0;
}

double square(Rows const& x) {
  return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
}

void find_eigenvalue(std::size_t rank, std::size_t num_ranks) {
  Rows own{};
  own.fill(1);
  std::vector<double> whole(num_rows * num_ranks);
  double length = 0;

  espalier::Request vector = espalier::allgather_init(
      own.data(), num_rows, MPI_DOUBLE, whole.data(), num_rows, MPI_DOUBLE, MPI_COMM_WORLD, "bruck"
  );
  espalier::Request sum =
      espalier::allreduce_init(MPI_IN_PLACE, &length, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    std::cout << vector.explain() << '\n' << sum.explain() << '\n';
  }

  for (int step = 0; step < num_steps; ++step) {
    length = square(own);
    sum.start();
    vector.start();
    vector.wait();
    sum.wait();
    for (std::size_t i = 0; i < num_rows; ++i) {
      double product = 0;
      for (std::size_t j = 0; j < num_rows * num_ranks; ++j) {
        product += entry(num_rows * rank + i, j) * whole[j];
      }
      own[i] = product / std::sqrt(length);
    }
  }
  length = square(own);
  sum.start();
  sum.wait();
  if (rank == 0) {
    std::cout << "largest eigenvalue " << std::fixed << std::setprecision(6) << std::sqrt(length)
              << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int num_ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  find_eigenvalue(static_cast<std::size_t>(rank), static_cast<std::size_t>(num_ranks));
  MPI_Finalize();
  return 0;
}
