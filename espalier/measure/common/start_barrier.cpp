// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/start_barrier.hpp"

#include <cstddef>

namespace espalier::measure {
namespace {

/// Of a rank among those that meet.
struct Position {
  MPI_Comm comm;
  int index;
  int size;
  int tag;
};

template <typename RankOf> int disseminate(Position const& self, RankOf const& rank_of) noexcept {
  for (int distance = 1; distance < self.size; distance *= 2) {
    int const to = rank_of((self.index + distance) % self.size);
    int const from = rank_of((self.index - distance + self.size) % self.size);
    int const code = PMPI_Sendrecv(
        nullptr,
        0,
        MPI_BYTE,
        to,
        self.tag,
        nullptr,
        0,
        MPI_BYTE,
        from,
        self.tag,
        self.comm,
        MPI_STATUS_IGNORE
    );
    if (code != MPI_SUCCESS) {
      return code;
    }
  }
  return MPI_SUCCESS;
}

}  // namespace

int disseminating_barrier(MPI_Comm comm) noexcept {
  Position self{.comm = comm, .index = 0, .size = 1, .tag = 0};
  PMPI_Comm_rank(comm, &self.index);
  PMPI_Comm_size(comm, &self.size);
  return disseminate(self, [](int index) { return index; });
}

int start_barrier(MPI_Comm comm, std::span<int const> members, int index, int tag) noexcept {
  Position const self{
      .comm = comm, .index = index, .size = static_cast<int>(members.size()), .tag = tag
  };
  return disseminate(self, [members](int i) { return members[static_cast<std::size_t>(i)]; });
}

}  // namespace espalier::measure
