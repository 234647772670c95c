// SPDX-License-Identifier: Apache-2.0

/// @file
/// Every collective of a team by name, with numbers of 32 bits: planned, and as MPI itself does it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

namespace espalier::test {

/// Pairs of numbers are maps x -> a x + b, applied one after another: their order matters.
inline void combine_in_order(void* left, void* right, int* length, MPI_Datatype*) {
  auto const* const a = static_cast<std::int32_t const*>(left);
  auto* const b = static_cast<std::int32_t*>(right);
  for (int i = 0; i + 1 < *length * 2; i += 2) {
    auto const ax = static_cast<std::uint32_t>(a[i]);
    auto const ab = static_cast<std::uint32_t>(a[i + 1]);
    auto const bx = static_cast<std::uint32_t>(b[i]);
    auto const bb = static_cast<std::uint32_t>(b[i + 1]);
    b[i] = static_cast<std::int32_t>(bx * ax);
    b[i + 1] = static_cast<std::int32_t>(bx * ab + bb);
  }
}

/// What is called, with numbers of 32 bits: `width` of them are an element.
struct Case {
  std::string name;
  int count = 1;
  int width = 1;
  int root = 0;
  MPI_Datatype type = MPI_INT32_T;
  MPI_Op op = MPI_SUM;
};

/// How many blocks a rank gives and gets.
struct Blocks {
  int in = 1;
  int out = 1;
};

inline Blocks blocks_of(Case const& one, int rank, int p) {
  bool const is_root = rank == one.root;
  if (one.name == "scatter") {
    return {.in = is_root ? p : 0, .out = 1};
  }
  if (one.name == "gather" || one.name == "reduce") {
    int const all = one.name == "gather" ? p : 1;
    return {.in = 1, .out = is_root ? all : 0};
  }
  if (one.name == "allgather") {
    return {.in = 1, .out = p};
  }
  return one.name == "alltoall" ? Blocks{.in = p, .out = p} : Blocks{};
}

inline int plan(
    Case const& one,
    std::int32_t* in,
    std::int32_t* out,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  int const n = one.count;
  if (one.name == "bcast") {
    return espalier_team_bcast_init(out, n, one.type, one.root, team, options, request);
  }
  if (one.name == "scatter") {
    return espalier_team_scatter_init(in, out, n, one.type, one.root, team, options, request);
  }
  if (one.name == "gather") {
    return espalier_team_gather_init(in, out, n, one.type, one.root, team, options, request);
  }
  if (one.name == "reduce") {
    return espalier_team_reduce_init(
        in, out, n, one.type, one.op, one.root, team, options, request
    );
  }
  if (one.name == "allreduce") {
    return espalier_team_allreduce_init(in, out, n, one.type, one.op, team, options, request);
  }
  if (one.name == "allgather") {
    return espalier_team_allgather_init(in, out, n, one.type, team, options, request);
  }
  if (one.name == "alltoall") {
    return espalier_team_alltoall_init(in, out, n, one.type, team, options, request);
  }
  return espalier_team_barrier_init(team, options, request);
}

inline void run_by_mpi(Case const& one, std::int32_t* in, std::int32_t* out, MPI_Comm comm) {
  int const n = one.count;
  MPI_Datatype const type = one.type;
  if (one.name == "bcast") {
    PMPI_Bcast(out, n, type, one.root, comm);
  } else if (one.name == "scatter") {
    PMPI_Scatter(in, n, type, out, n, type, one.root, comm);
  } else if (one.name == "gather") {
    PMPI_Gather(in, n, type, out, n, type, one.root, comm);
  } else if (one.name == "reduce") {
    PMPI_Reduce(in, out, n, type, one.op, one.root, comm);
  } else if (one.name == "allreduce") {
    PMPI_Allreduce(in, out, n, type, one.op, comm);
  } else if (one.name == "allgather") {
    PMPI_Allgather(in, n, type, out, n, type, comm);
  } else if (one.name == "alltoall") {
    PMPI_Alltoall(in, n, type, out, n, type, comm);
  }
}

/// Numbers that a rank begins with, other ones in each run.
inline void fill(std::vector<std::int32_t>& numbers, int rank, int run) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    auto const place = static_cast<std::uint32_t>(i + 1);
    auto const who = static_cast<std::uint32_t>(rank * 131 + run * 17 + 3);
    numbers[i] = static_cast<std::int32_t>(place * who * 2654435761U);
  }
}

/// Each of them, with few numbers; reductions also with an operator whose operands may not be
/// swapped.
inline std::vector<Case> usual_cases(int p, MPI_Datatype pairs, MPI_Op in_order) {
  std::vector<Case> all;
  int const last = p - 1;
  for (std::string const name : {"bcast", "scatter", "gather", "reduce"}) {
    all.push_back({.name = name, .count = 5, .root = p / 2});
  }
  for (std::string const name : {"allreduce", "allgather", "alltoall", "barrier"}) {
    all.push_back({.name = name, .count = 5});
  }
  all.push_back(
      {.name = "reduce", .count = 3, .width = 2, .root = last, .type = pairs, .op = in_order}
  );
  all.push_back({.name = "allreduce", .count = 3, .width = 2, .type = pairs, .op = in_order});
  return all;
}

}  // namespace espalier::test
