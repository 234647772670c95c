/* SPDX-License-Identifier: Apache-2.0 */

/* The functions of espalier_onesided.h and espalier_array.h that take handles of MPI, for the
   Fortran modules: with handles of Fortran, which are numbers in every MPI. It is part of the
   library of the modules, so that libespalier-api-<vendor> shows nothing of it. */

#include <stdint.h>

#include <espalier_array.h>
#include <espalier_onesided.h>

#include <mpi.h>

/* NOLINTNEXTLINE(readability-function-size): as the module calls it */
int espalier_f_conduit_attach(
    MPI_Fint comm,
    uint64_t segment_bytes,
    char const* transport,
    uint64_t scratch_bytes,
    espalier_handler* const* handlers,
    int num_handlers,
    void* context,
    espalier_conduit** conduit
) {
  espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
  options.transport = transport;
  options.scratch_bytes = scratch_bytes;
  options.handlers = handlers;
  options.num_handlers = num_handlers;
  options.context = context;
  return espalier_conduit_attach(MPI_Comm_f2c(comm), segment_bytes, &options, conduit);
}

int espalier_f_team_create(
    espalier_conduit* conduit, MPI_Fint comm, uint64_t scratch_bytes, espalier_team** team
) {
  return espalier_team_create(conduit, MPI_Comm_f2c(comm), scratch_bytes, team);
}

int espalier_f_team_bcast_init(
    void* buffer,
    int count,
    MPI_Fint datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  MPI_Datatype const type = MPI_Type_f2c(datatype);
  return espalier_team_bcast_init(buffer, count, type, root, team, options, request);
}

int espalier_f_team_scatter_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Fint datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  MPI_Datatype const type = MPI_Type_f2c(datatype);
  return espalier_team_scatter_init(sendbuf, recvbuf, count, type, root, team, options, request);
}

int espalier_f_team_gather_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Fint datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  MPI_Datatype const type = MPI_Type_f2c(datatype);
  return espalier_team_gather_init(sendbuf, recvbuf, count, type, root, team, options, request);
}

int espalier_f_team_reduce_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Fint datatype,
    MPI_Fint op,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  MPI_Datatype const type = MPI_Type_f2c(datatype);
  MPI_Op const sum = MPI_Op_f2c(op);
  return espalier_team_reduce_init(
      sendbuf, recvbuf, count, type, sum, root, team, options, request
  );
}

int espalier_f_team_allreduce_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Fint datatype,
    MPI_Fint op,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  MPI_Datatype const type = MPI_Type_f2c(datatype);
  MPI_Op const sum = MPI_Op_f2c(op);
  return espalier_team_allreduce_init(sendbuf, recvbuf, count, type, sum, team, options, request);
}

int espalier_f_team_allgather_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Fint datatype,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  MPI_Datatype const type = MPI_Type_f2c(datatype);
  return espalier_team_allgather_init(sendbuf, recvbuf, count, type, team, options, request);
}

int espalier_f_team_alltoall_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Fint datatype,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  MPI_Datatype const type = MPI_Type_f2c(datatype);
  return espalier_team_alltoall_init(sendbuf, recvbuf, count, type, team, options, request);
}

/* NOLINTNEXTLINE(readability-function-size): as programs call it */
int espalier_f_team_scatterv_init(
    void const* sendbuf,
    int const counts[],
    int const displs[],
    void* recvbuf,
    MPI_Fint datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  MPI_Datatype const type = MPI_Type_f2c(datatype);
  return espalier_team_scatterv_init(
      sendbuf, counts, displs, recvbuf, type, root, team, options, request
  );
}

/* NOLINTNEXTLINE(readability-function-size): as programs call it */
int espalier_f_team_gatherv_init(
    void const* sendbuf,
    void* recvbuf,
    int const counts[],
    int const displs[],
    MPI_Fint datatype,
    int root,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  MPI_Datatype const type = MPI_Type_f2c(datatype);
  return espalier_team_gatherv_init(
      sendbuf, recvbuf, counts, displs, type, root, team, options, request
  );
}

/* NOLINTNEXTLINE(readability-function-size): as programs call it */
int espalier_f_team_allgatherv_init(
    void const* sendbuf,
    void* recvbuf,
    int const counts[],
    int const displs[],
    MPI_Fint datatype,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  MPI_Datatype const type = MPI_Type_f2c(datatype);
  return espalier_team_allgatherv_init(
      sendbuf, recvbuf, counts, displs, type, team, options, request
  );
}

/* NOLINTNEXTLINE(readability-function-size): as programs call it */
int espalier_f_team_alltoallv_init(
    void const* sendbuf,
    int const sendcounts[],
    int const sdispls[],
    void* recvbuf,
    int const recvcounts[],
    int const rdispls[],
    MPI_Fint datatype,
    espalier_team* team,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  MPI_Datatype const type = MPI_Type_f2c(datatype);
  return espalier_team_alltoallv_init(
      sendbuf, sendcounts, sdispls, recvbuf, recvcounts, rdispls, type, team, options, request
  );
}

int espalier_f_distribution_bytes(
    espalier_distribution const* distribution,
    MPI_Fint datatype,
    int num_members,
    uint64_t* num_bytes
) {
  MPI_Datatype const type = MPI_Type_f2c(datatype);
  return espalier_distribution_bytes(distribution, type, num_members, num_bytes);
}

int espalier_f_array_create(
    espalier_team* team,
    espalier_distribution const* distribution,
    MPI_Fint datatype,
    uint64_t offset,
    espalier_array** array
) {
  return espalier_array_create(team, distribution, MPI_Type_f2c(datatype), offset, array);
}

int espalier_f_array_reduce_init(
    espalier_region const* from,
    espalier_region const* to,
    int count,
    MPI_Fint op,
    espalier_onesided_options const* options,
    espalier_request** request
) {
  return espalier_array_reduce_init(from, to, count, MPI_Op_f2c(op), options, request);
}
