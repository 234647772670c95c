// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/irregular/library.hpp"

#include "espalier/exec/mpi_datatype.hpp"

namespace espalier::plan {

void Library::open() {
#ifndef ESPALIER_MPI_SIMULATED
  MPI_Group group = MPI_GROUP_NULL;
  exec::require_success(PMPI_Comm_group(MPI_COMM_SELF, &group), "MPI_Comm_group");
  int const code = PMPI_Comm_create(MPI_COMM_SELF, group, &self_);
  PMPI_Group_free(&group);
  exec::require_success(code, "MPI_Comm_create");
  exec::require_success(
      PMPI_Comm_set_errhandler(self_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler"
  );
#endif
}

void Library::close() noexcept {
  if (self_ != MPI_COMM_NULL) {
    PMPI_Comm_free(&self_);
  }
}

bool is_committed(MPI_Datatype type, MPI_Comm self) noexcept {
  char nothing = 0;
  int position = 0;
  return self == MPI_COMM_NULL ||
         PMPI_Pack(&nothing, 0, type, &nothing, sizeof nothing, &position, self) == MPI_SUCCESS;
}

int Library::says(AllgatherCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL
             ? MPI_SUCCESS
             : PMPI_Allgather(
                   c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount, c.recvtype, self_
               );
}

int Library::says(AllgathervCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL ? MPI_SUCCESS
                                : PMPI_Allgatherv(
                                      c.sendbuf,
                                      c.sendcount,
                                      c.sendtype,
                                      c.recvbuf,
                                      c.recvcounts,
                                      c.displs,
                                      c.recvtype,
                                      self_
                                  );
}

int Library::says(AllreduceCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL
             ? MPI_SUCCESS
             : PMPI_Allreduce(c.sendbuf, c.recvbuf, c.count, c.datatype, c.op, self_);
}

int Library::says(AlltoallCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL
             ? MPI_SUCCESS
             : PMPI_Alltoall(
                   c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount, c.recvtype, self_
               );
}

int Library::says(AlltoallvCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL ? MPI_SUCCESS
                                : PMPI_Alltoallv(
                                      c.sendbuf,
                                      c.sendcounts,
                                      c.sdispls,
                                      c.sendtype,
                                      c.recvbuf,
                                      c.recvcounts,
                                      c.rdispls,
                                      c.recvtype,
                                      self_
                                  );
}

int Library::says(AlltoallwCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL ? MPI_SUCCESS
                                : PMPI_Alltoallw(
                                      c.sendbuf,
                                      c.sendcounts,
                                      c.sdispls,
                                      c.sendtypes,
                                      c.recvbuf,
                                      c.recvcounts,
                                      c.rdispls,
                                      c.recvtypes,
                                      self_
                                  );
}

int Library::says(BcastCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL ? MPI_SUCCESS : PMPI_Bcast(c.buffer, c.count, c.datatype, 0, self_);
}

int Library::says(ExscanCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL
             ? MPI_SUCCESS
             : PMPI_Exscan(c.sendbuf, c.recvbuf, c.count, c.datatype, c.op, self_);
}

int Library::says(GatherCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL
             ? MPI_SUCCESS
             : PMPI_Gather(
                   c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount, c.recvtype, 0, self_
               );
}

int Library::says(GathervCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL ? MPI_SUCCESS
                                : PMPI_Gatherv(
                                      c.sendbuf,
                                      c.sendcount,
                                      c.sendtype,
                                      c.recvbuf,
                                      c.recvcounts,
                                      c.displs,
                                      c.recvtype,
                                      0,
                                      self_
                                  );
}

int Library::says(ReduceCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL
             ? MPI_SUCCESS
             : PMPI_Reduce(c.sendbuf, c.recvbuf, c.count, c.datatype, c.op, 0, self_);
}

int Library::says(ReduceScatterCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL
             ? MPI_SUCCESS
             : PMPI_Reduce_scatter(c.sendbuf, c.recvbuf, c.recvcounts, c.datatype, c.op, self_);
}

int Library::says(ReduceScatterBlockCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL ? MPI_SUCCESS
                                : PMPI_Reduce_scatter_block(
                                      c.sendbuf, c.recvbuf, c.recvcount, c.datatype, c.op, self_
                                  );
}

int Library::says(ScanCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL ? MPI_SUCCESS
                                : PMPI_Scan(c.sendbuf, c.recvbuf, c.count, c.datatype, c.op, self_);
}

int Library::says(ScatterCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL
             ? MPI_SUCCESS
             : PMPI_Scatter(
                   c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount, c.recvtype, 0, self_
               );
}

int Library::says(ScattervCall const& c) const noexcept {
  return self_ == MPI_COMM_NULL ? MPI_SUCCESS
                                : PMPI_Scatterv(
                                      c.sendbuf,
                                      c.sendcounts,
                                      c.displs,
                                      c.sendtype,
                                      c.recvbuf,
                                      c.recvcount,
                                      c.recvtype,
                                      0,
                                      self_
                                  );
}

}  // namespace espalier::plan
