/* SPDX-License-Identifier: Apache-2.0 */

/* Stands between Espalier and an MPI library whose MPI_Neighbor_alltoall and MPI_Ineighbor_alltoall
   take half a millisecond longer than they should. */

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

typedef int (*Alltoall)(void const*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
typedef int (*Ialltoall)(void const*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Request*);

__attribute__((visibility("default"))) int PMPI_Neighbor_alltoall(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    MPI_Comm comm
) {
  Alltoall native = 0;
  void* const address = dlsym(RTLD_NEXT, "PMPI_Neighbor_alltoall");
  memcpy(&native, &address, sizeof native);
  usleep(500);
  return native(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

__attribute__((visibility("default"))) int PMPI_Ineighbor_alltoall(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    MPI_Comm comm,
    MPI_Request* request
) {
  Ialltoall native = 0;
  void* const address = dlsym(RTLD_NEXT, "PMPI_Ineighbor_alltoall");
  memcpy(&native, &address, sizeof native);
  usleep(500);
  return native(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}
