// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

#include <mpi.h>

namespace espalier::benchmarks {

/// Allgather of bytes as one writes it by hand for one algorithm: the yardstick of the executor.
/// Requests and work memory are kept between calls, so that only communication is timed.
class Direct {
public:
  Direct(MPI_Comm comm, int block_bytes);

  /// Neighbour to neighbour [thakur2005].
  void ring(std::byte const* input, std::byte* output);
  /// With the own block in front, and a rotation at the end [thakur2005].
  void bruck(std::byte const* input, std::byte* output);
  /// One message for each block [loch2021].
  void sparbit(std::byte const* input, std::byte* output);

private:
  [[nodiscard]] std::size_t offset(int block) const;
  void copy_own(std::byte const* input, std::byte* output) const;
  void start(int to, std::byte const* from_memory, int from, std::byte* to_memory, int num_bytes);
  void finish();

  MPI_Comm comm_;
  int block_bytes_;
  int rank_ = 0;
  int num_ranks_ = 1;
  std::vector<std::byte> work_;
  std::vector<MPI_Request> requests_;
  int num_open_ = 0;
};

}  // namespace espalier::benchmarks
