// SPDX-License-Identifier: Apache-2.0

#include "tests/bent/program.hpp"

namespace bent {
namespace {

/// One message of a rank.
struct Part {
  void* address;
  int count;
  MPI_Datatype type;
};

/// What a side holds for, or wants from, another rank. Sides of one block have it at their address.
Part part_of(Call const& call, Side const& side, int peer, bool has_one_block) {
  auto* const first = static_cast<unsigned char*>(side.address);
  auto const i = static_cast<std::size_t>(peer);
  if (side.has_lists()) {
    MPI_Datatype const type = call.function == Function::alltoallw ? side.types[i] : side.type;
    return {first + block_offset(call, side, peer), side.counts[i], type};
  }
  long const offset = has_one_block ? 0 : block_offset(call, side, peer);
  return {first + offset, side.count, side.type};
}

bool is_one_of(Function function, std::vector<Function> const& functions) {
  for (Function const other : functions) {
    if (function == other) {
      return true;
    }
  }
  return false;
}

bool sends_one_block(Function function) {
  return is_one_of(
      function, {Function::allgather, Function::allgatherv, Function::gather, Function::gatherv}
  );
}

bool receives_one_block(Function function) {
  return is_one_of(function, {Function::scatter, Function::scatterv});
}

int broadcast(Call const& call, int rank, int size) {
  Side const& side = call.send;
  if (!call.is_root(rank)) {
    MPI_Status status;
    return MPI_Recv(side.address, side.count, side.type, call.root, 0, call.comm, &status);
  }
  int code = MPI_SUCCESS;
  for (int peer = 0; peer < size && code == MPI_SUCCESS; ++peer) {
    if (peer != rank) {
      code = MPI_Send(side.address, side.count, side.type, peer, 0, call.comm);
    }
  }
  return code;
}

}  // namespace

int move_by_messages(Call const& call, int rank, int size) {
  if (call.function == Function::bcast) {
    return broadcast(call, rank, size);
  }
  std::vector<MPI_Request> requests;
  int code = MPI_SUCCESS;
  for (int peer = 0; peer < size; ++peer) {
    bool const is_from_root = receives_one_block(call.function);
    if (call.receives(rank) && (!is_from_root || call.is_root(peer))) {
      Part const part = part_of(call, call.recv, peer, is_from_root);
      requests.push_back(MPI_REQUEST_NULL);
      MPI_Request* const request = &requests.back();
      code |= MPI_Irecv(part.address, part.count, part.type, peer, 0, call.comm, request);
    }
  }
  for (int peer = 0; peer < size; ++peer) {
    bool const is_to_root = call.function == Function::gather || call.function == Function::gatherv;
    if (call.sends(rank) && (!is_to_root || call.is_root(peer))) {
      Part const part = part_of(call, call.send, peer, sends_one_block(call.function));
      requests.push_back(MPI_REQUEST_NULL);
      MPI_Request* const request = &requests.back();
      code |= MPI_Isend(part.address, part.count, part.type, peer, 0, call.comm, request);
    }
  }
  std::vector<MPI_Status> statuses(requests.size());
  code |= MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
  return code;
}

}  // namespace bent
