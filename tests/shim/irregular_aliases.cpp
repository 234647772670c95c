// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/shim/irregular.hpp"

namespace shim_test {
namespace {

/// What the library at hand says of aliases.
int const alias_class = reports_aliases ? MPI_ERR_BUFFER : MPI_SUCCESS;

/// Everybody sends the own block from its place in the result.
void own_block_in_place() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  std::vector<int> all(static_cast<std::size_t>(p), -1);
  std::vector<int> const counts(all.size(), 1);
  std::vector<int> places(all.size());
  std::iota(places.begin(), places.end(), 0);
  all[static_cast<std::size_t>(rank)] = 100 + rank;
  int* const own = &all[static_cast<std::size_t>(rank)];
  int code = MPI_Allgather(own, 1, MPI_INT, all.data(), 1, MPI_INT, watched.comm);
  watched.require_class(code, alias_class, "allgather");
  expect_ranks(all, "allgather");
  std::fill(all.begin(), all.end(), -1);
  *own = 100 + rank;
  code = MPI_Allgatherv(
      own, 1, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, watched.comm
  );
  watched.require_class(code, alias_class, "allgatherv");
  expect_ranks(all, "allgatherv");
}

/// The send buffer is the start of the result, or lies across blocks of it.
void overlapping_blocks() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  std::vector<int> all(static_cast<std::size_t>(2 * p));
  for (int shift = 1; shift < 2 * p - 1; shift += 2) {
    std::fill(all.begin(), all.end(), -1);
    int* const sent = &all[static_cast<std::size_t>(shift)];
    sent[0] = 100 + 2 * rank;
    sent[1] = 101 + 2 * rank;
    int const code = MPI_Allgather(sent, 2, MPI_INT, all.data(), 2, MPI_INT, watched.comm);
    watched.require_class(code, MPI_SUCCESS, "allgather across blocks");
    expect_ranks(all, "allgather across blocks");
  }
  std::vector<int> vector(6, 0);
  std::iota(vector.begin() + 1, vector.end(), rank);
  int const code = MPI_Allreduce(&vector[1], &vector[0], 5, MPI_INT, MPI_SUM, watched.comm);
  watched.require_class(code, MPI_SUCCESS, "allreduce of a shifted vector");
  for (int i = 0; i < 5; ++i) {
    require(vector[static_cast<std::size_t>(i)] == p * (p - 1) / 2 + i * p, "shifted allreduce");
  }
}

/// Only the root sees an alias.
void aliases_at_root() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  bool const is_root = rank == 0;
  int const expected = is_root ? alias_class : MPI_SUCCESS;
  std::vector<int> all(static_cast<std::size_t>(p), -1);
  std::vector<int> const counts(all.size(), 1);
  std::vector<int> places(all.size());
  std::iota(places.begin(), places.end(), 0);
  int own = 100 + rank;
  auto const reset = [&] {
    std::fill(all.begin(), all.end(), -1);
    all[0] = 100;
    own = 100 + rank;
  };
  reset();
  int* const part = is_root ? all.data() : &own;
  int code = MPI_Gather(part, 1, MPI_INT, all.data(), 1, MPI_INT, 0, watched.comm);
  watched.require_class(code, expected, "gather");
  if (is_root) {
    expect_ranks(all, "gather");
  }
  reset();
  code = MPI_Gatherv(
      part, 1, MPI_INT, all.data(), first(counts), first(places), MPI_INT, 0, watched.comm
  );
  watched.require_class(code, expected, "gatherv");
  if (is_root) {
    expect_ranks(all, "gatherv");
    std::iota(all.begin(), all.end(), 100);
  }
  own = -1;
  code = MPI_Scatter(all.data(), 1, MPI_INT, part, 1, MPI_INT, 0, watched.comm);
  watched.require_class(code, expected, "scatter");
  require(*part == 100 + rank, "scatter");
  own = -1;
  code = MPI_Scatterv(
      all.data(), first(counts), first(places), MPI_INT, part, 1, MPI_INT, 0, watched.comm
  );
  watched.require_class(code, expected, "scatterv");
  require(*part == 100 + rank, "scatterv");
  int sum = rank;
  int const contribution = rank;
  code = MPI_Reduce(is_root ? &sum : &contribution, &sum, 1, MPI_INT, MPI_SUM, 0, watched.comm);
  // The one alias that Open MPI reports.
  int const of_reduce = reports_aliases ? MPI_ERR_BUFFER : MPI_ERR_ARG;
  watched.require_class(code, is_root ? of_reduce : MPI_SUCCESS, "reduce");
  require(!is_root || sum == p * (p - 1) / 2, "reduce");
}

