// SPDX-License-Identifier: Apache-2.0

/// @file
/// The collectives of espalier_onesided.h.

#include "espalier/capi/arguments.hpp"
#include "espalier/capi/onesided/request_planning.hpp"
#include "espalier/capi/onesided/team_call.hpp"
#include "espalier/capi/onesided/team_object.hpp"
#include "espalier/capi/onesided/team_options.hpp"

namespace {

using espalier::capi::TeamCall;
using espalier::schedule::Collective;

int make_request(
    espalier_team* team,
    TeamCall const& call,
    espalier_onesided_options const* given,
    espalier_request** request
) noexcept {
  return espalier::capi::on(team, [&](espalier_team& self) {
    espalier::capi::plan_request(self, [&] { return call; }, given, request);
  });
}

}  // namespace

extern "C" {

int espalier_team_bcast_init(
    void* buffer,
    int count,
    MPI_Datatype datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  TeamCall const call{
      .collective = Collective::bcast,
      .recvbuf = buffer,
      .count = count,
      .datatype = datatype,
      .root = root,
  };
  return make_request(team, call, options, request);
}

int espalier_team_scatter_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  TeamCall const call{
      .collective = Collective::scatter,
      .sendbuf = sendbuf,
      .recvbuf = recvbuf,
      .count = count,
      .datatype = datatype,
      .root = root,
  };
  return make_request(team, call, options, request);
}

int espalier_team_gather_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  TeamCall const call{
      .collective = Collective::gather,
      .sendbuf = sendbuf,
      .recvbuf = recvbuf,
      .count = count,
      .datatype = datatype,
      .root = root,
  };
  return make_request(team, call, options, request);
}

int espalier_team_reduce_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    MPI_Op op,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  TeamCall const call{
      .collective = Collective::reduce,
      .sendbuf = sendbuf,
      .recvbuf = recvbuf,
      .count = count,
      .datatype = datatype,
      .op = op,
      .root = root,
  };
  return make_request(team, call, options, request);
}

int espalier_team_allreduce_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    MPI_Op op,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  TeamCall const call{
      .collective = Collective::allreduce,
      .sendbuf = sendbuf,
      .recvbuf = recvbuf,
      .count = count,
      .datatype = datatype,
      .op = op,
  };
  return make_request(team, call, options, request);
}

int espalier_team_allgather_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  TeamCall const call{
      .collective = Collective::allgather,
      .sendbuf = sendbuf,
      .recvbuf = recvbuf,
      .count = count,
      .datatype = datatype,
  };
  return make_request(team, call, options, request);
}

int espalier_team_alltoall_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  TeamCall const call{
      .collective = Collective::alltoall,
      .sendbuf = sendbuf,
      .recvbuf = recvbuf,
      .count = count,
      .datatype = datatype,
  };
  return make_request(team, call, options, request);
}

int espalier_team_barrier_init(
    espalier_team* team, espalier_onesided_options const* options, espalier_request** request
) {
  // Nobody has to be told of a buffer.
  return espalier::capi::on(team, [&](espalier_team& self) {
    espalier::capi::check_pointer(reinterpret_cast<void const*>(request), "request");
    *request = nullptr;
    TeamCall const call{.collective = Collective::barrier};
    *request = plan_request(self, call, espalier::capi::read(options)).release();
  });
}

}  // extern "C"
