// SPDX-License-Identifier: Apache-2.0

/// @file
/// The same calls again and again: with other data, after many others, and with handles that mean
/// something else than before.

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/shim/support.hpp"

namespace {

using shim_test::rank_of;
using shim_test::require;
using shim_test::size_of;

/// Memory at the same addresses in all calls.
struct Buffers {
  std::vector<int> in = std::vector<int>(1024);
  std::vector<int> out = std::vector<int>(1024);
};

/// What rank r contributes for rank s at a time.
int number(int time, int r, int s) {
  return 1000 * time + 10 * r + s;
}

void fill(Buffers& buffers, MPI_Comm comm, int time) {
  int const rank = rank_of(comm);
  for (int s = 0; s < size_of(comm); ++s) {
    buffers.in[static_cast<std::size_t>(s)] = number(time, rank, s);
  }
  buffers.out.assign(buffers.out.size(), -1);
}

void move(Buffers& buffers, MPI_Comm comm, int root, int time) {
  int const rank = rank_of(comm);
  int const num_ranks = size_of(comm);
  auto const at = [&](int i) { return buffers.out[static_cast<std::size_t>(i)]; };
  std::string const when = " at time " + std::to_string(time);
  fill(buffers, comm, time);
  MPI_Bcast(rank == root ? buffers.in.data() : buffers.out.data(), 1, MPI_INT, root, comm);
  require(rank == root || at(0) == number(time, root, 0), "bcast" + when);
  MPI_Scatter(buffers.in.data(), 1, MPI_INT, buffers.out.data(), 1, MPI_INT, root, comm);
  require(at(0) == number(time, root, rank), "scatter" + when);
  MPI_Gather(buffers.in.data(), 1, MPI_INT, buffers.out.data(), 1, MPI_INT, root, comm);
  for (int r = 0; rank == root && r < num_ranks; ++r) {
    require(at(r) == number(time, r, 0), "gather" + when);
  }
  MPI_Allgather(buffers.in.data(), 1, MPI_INT, buffers.out.data(), 1, MPI_INT, comm);
  for (int r = 0; r < num_ranks; ++r) {
    require(at(r) == number(time, r, 0), "allgather" + when);
  }
  MPI_Alltoall(buffers.in.data(), 1, MPI_INT, buffers.out.data(), 1, MPI_INT, comm);
  for (int r = 0; r < num_ranks; ++r) {
    require(at(r) == number(time, r, rank), "alltoall" + when);
  }
  MPI_Barrier(comm);
}

/// Sum over the ranks before `end` of what they contribute for rank s.
int sum_of(int time, int end, int s) {
  int sum = 0;
  for (int r = 0; r < end; ++r) {
    sum += number(time, r, s);
  }
  return sum;
}

void combine(Buffers& buffers, MPI_Comm comm, int root, int time) {
  int const rank = rank_of(comm);
  int const num_ranks = size_of(comm);
  std::string const when = " at time " + std::to_string(time);
  int* const in = buffers.in.data();
  int* const out = buffers.out.data();
  fill(buffers, comm, time);
  MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, root, comm);
  require(rank != root || *out == sum_of(time, num_ranks, 0), "reduce" + when);
  MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, comm);
  require(*out == sum_of(time, num_ranks, 0), "allreduce" + when);
  MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, comm);
  require(*out == sum_of(time, rank + 1, 0), "scan" + when);
  MPI_Exscan(in, out, 1, MPI_INT, MPI_SUM, comm);
  require(rank == 0 || *out == sum_of(time, rank, 0), "exscan" + when);
  MPI_Reduce_scatter_block(in, out, 1, MPI_INT, MPI_SUM, comm);
  require(*out == sum_of(time, num_ranks, rank), "reduce_scatter_block" + when);
  MPI_Allreduce(in, out, 1, MPI_INT, MPI_MAX, comm);
  require(*out == number(time, num_ranks - 1, 0), "allreduce of another operator" + when);
}

void repeat(Buffers& buffers, MPI_Comm comm) {
  for (int time = 0; time < 8; ++time) {
    move(buffers, comm, time % 3 % size_of(comm), time);
    combine(buffers, comm, time % 2 % size_of(comm), time);
  }
}

