// SPDX-License-Identifier: Apache-2.0

/// @file
/// How collectives of a team are planned, one like the other: of integers, with rank 0 as the root.

#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "benchmarks/onesided/team_requests.hpp"
#include "espalier/schedule/collective.hpp"

namespace espalier::benchmarks {

using schedule::Collective;

struct Call {
  Collective collective;
  int (*plan)(
      Buffers const& at,
      int count,
      espalier_team* team,
      espalier_onesided_options const* options,
      espalier_request** request
  );
};

inline Call const calls[] = {
    {Collective::barrier,
     [](Buffers const&, int, auto* team, auto* options, auto** request) {
       return espalier_team_barrier_init(team, options, request);
     }},
    {Collective::bcast,
     [](Buffers const& at, int count, auto* team, auto* options, auto** request) {
       return espalier_team_bcast_init(at.output, count, MPI_INT, 0, team, options, request);
     }},
    {Collective::scatter,
     [](Buffers const& at, int count, auto* team, auto* options, auto** request) {
       return espalier_team_scatter_init(
           at.input, at.output, count, MPI_INT, 0, team, options, request
       );
     }},
    {Collective::gather,
     [](Buffers const& at, int count, auto* team, auto* options, auto** request) {
       return espalier_team_gather_init(
           at.input, at.output, count, MPI_INT, 0, team, options, request
       );
     }},
    {Collective::reduce,
     [](Buffers const& at, int count, auto* team, auto* options, auto** request) {
       return espalier_team_reduce_init(
           at.input, at.output, count, MPI_INT, MPI_SUM, 0, team, options, request
       );
     }},
    {Collective::allreduce,
     [](Buffers const& at, int count, auto* team, auto* options, auto** request) {
       return espalier_team_allreduce_init(
           at.input, at.output, count, MPI_INT, MPI_SUM, team, options, request
       );
     }},
    {Collective::allgather,
     [](Buffers const& at, int count, auto* team, auto* options, auto** request) {
       return espalier_team_allgather_init(
           at.input, at.output, count, MPI_INT, team, options, request
       );
     }},
    {Collective::alltoall,
     [](Buffers const& at, int count, auto* team, auto* options, auto** request) {
       return espalier_team_alltoall_init(
           at.input, at.output, count, MPI_INT, team, options, request
       );
     }},
};

/// Ends the program unless a call succeeded.
inline void require(int code, std::string const& what) {
  if (code != MPI_SUCCESS) {
    std::fprintf(stderr, "expected %s to be made\n", what.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/// Of as many blocks as there are ranks.
inline std::uint64_t buffer_bytes(int count, int num_ranks) {
  return static_cast<std::uint64_t>(count) * sizeof(int) * static_cast<std::uint64_t>(num_ranks);
}

}  // namespace espalier::benchmarks
