// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/collectives/native_calls.hpp"

namespace espalier::measure {

int native(plan::AllgatherCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Allgather(
      call.sendbuf, call.sendcount, call.sendtype, call.recvbuf, call.recvcount, call.recvtype, comm
  );
}

int native(plan::AllgathervCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Allgatherv(
      call.sendbuf,
      call.sendcount,
      call.sendtype,
      call.recvbuf,
      call.recvcounts,
      call.displs,
      call.recvtype,
      comm
  );
}

int native(plan::AllreduceCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Allreduce(call.sendbuf, call.recvbuf, call.count, call.datatype, call.op, comm);
}

int native(plan::AlltoallCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Alltoall(
      call.sendbuf, call.sendcount, call.sendtype, call.recvbuf, call.recvcount, call.recvtype, comm
  );
}

int native(plan::AlltoallvCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Alltoallv(
      call.sendbuf,
      call.sendcounts,
      call.sdispls,
      call.sendtype,
      call.recvbuf,
      call.recvcounts,
      call.rdispls,
      call.recvtype,
      comm
  );
}

int native(plan::AlltoallwCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Alltoallw(
      call.sendbuf,
      call.sendcounts,
      call.sdispls,
      call.sendtypes,
      call.recvbuf,
      call.recvcounts,
      call.rdispls,
      call.recvtypes,
      comm
  );
}

int native(plan::BarrierCall const&, MPI_Comm comm) noexcept {
  return PMPI_Barrier(comm);
}

int native(plan::BcastCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Bcast(call.buffer, call.count, call.datatype, call.root, comm);
}

int native(plan::ExscanCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Exscan(call.sendbuf, call.recvbuf, call.count, call.datatype, call.op, comm);
}

int native(plan::GatherCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Gather(
      call.sendbuf,
      call.sendcount,
      call.sendtype,
      call.recvbuf,
      call.recvcount,
      call.recvtype,
      call.root,
      comm
  );
}

int native(plan::GathervCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Gatherv(
      call.sendbuf,
      call.sendcount,
      call.sendtype,
      call.recvbuf,
      call.recvcounts,
      call.displs,
      call.recvtype,
      call.root,
      comm
  );
}

int native(plan::ReduceCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Reduce(
      call.sendbuf, call.recvbuf, call.count, call.datatype, call.op, call.root, comm
  );
}

int native(plan::ReduceScatterCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Reduce_scatter(
      call.sendbuf, call.recvbuf, call.recvcounts, call.datatype, call.op, comm
  );
}

int native(plan::ReduceScatterBlockCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Reduce_scatter_block(
      call.sendbuf, call.recvbuf, call.recvcount, call.datatype, call.op, comm
  );
}

int native(plan::ScanCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Scan(call.sendbuf, call.recvbuf, call.count, call.datatype, call.op, comm);
}

int native(plan::ScatterCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Scatter(
      call.sendbuf,
      call.sendcount,
      call.sendtype,
      call.recvbuf,
      call.recvcount,
      call.recvtype,
      call.root,
      comm
  );
}

int native(plan::ScattervCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Scatterv(
      call.sendbuf,
      call.sendcounts,
      call.displs,
      call.sendtype,
      call.recvbuf,
      call.recvcount,
      call.recvtype,
      call.root,
      comm
  );
}

}  // namespace espalier::measure