/// One rank alone has one buffer for both.
void alias_on_one_rank() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  for (int odd = 0; odd < p; ++odd) {
    int const expected = rank == odd ? alias_class : MPI_SUCCESS;
    int result = rank;
    int const own = rank;
    int const* const sent = rank == odd ? &result : &own;
    int code = MPI_Allreduce(sent, &result, 1, MPI_INT, MPI_SUM, watched.comm);
    watched.require_class(code, expected, "allreduce");
    require(result == p * (p - 1) / 2, "allreduce");
    result = rank;
    code = MPI_Scan(sent, &result, 1, MPI_INT, MPI_SUM, watched.comm);
    watched.require_class(code, expected, "scan");
    require(result == rank * (rank + 1) / 2, "scan");
    std::vector<int> vector(static_cast<std::size_t>(p), rank);
    code = MPI_Reduce_scatter_block(
        vector.data(), rank == odd ? vector.data() : &result, 1, MPI_INT, MPI_SUM, watched.comm
    );
    watched.require_class(code, expected, "reduce_scatter_block");
    require((rank == odd ? vector[0] : result) == p * (p - 1) / 2, "reduce_scatter_block");
  }
}

/// Alltoall in all its forms, from the memory it receives into.
void aliased_alltoall() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  std::vector<int> all(static_cast<std::size_t>(p));
  std::vector<int> const counts(all.size(), 1);
  std::vector<int> const others = counts;
  std::vector<int> places(all.size());
  std::iota(places.begin(), places.end(), 0);
  std::vector<int> in_bytes = places;
  for (int& place : in_bytes) {
    place *= static_cast<int>(sizeof(int));
  }
  std::vector<MPI_Datatype> const types(all.size(), MPI_INT);
  auto const run = [&](std::string const& what, int expected, std::function<int(int*)> const& call
                   ) {
    for (int r = 0; r < p; ++r) {
      all[static_cast<std::size_t>(r)] = 100 + p * rank + r;
    }
    watched.require_class(call(all.data()), expected, what);
    for (int r = 0; r < p; ++r) {
      require(all[static_cast<std::size_t>(r)] == 100 + p * r + rank, what);
    }
  };
  MPI_Comm const comm = watched.comm;
  run("alltoall", alias_class, [&](int* a) {
    return MPI_Alltoall(a, 1, MPI_INT, a, 1, MPI_INT, comm);
  });
  run("alltoallv", alias_class, [&](int* a) {
    int const* const c = counts.data();
    return MPI_Alltoallv(a, c, places.data(), MPI_INT, a, c, places.data(), MPI_INT, comm);
  });
  // MPICH looks whether the lists are the same ones.
  run("alltoallv with two lists", MPI_SUCCESS, [&](int* a) {
    return MPI_Alltoallv(
        a, first(counts), first(places), MPI_INT, a, first(others), first(places), MPI_INT, comm
    );
  });
  run("alltoallw", alias_class, [&](int* a) {
    int const* const c = counts.data();
    int const* const d = in_bytes.data();
    return MPI_Alltoallw(a, c, d, types.data(), a, c, d, types.data(), comm);
  });
}

}  // namespace

Cases alias_cases() {
  return {
      {"alias_on_one_rank", alias_on_one_rank},
      {"aliased_alltoall", aliased_alltoall},
      {"aliases_at_root", aliases_at_root},
      {"overlapping_blocks", overlapping_blocks},
      {"own_block_in_place", own_block_in_place},
  };
}

}  // namespace shim_test
