// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/neighbors/neighbor_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "espalier/exec/collectives/mpi_blocks.hpp"

namespace espalier::plan {
namespace {

using exec::Integers;
using exec::MpiBlocks;

int misuse_of_count(std::int64_t count) noexcept {
  return count < 0 ? MPI_ERR_COUNT : MPI_SUCCESS;
}

int misuse_of_counts(Integers counts, int size) noexcept {
  if (size > 0 && counts == nullptr) {
    return MPI_ERR_ARG;
  }
  for (int i = 0; i < size; ++i) {
    if (counts[i] < 0) {
      return MPI_ERR_COUNT;
    }
  }
  return MPI_SUCCESS;
}

/// The first of them that is not MPI_SUCCESS.
int first_of(std::initializer_list<int> codes) noexcept {
  auto const* const found =
      std::ranges::find_if(codes, [](int code) { return code != MPI_SUCCESS; });
  return found == codes.end() ? MPI_SUCCESS : *found;
}

int misuse_of_buffers(void const* sendbuf, void const* recvbuf) noexcept {
  return sendbuf == MPI_IN_PLACE || recvbuf == MPI_IN_PLACE ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

int misuse_of_type(MPI_Datatype type) noexcept {
  return type == MPI_DATATYPE_NULL ? MPI_ERR_TYPE : MPI_SUCCESS;
}

template <typename List> int misuse_of_list(List const& values, int size) noexcept {
  return size > 0 && values == nullptr ? MPI_ERR_ARG : MPI_SUCCESS;
}

/// A null type is right where there are no elements of it.
int misuse_of_types(Integers counts, MPI_Datatype const* types, int size) noexcept {
  if (size > 0 && (counts == nullptr || types == nullptr)) {
    return MPI_ERR_ARG;
  }
  for (int i = 0; i < size; ++i) {
    if (counts[i] > 0 && types[i] == MPI_DATATYPE_NULL) {
      return MPI_ERR_TYPE;
    }
  }
  return MPI_SUCCESS;
}

template <typename Call> int misuse_of_equal(Call const& call) noexcept {
  return first_of({
      misuse_of_count(call.sendcount),
      misuse_of_count(call.recvcount),
      misuse_of_type(call.sendtype),
      misuse_of_type(call.recvtype),
      misuse_of_buffers(call.sendbuf, call.recvbuf),
  });
}

/// Blocks of one size each way.
template <typename Call> Binding bind_equal(Call const& call, NamedTypes& types) {
  TypeFacts const from = types.facts(call.sendtype);
  TypeFacts const to = types.facts(call.recvtype);
  return {
      .key =
          {
              .bytes = call.recvcount * to.size_bytes,
              .input_bytes = call.sendcount * from.size_bytes,
              .neighbor_call = Call::neighbor_call,
          },
      .may_stay = from.is_gapless && to.is_gapless,
      .input = call.sendbuf,
      .output = call.recvbuf,
  };
}

MpiBlocks typed(Integers counts, MPI_Aint const* places, MPI_Datatype const* types, int size) {
  std::vector<exec::Extent> extents;
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
    extents.push_back({.offset_bytes = places[i], .num_elements = counts[i]});
  }
  return {.layout = exec::Layout::of(std::move(extents), 1), .types = {types, types + size}};
}

}  // namespace

int misuse(NeighborAllgatherCall const& call, Degrees) noexcept {
  return misuse_of_equal(call);
}

int misuse(NeighborAllgathervCall const& call, Degrees degrees) noexcept {
  return first_of({
      misuse_of_count(call.sendcount),
      misuse_of_counts(call.recvcounts, degrees.in),
      misuse_of_list(call.displs, degrees.in),
      misuse_of_type(call.sendtype),
      misuse_of_type(call.recvtype),
      misuse_of_buffers(call.sendbuf, call.recvbuf),
  });
}

int misuse(NeighborAlltoallCall const& call, Degrees) noexcept {
  return misuse_of_equal(call);
}

int misuse(NeighborAlltoallvCall const& call, Degrees degrees) noexcept {
  return first_of({
      misuse_of_counts(call.sendcounts, degrees.out),
      misuse_of_counts(call.recvcounts, degrees.in),
      misuse_of_list(call.sdispls, degrees.out),
      misuse_of_list(call.rdispls, degrees.in),
      misuse_of_type(call.sendtype),
      misuse_of_type(call.recvtype),
      misuse_of_buffers(call.sendbuf, call.recvbuf),
  });
}

int misuse(NeighborAlltoallwCall const& call, Degrees degrees) noexcept {
  return first_of({
      misuse_of_counts(call.sendcounts, degrees.out),
      misuse_of_counts(call.recvcounts, degrees.in),
      misuse_of_list(call.sdispls, degrees.out),
      misuse_of_list(call.rdispls, degrees.in),
      misuse_of_types(call.sendcounts, call.sendtypes, degrees.out),
      misuse_of_types(call.recvcounts, call.recvtypes, degrees.in),
      misuse_of_buffers(call.sendbuf, call.recvbuf),
  });
}

Binding bind(NeighborAllgatherCall const& call, Degrees, NamedTypes& types) {
  return bind_equal(call, types);
}

Binding bind(NeighborAllgathervCall const& call, Degrees degrees, NamedTypes& types) {
  TypeFacts const from = types.facts(call.sendtype);
  TypeFacts const to = types.facts(call.recvtype);
  return {
      .key =
          {
              .bytes = to.size_bytes,
              .input_bytes = call.sendcount * from.size_bytes,
              .neighbor_call = NeighborCall::allgatherv,
          },
      .counts = {call.recvcounts.first(degrees.in), call.displs.first(degrees.in)},
      .may_stay = from.is_gapless && to.is_gapless,
      .input = call.sendbuf,
      .output = call.recvbuf,
  };
}

Binding bind(NeighborAlltoallCall const& call, Degrees, NamedTypes& types) {
  return bind_equal(call, types);
}

Binding bind(NeighborAlltoallvCall const& call, Degrees degrees, NamedTypes& types) {
  TypeFacts const from = types.facts(call.sendtype);
  TypeFacts const to = types.facts(call.recvtype);
  return {
      .key =
          {
              .bytes = to.size_bytes,
              .input_bytes = from.size_bytes,
              .neighbor_call = NeighborCall::alltoallv,
          },
      .counts =
          {
              call.sendcounts.first(degrees.out),
              call.sdispls.first(degrees.out),
              call.recvcounts.first(degrees.in),
              call.rdispls.first(degrees.in),
          },
      .may_stay = from.is_gapless && to.is_gapless,
      .input = call.sendbuf,
      .output = call.recvbuf,
  };
}

Binding bind(NeighborAlltoallwCall const& call, Degrees, NamedTypes&) {
  return {
      .key = {.neighbor_call = NeighborCall::alltoallw},
      .may_stay = false,
      .input = call.sendbuf,
      .output = call.recvbuf,
  };
}

MpiBlocks sent_blocks(NeighborAllgatherCall const& call, Degrees) {
  return exec::equal_blocks(1, {.type = call.sendtype, .count = call.sendcount});
}

MpiBlocks sent_blocks(NeighborAllgathervCall const& call, Degrees) {
  return exec::equal_blocks(1, {.type = call.sendtype, .count = call.sendcount});
}

MpiBlocks sent_blocks(NeighborAlltoallCall const& call, Degrees degrees) {
  return exec::equal_blocks(degrees.out, {.type = call.sendtype, .count = call.sendcount});
}

MpiBlocks sent_blocks(NeighborAlltoallvCall const& call, Degrees degrees) {
  return exec::varying_blocks({
      .type = call.sendtype,
      .counts = call.sendcounts.first(degrees.out),
      .displacements = call.sdispls.first(degrees.out),
  });
}

MpiBlocks sent_blocks(NeighborAlltoallwCall const& call, Degrees degrees) {
  return typed(call.sendcounts, call.sdispls, call.sendtypes, degrees.out);
}

MpiBlocks received_blocks(NeighborAllgatherCall const& call, Degrees degrees) {
  return exec::equal_blocks(degrees.in, {.type = call.recvtype, .count = call.recvcount});
}

MpiBlocks received_blocks(NeighborAllgathervCall const& call, Degrees degrees) {
  return exec::varying_blocks({
      .type = call.recvtype,
      .counts = call.recvcounts.first(degrees.in),
      .displacements = call.displs.first(degrees.in),
  });
}

MpiBlocks received_blocks(NeighborAlltoallCall const& call, Degrees degrees) {
  return exec::equal_blocks(degrees.in, {.type = call.recvtype, .count = call.recvcount});
}

MpiBlocks received_blocks(NeighborAlltoallvCall const& call, Degrees degrees) {
  return exec::varying_blocks({
      .type = call.recvtype,
      .counts = call.recvcounts.first(degrees.in),
      .displacements = call.rdispls.first(degrees.in),
  });
}

MpiBlocks received_blocks(NeighborAlltoallwCall const& call, Degrees degrees) {
  return typed(call.recvcounts, call.rdispls, call.recvtypes, degrees.in);
}

}  // namespace espalier::plan
