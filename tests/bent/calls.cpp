// SPDX-License-Identifier: Apache-2.0

#include "tests/bent/calls.hpp"

namespace bent {
namespace {

int const* counts_of(Side const& side) {
  return side.without_lists ? nullptr : side.counts.data();
}

int const* places_of(Side const& side) {
  return side.without_lists ? nullptr : side.displacements.data();
}

MPI_Datatype const* types_of(Side const& side) {
  return side.without_lists ? nullptr : side.types.data();
}

int invoke_reduction(Call const& call) {
  Side const& s = call.send;
  Side const& r = call.recv;
  switch (call.function) {
  case Function::allreduce:
    return MPI_Allreduce(s.address, r.address, s.count, s.type, call.op, call.comm);
  case Function::reduce:
    return MPI_Reduce(s.address, r.address, s.count, s.type, call.op, call.root, call.comm);
  case Function::scan:
    return MPI_Scan(s.address, r.address, s.count, s.type, call.op, call.comm);
  case Function::exscan:
    return MPI_Exscan(s.address, r.address, s.count, s.type, call.op, call.comm);
  case Function::reduce_scatter:
    return MPI_Reduce_scatter(s.address, r.address, counts_of(r), s.type, call.op, call.comm);
  default:
    return MPI_Reduce_scatter_block(s.address, r.address, r.count, s.type, call.op, call.comm);
  }
}

int invoke_rooted(Call const& call) {
  Side const& s = call.send;
  Side const& r = call.recv;
  switch (call.function) {
  case Function::bcast:
    return MPI_Bcast(s.address, s.count, s.type, call.root, call.comm);
  case Function::gather:
    return MPI_Gather(s.address, s.count, s.type, r.address, r.count, r.type, call.root, call.comm);
  case Function::gatherv:
    return MPI_Gatherv(
        s.address,
        s.count,
        s.type,
        r.address,
        counts_of(r),
        places_of(r),
        r.type,
        call.root,
        call.comm
    );
  case Function::scatter:
    return MPI_Scatter(
        s.address, s.count, s.type, r.address, r.count, r.type, call.root, call.comm
    );
  default:
    return MPI_Scatterv(
        s.address,
        counts_of(s),
        places_of(s),
        s.type,
        r.address,
        r.count,
        r.type,
        call.root,
        call.comm
    );
  }
}

int invoke_alltoall(Call const& call) {
  Side const& s = call.send;
  Side const& r = call.recv;
  switch (call.function) {
  case Function::alltoall:
    return MPI_Alltoall(s.address, s.count, s.type, r.address, r.count, r.type, call.comm);
  case Function::alltoallv:
    return MPI_Alltoallv(
        s.address,
        counts_of(s),
        places_of(s),
        s.type,
        r.address,
        counts_of(r),
        places_of(r),
        r.type,
        call.comm
    );
  default:
    return MPI_Alltoallw(
        s.address,
        counts_of(s),
        places_of(s),
        types_of(s),
        r.address,
        counts_of(r),
        places_of(r),
        types_of(r),
        call.comm
    );
  }
}

}  // namespace

char const* name_of(Function function) {
  static constexpr char const* names[num_functions] = {
      "allgather",
      "allgatherv",
      "allreduce",
      "alltoall",
      "alltoallv",
      "alltoallw",
      "barrier",
      "bcast",
      "exscan",
      "gather",
      "gatherv",
      "reduce",
      "reduce_scatter",
      "reduce_scatter_block",
      "scan",
      "scatter",
      "scatterv",
  };
  return names[static_cast<int>(function)];
}

bool is_reduction(Function function) {
  return function == Function::allreduce || function == Function::reduce ||
         function == Function::scan || function == Function::exscan ||
         function == Function::reduce_scatter || function == Function::reduce_scatter_block;
}

bool has_root(Function function) {
  return function == Function::bcast || function == Function::gather ||
         function == Function::gatherv || function == Function::scatter ||
         function == Function::scatterv || function == Function::reduce;
}

bool Call::sends(int rank) const {
  bool const is_scatter = function == Function::scatter || function == Function::scatterv;
  return function != Function::barrier && (!is_scatter || is_root(rank));
}

bool Call::receives(int rank) const {
  bool const is_to_root =
      function == Function::gather || function == Function::gatherv || function == Function::reduce;
  bool const has_result = function != Function::barrier && function != Function::bcast;
  return has_result && (!is_to_root || is_root(rank));
}

long block_offset(Call const& call, Side const& side, int rank) {
  if (!side.has_lists()) {
    return static_cast<long>(rank) * side.count * side.item_bytes;
  }
  long const place = side.displacements.at(static_cast<std::size_t>(rank));
  return call.function == Function::alltoallw ? place : place * side.item_bytes;
}

int invoke(Call const& call) {
  switch (call.function) {
  case Function::barrier:
    return MPI_Barrier(call.comm);
  case Function::allgather:
    return MPI_Allgather(
        call.send.address,
        call.send.count,
        call.send.type,
        call.recv.address,
        call.recv.count,
        call.recv.type,
        call.comm
    );
  case Function::allgatherv:
    return MPI_Allgatherv(
        call.send.address,
        call.send.count,
        call.send.type,
        call.recv.address,
        counts_of(call.recv),
        places_of(call.recv),
        call.recv.type,
        call.comm
    );
  case Function::alltoall:
  case Function::alltoallv:
  case Function::alltoallw:
    return invoke_alltoall(call);
  default:
    return is_reduction(call.function) ? invoke_reduction(call) : invoke_rooted(call);
  }
}

}  // namespace bent
