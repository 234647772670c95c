// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/exec/direct.hpp"

#include <algorithm>
#include <cstring>

#include "espalier/base/integer.hpp"

namespace espalier::benchmarks {

Direct::Direct(MPI_Comm comm, int block_bytes) : comm_(comm), block_bytes_(block_bytes) {
  PMPI_Comm_rank(comm, &rank_);
  PMPI_Comm_size(comm, &num_ranks_);
  work_.resize(offset(num_ranks_));
  requests_.resize(static_cast<std::size_t>(2 * num_ranks_));
}

void Direct::ring(std::byte const* input, std::byte* output) {
  copy_own(input, output);
  int const to = (rank_ + 1) % num_ranks_;
  int const from = (rank_ - 1 + num_ranks_) % num_ranks_;
  for (int k = 0; k < num_ranks_ - 1; ++k) {
    int const sent = (rank_ - k + num_ranks_) % num_ranks_;
    int const received = (rank_ - k - 1 + num_ranks_) % num_ranks_;
    start(to, output + offset(sent), from, output + offset(received), block_bytes_);
    finish();
  }
}

void Direct::bruck(std::byte const* input, std::byte* output) {
  std::memcpy(work_.data(), input, offset(1));
  for (int distance = 1; distance < num_ranks_; distance *= 2) {
    int const num_bytes = std::min(distance, num_ranks_ - distance) * block_bytes_;
    int const to = (rank_ - distance + num_ranks_) % num_ranks_;
    int const from = (rank_ + distance) % num_ranks_;
    start(to, work_.data(), from, work_.data() + offset(distance), num_bytes);
    finish();
  }
  std::size_t const front = offset(num_ranks_ - rank_);
  std::memcpy(output + offset(rank_), work_.data(), front);
  std::memcpy(output, work_.data() + front, offset(rank_));
}

void Direct::sparbit(std::byte const* input, std::byte* output) {
  copy_own(input, output);
  if (num_ranks_ == 1) {
    return;
  }
  for (int distance = 1 << (ceil_log2(num_ranks_) - 1); distance > 0; distance /= 2) {
    int const num_messages = ceil_div(num_ranks_, distance) / 2;
    int const to = (rank_ + distance) % num_ranks_;
    int const from = (rank_ - distance + num_ranks_) % num_ranks_;
    for (int j = 0; j < num_messages; ++j) {
      int const sent = wrap(rank_ - 2 * j * distance, num_ranks_);
      int const received = wrap(rank_ - (2 * j + 1) * distance, num_ranks_);
      start(to, output + offset(sent), from, output + offset(received), block_bytes_);
    }
    finish();
  }
}

std::size_t Direct::offset(int block) const {
  return static_cast<std::size_t>(block) * static_cast<std::size_t>(block_bytes_);
}

void Direct::copy_own(std::byte const* input, std::byte* output) const {
  std::memcpy(output + offset(rank_), input, offset(1));
}

void Direct::start(
    int to, std::byte const* from_memory, int from, std::byte* to_memory, int num_bytes
) {
  MPI_Request* const next = &requests_[static_cast<std::size_t>(num_open_)];
  PMPI_Irecv(to_memory, num_bytes, MPI_BYTE, from, 0, comm_, next);
  PMPI_Isend(from_memory, num_bytes, MPI_BYTE, to, 0, comm_, next + 1);
  num_open_ += 2;
}

void Direct::finish() {
  PMPI_Waitall(num_open_, requests_.data(), MPI_STATUSES_IGNORE);
  num_open_ = 0;
}

}  // namespace espalier::benchmarks
