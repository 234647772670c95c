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

/// Where blocks of different sizes lie: in the reverse order of ranks, with an element between them
/// that belongs to none.
struct BlockLists {
  std::vector<int> counts;
  std::vector<int> displs;

  /// @param factor_of  of the count of the case: 0, 1 or 2 by rank
  template <typename Factor> BlockLists(Case const& one, int p, Factor const& factor_of) {
    int end = 1;
    displs.resize(static_cast<std::size_t>(p));
    for (int rank = 0; rank < p; ++rank) {
      counts.push_back(one.count * (factor_of(rank) % 3));
    }
    for (auto rank = displs.size(); rank > 0; --rank) {
      displs[rank - 1] = end;
      end += counts[rank - 1] + 1;
    }
    num_elements = end;
  }

  int num_elements;
};

/// BlockLists that are the same on all ranks.
inline BlockLists parts_of(Case const& one, int p) {
  return {one, p, [](int rank) { return rank + 1; }};
}

/// What a rank of an alltoallv gives to each one.
inline BlockLists given_of(Case const& one, int rank, int p) {
  return {one, p, [=](int to) { return rank + 2 * to + 1; }};
}

/// What it gets from each one.
inline BlockLists got_of(Case const& one, int rank, int p) {
  return {one, p, [=](int from) { return from + 2 * rank + 1; }};
}

inline bool is_uneven(Case const& one) {
  return one.name.ends_with('v');
}

/// How many elements a rank gives and gets.
struct Sizes {
  int in;
  int out;
};

inline Sizes uneven_sizes(Case const& one, int rank, int p) {
  if (one.name == "alltoallv") {
    return {.in = given_of(one, rank, p).num_elements, .out = got_of(one, rank, p).num_elements};
  }
  BlockLists const parts = parts_of(one, p);
  int const own = parts.counts[static_cast<std::size_t>(rank)];
  int const at_root = rank == one.root ? parts.num_elements : 0;
  if (one.name == "scatterv") {
    return {.in = at_root, .out = own};
  }
  return {.in = own, .out = one.name == "gatherv" ? at_root : parts.num_elements};
}

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

inline Sizes sizes_of(Case const& one, int rank, int p) {
  if (is_uneven(one)) {
    return uneven_sizes(one, rank, p);
  }
  Blocks const blocks = blocks_of(one, rank, p);
  return {.in = blocks.in * one.count, .out = blocks.out * one.count};
}

inline int plan_uneven(
    Case const& one,
    std::int32_t* in,
    std::int32_t* out,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  int const p = espalier_team_size(team);
  if (one.name == "alltoallv") {
    int const rank = espalier_team_rank(team);
    BlockLists const given = given_of(one, rank, p);
    BlockLists const got = got_of(one, rank, p);
    return espalier_team_alltoallv_init(
        in,
        given.counts.data(),
        given.displs.data(),
        out,
        got.counts.data(),
        got.displs.data(),
        one.type,
        team,
        options,
        request
    );
  }
  BlockLists const parts = parts_of(one, p);
  int const* const counts = parts.counts.data();
  int const* const displs = parts.displs.data();
  if (one.name == "scatterv") {
    return espalier_team_scatterv_init(
        in, counts, displs, out, one.type, one.root, team, options, request
    );
  }
  if (one.name == "gatherv") {
    return espalier_team_gatherv_init(
        in, out, counts, displs, one.type, one.root, team, options, request
    );
  }
  return espalier_team_allgatherv_init(in, out, counts, displs, one.type, team, options, request);
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
  if (is_uneven(one)) {
    return plan_uneven(one, in, out, team, options, request);
  }
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

inline void run_uneven_by_mpi(Case const& one, std::int32_t* in, std::int32_t* out, MPI_Comm comm) {
  int p = 0;
  int rank = 0;
  PMPI_Comm_size(comm, &p);
  PMPI_Comm_rank(comm, &rank);
  MPI_Datatype const type = one.type;
  if (one.name == "alltoallv") {
    BlockLists const given = given_of(one, rank, p);
    BlockLists const got = got_of(one, rank, p);
    PMPI_Alltoallv(
        in,
        given.counts.data(),
        given.displs.data(),
        type,
        out,
        got.counts.data(),
        got.displs.data(),
        type,
        comm
    );
    return;
  }
  BlockLists const parts = parts_of(one, p);
  int const* const counts = parts.counts.data();
  int const* const displs = parts.displs.data();
  int const own = parts.counts[static_cast<std::size_t>(rank)];
  if (one.name == "scatterv") {
    PMPI_Scatterv(in, counts, displs, type, out, own, type, one.root, comm);
  } else if (one.name == "gatherv" || p == 1) {
    // MPI_Allgatherv of MPICH 4.0.2 does not look at the displacement of its only rank.
    PMPI_Gatherv(in, own, type, out, counts, displs, type, one.root, comm);
  } else {
    PMPI_Allgatherv(in, own, type, out, counts, displs, type, comm);
  }
}

inline void run_by_mpi(Case const& one, std::int32_t* in, std::int32_t* out, MPI_Comm comm) {
  int const n = one.count;
  MPI_Datatype const type = one.type;
  if (is_uneven(one)) {
    run_uneven_by_mpi(one, in, out, comm);
  } else if (one.name == "bcast") {
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
