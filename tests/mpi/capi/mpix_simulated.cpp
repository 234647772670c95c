// SPDX-License-Identifier: Apache-2.0

/// @file
/// For simulated machines: makes a communicator with given weights and prints where each rank of
/// MPI_COMM_WORLD stands in it.
///
/// Usage: mpix_simulated <periodic 0 or 1> <weight>...

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "include/espalier_mpix.h"

#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const ndims = argc - 2;
  std::vector<double> weights;
  for (int i = 2; i < argc; ++i) {
    weights.push_back(std::strtod(argv[i], nullptr));
  }
  std::vector<int> const periods(weights.size(), std::atoi(argv[1]));
  std::vector<int> dims(weights.size(), 0);
  MPI_Comm comm = MPI_COMM_NULL;
  MPIX_Cart_weighted_create(
      MPI_COMM_WORLD, ndims, weights.data(), periods.data(), MPI_INFO_NULL, dims.data(), &comm
  );
  int rank = 0;
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(comm, &rank);
  std::vector<int> mine(weights.size());
  MPI_Cart_coords(comm, rank, ndims, mine.data());
  std::vector<int> all(mine.size() * static_cast<std::size_t>(size));
  MPI_Gather(mine.data(), ndims, MPI_INT, all.data(), ndims, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::printf("%d%c", all[i], (i + 1) % mine.size() == 0 ? '\n' : ' ');
    }
  }
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
