// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/own_collectives.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "espalier/measure/common/job.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure {
namespace {

constexpr int tag_broadcast = 1;
constexpr int tag_combine = 2;
/// Counts of MPI are int.
constexpr std::size_t largest_piece = std::size_t{1} << 30U;

struct Member {
  int rank = 0;
  int size = 1;

  explicit Member(MPI_Comm comm) {
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
  }
};

void broadcast_piece(void* data, int num_bytes, int root, MPI_Comm comm) {
  Member const self(comm);
  auto const rank_at = [&](int place) { return (place + root) % self.size; };
  int const place = (self.rank - root + self.size) % self.size;
  auto const all = static_cast<int>(std::bit_ceil(static_cast<unsigned>(self.size)));
  int const subtree = place == 0 ? all : place & -place;
  if (place != 0) {
    int const parent = rank_at(place - subtree);
    mpi::require_success(
        PMPI_Recv(data, num_bytes, MPI_BYTE, parent, tag_broadcast, comm, MPI_STATUS_IGNORE),
        "MPI_Recv"
    );
  }
  for (int distance = subtree / 2; distance > 0; distance /= 2) {
    if (place + distance < self.size) {
      int const child = rank_at(place + distance);
      mpi::require_success(
          PMPI_Send(data, num_bytes, MPI_BYTE, child, tag_broadcast, comm), "MPI_Send"
      );
    }
  }
}

}  // namespace

void broadcast(void* data, std::size_t num_bytes, int root, MPI_Comm comm) {
  auto* const bytes = static_cast<std::byte*>(data);
  for (std::size_t done = 0; done < num_bytes; done += largest_piece) {
    std::size_t const piece = std::min(largest_piece, num_bytes - done);
    broadcast_piece(bytes + done, static_cast<int>(piece), root, comm);
  }
}

void combine(void* data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  Member const self(comm);
  int element_bytes = 0;
  mpi::require_success(PMPI_Type_size(type, &element_bytes), "MPI_Type_size");
  std::vector<std::byte> part(
      static_cast<std::size_t>(count) * static_cast<unsigned>(element_bytes)
  );
  for (int distance = 1; distance < self.size; distance *= 2) {
    if ((self.rank & distance) != 0) {
      mpi::require_success(
          PMPI_Send(data, count, type, self.rank - distance, tag_combine, comm), "MPI_Send"
      );
      return;
    }
    int const from = self.rank + distance;
    if (from < self.size) {
      mpi::require_success(
          PMPI_Recv(part.data(), count, type, from, tag_combine, comm, MPI_STATUS_IGNORE),
          "MPI_Recv"
      );
      mpi::require_success(
          PMPI_Reduce_local(part.data(), data, count, type, op), "MPI_Reduce_local"
      );
    }
  }
}

void combine_for_all(void* data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  combine(data, count, type, op, comm);
  int element_bytes = 0;
  mpi::require_success(PMPI_Type_size(type, &element_bytes), "MPI_Type_size");
  broadcast(data, static_cast<std::size_t>(count) * static_cast<unsigned>(element_bytes), 0, comm);
}

}  // namespace espalier::measure
