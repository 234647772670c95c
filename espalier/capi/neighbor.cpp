// SPDX-License-Identifier: Apache-2.0

/// @file
/// The collectives of espalier_neighbor.h.

#include <mpi.h>

#include "espalier/capi/neighbor_calls.hpp"

namespace {

using espalier::capi::plan_neighbors;
using espalier::capi::run_neighbors;

}  // namespace

extern "C" {

int espalier_neighbor_allgather(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood
) {
  return run_neighbors(
      neighborhood,
      espalier::plan::NeighborAllgatherCall{
          sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype
      }
  );
}

int espalier_neighbor_allgatherv(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const displs[],
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood
) {
  return run_neighbors(
      neighborhood,
      espalier::plan::NeighborAllgathervCall{
          sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype
      }
  );
}

int espalier_neighbor_alltoall(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood
) {
  return run_neighbors(
      neighborhood,
      espalier::plan::NeighborAlltoallCall{
          sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype
      }
  );
}

int espalier_neighbor_alltoallv(
    void const* sendbuf,
    int const sendcounts[],
    int const sdispls[],
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const rdispls[],
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood
) {
  return run_neighbors(
      neighborhood,
      espalier::plan::NeighborAlltoallvCall{
          sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype
      }
  );
}

int espalier_neighbor_alltoallw(
    void const* sendbuf,
    int const sendcounts[],
    MPI_Aint const sdispls[],
    MPI_Datatype const sendtypes[],
    void* recvbuf,
    int const recvcounts[],
    MPI_Aint const rdispls[],
    MPI_Datatype const recvtypes[],
    espalier_neighborhood* neighborhood
) {
  return run_neighbors(
      neighborhood,
      espalier::plan::NeighborAlltoallwCall{
          sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes
      }
  );
}

int espalier_neighbor_allgather_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood,
    espalier_request** request
) {
  espalier::plan::NeighborAllgatherCall const call{
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype
  };
  return plan_neighbors(neighborhood, call, request);
}

int espalier_neighbor_allgatherv_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const displs[],
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood,
    espalier_request** request
) {
  espalier::plan::NeighborAllgathervCall const call{
      sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype
  };
  return plan_neighbors(neighborhood, call, request);
}

int espalier_neighbor_alltoall_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood,
    espalier_request** request
) {
  espalier::plan::NeighborAlltoallCall const call{
      sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype
  };
  return plan_neighbors(neighborhood, call, request);
}

int espalier_neighbor_alltoallv_init(
    void const* sendbuf,
    int const sendcounts[],
    int const sdispls[],
    MPI_Datatype sendtype,
    void* recvbuf,
    int const recvcounts[],
    int const rdispls[],
    MPI_Datatype recvtype,
    espalier_neighborhood* neighborhood,
    espalier_request** request
) {
  espalier::plan::NeighborAlltoallvCall const call{
      sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype
  };
  return plan_neighbors(neighborhood, call, request);
}

int espalier_neighbor_alltoallw_init(
    void const* sendbuf,
    int const sendcounts[],
    MPI_Aint const sdispls[],
    MPI_Datatype const sendtypes[],
    void* recvbuf,
    int const recvcounts[],
    MPI_Aint const rdispls[],
    MPI_Datatype const recvtypes[],
    espalier_neighborhood* neighborhood,
    espalier_request** request
) {
  espalier::plan::NeighborAlltoallwCall const call{
      sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes
  };
  return plan_neighbors(neighborhood, call, request);
}

}  // extern "C"
