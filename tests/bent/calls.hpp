// SPDX-License-Identifier: Apache-2.0

/// @file
/// The blocking collectives as data that can be bent before they are called.

#pragma once

#include <vector>

#include <mpi.h>

namespace bent {

enum class Function {
  allgather,
  allgatherv,
  allreduce,
  alltoall,
  alltoallv,
  alltoallw,
  barrier,
  bcast,
  exscan,
  gather,
  gatherv,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  scatter,
  scatterv,
};

inline constexpr int num_functions = 17;

char const* name_of(Function function);
bool is_reduction(Function function);
bool has_root(Function function);

/// One block for all, or one entry for each rank. Bcast and reductions have what they send, and the
/// length of vectors, in `send`.
struct Side {
  void* address = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_INT;
  std::vector<int> counts;
  std::vector<int> displacements;
  std::vector<MPI_Datatype> types;
  /// Null pointers instead of lists.
  bool without_lists = false;
  /// Bytes from one item to the next.
  long item_bytes = 4;

  [[nodiscard]] bool has_lists() const { return !counts.empty(); }
};

struct Call {
  Function function = Function::barrier;
  MPI_Comm comm = MPI_COMM_NULL;
  int root = 0;
  Side send;
  Side recv;
  MPI_Op op = MPI_OP_NULL;

  [[nodiscard]] bool is_root(int rank) const { return rank == root; }

  [[nodiscard]] bool sends(int rank) const;
  [[nodiscard]] bool receives(int rank) const;
};

/// Bytes from the address of a side to its block for a rank.
long block_offset(Call const& call, Side const& side, int rank);

/// Calls MPI; the code it returns.
int invoke(Call const& call);

}  // namespace bent