/// More kinds of calls than a communicator keeps executors for.
void make_others(Buffers& buffers, MPI_Comm comm) {
  for (int count = 2; count < 80; ++count) {
    buffers.out.assign(buffers.out.size(), rank_of(comm));
    MPI_Bcast(buffers.out.data(), count, MPI_INT, 0, comm);
    require(buffers.out[static_cast<std::size_t>(count) - 1] == 0, "bcast of many sizes");
    require(buffers.out[static_cast<std::size_t>(count)] == rank_of(comm), "and no more");
  }
}

/// Types whose handles may be the same: each is freed before the next one is made.
void change_types(Buffers& buffers, MPI_Comm comm) {
  for (int count = 1; count < 20; ++count) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(count, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < 3; ++i) {
      buffers.out.assign(buffers.out.size(), rank_of(comm));
      MPI_Bcast(buffers.out.data(), 1, type, 0, comm);
      require(buffers.out[static_cast<std::size_t>(count) - 1] == 0, "bcast of a type");
      require(buffers.out[static_cast<std::size_t>(count)] == rank_of(comm), "and no more");
    }
    MPI_Type_free(&type);
  }
}

void add(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
  }
}

void take_first(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    static_cast<int*>(inout)[i] = static_cast<int*>(in)[i];
  }
}

/// The same of operators, of which one does not commute.
void change_operators(Buffers& buffers, MPI_Comm comm) {
  for (int time = 0; time < 6; ++time) {
    bool const adds = time % 2 == 0;
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(adds ? add : take_first, adds ? 1 : 0, &op);
    for (int i = 0; i < 3; ++i) {
      fill(buffers, comm, time);
      MPI_Allreduce(buffers.in.data(), buffers.out.data(), 1, MPI_INT, op, comm);
      int const wanted = adds ? sum_of(time, size_of(comm), 0) : number(time, 0, 0);
      require(buffers.out[0] == wanted, "allreduce with an operator of the program");
    }
    MPI_Op_free(&op);
  }
}

/// The same of communicators, whose ranks are in another order each time.
void change_communicators(Buffers& buffers) {
  int const rank = rank_of(MPI_COMM_WORLD);
  for (int time = 0; time < 6; ++time) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, time % 2 == 0 ? rank : -rank, &comm);
    for (int i = 0; i < 3; ++i) {
      move(buffers, comm, 0, i);
      combine(buffers, comm, 0, i);
    }
    MPI_Comm_free(&comm);
  }
}

/// What is not significant on a rank may be any number there.
void gather_nothing(Buffers& buffers, MPI_Comm comm) {
  bool const is_root = rank_of(comm) == 0;
  int const any = is_root ? 0 : 7 + rank_of(comm);
  int* const in = buffers.in.data();
  int* const out = buffers.out.data();
  MPI_Gather(in, 0, MPI_INT, out, any, MPI_INT, 0, comm);
  MPI_Gather(is_root ? MPI_IN_PLACE : in, any == 0 ? 5 : 0, MPI_INT, out, any, MPI_INT, 0, comm);
  MPI_Scatter(in, any, MPI_INT, out, 0, MPI_INT, 0, comm);
  MPI_Scatter(in, any, MPI_INT, is_root ? MPI_IN_PLACE : out, is_root ? 5 : 0, MPI_INT, 0, comm);
  MPI_Allgather(MPI_IN_PLACE, 5, MPI_INT, out, 0, MPI_INT, comm);
}

/// Calls without data do nothing, whatever came at these addresses before.
void send_nothing(Buffers& buffers, MPI_Comm comm) {
  for (int i = 0; i < 3; ++i) {
    buffers.out.assign(buffers.out.size(), -1);
    MPI_Bcast(buffers.out.data(), 0, MPI_INT, 0, comm);
    MPI_Allreduce(buffers.in.data(), buffers.out.data(), 0, MPI_INT, MPI_SUM, comm);
    gather_nothing(buffers, comm);
    require(buffers.out[0] == -1, "calls without data");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  Buffers buffers;
  for (int i = 0; i < 2; ++i) {
    repeat(buffers, MPI_COMM_WORLD);
    send_nothing(buffers, MPI_COMM_WORLD);
    make_others(buffers, MPI_COMM_WORLD);
  }
  change_types(buffers, MPI_COMM_WORLD);
  change_operators(buffers, MPI_COMM_WORLD);
  change_communicators(buffers);
  repeat(buffers, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
