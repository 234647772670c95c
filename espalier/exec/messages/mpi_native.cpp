// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/messages/mpi_native.hpp"

namespace espalier::exec {
namespace {

using schedule::Collective;

int run_moving(MpiNativeCall const& c, void* result, void const* source) noexcept {
  int const* const counts = c.counts.data();
  int const* const starts = c.displacements.data();
  switch (c.collective) {
  case Collective::allgather:
    return c.counts.empty()
               ? PMPI_Allgather(source, c.count, c.type, result, c.count, c.type, c.comm)
               : PMPI_Allgatherv(source, c.count, c.type, result, counts, starts, c.type, c.comm);
  case Collective::bcast:
    return PMPI_Bcast(
        c.is_root ? const_cast<void*>(source) : result, c.count, c.type, c.root, c.comm
    );
  case Collective::gather:
    return PMPI_Gather(source, c.count, c.type, result, c.count, c.type, c.root, c.comm);
  case Collective::scatter:
    return PMPI_Scatter(
        source, c.count, c.type, c.is_root ? MPI_IN_PLACE : result, c.count, c.type, c.root, c.comm
    );
  default:
    return PMPI_Alltoall(source, c.count, c.type, result, c.count, c.type, c.comm);
  }
}

int run_combining(MpiNativeCall const& c, MPI_Op op, void* result, void const* source) noexcept {
  switch (c.collective) {
  case Collective::allreduce:
    return PMPI_Allreduce(source, result, c.count, c.type, op, c.comm);
  case Collective::reduce:
    return PMPI_Reduce(source, result, c.count, c.type, op, c.root, c.comm);
  default:
    return c.counts.empty()
               ? PMPI_Reduce_scatter_block(source, result, c.count, c.type, op, c.comm)
               : PMPI_Reduce_scatter(source, result, c.counts.data(), c.type, op, c.comm);
  }
}

/// In a gather only the root may say so; the others give their contribution where it is.
bool says_in_place(MpiNativeCall const& call) noexcept {
  return call.is_in_place && (call.is_root || call.collective != Collective::gather);
}

}  // namespace

int run_native(MpiNativeCall const& call, MPI_Op op, Bases const& bases) noexcept {
  void* const result = bases.at(call.result);
  void const* const source = says_in_place(call) ? MPI_IN_PLACE : bases.at(call.source);
  return schedule::reduces(call.collective) ? run_combining(call, op, result, source)
                                            : run_moving(call, result, source);
}

}  // namespace espalier::exec
