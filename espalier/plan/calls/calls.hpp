// SPDX-License-Identifier: Apache-2.0

/// @file
/// Arguments of the MPI functions that are served, as the user gave them, without the communicator.
///
/// A new function is one more struct with these members, its functions in bindings.hpp, and a row
/// in espalier/calls/functions.json.
///
/// bytes() of rooted calls looks at what MPI says is significant on this rank only.

#pragma once

#include <cstdint>
#include <optional>

#include <mpi.h>

#include "espalier/plan/calls/named_types.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// Where a call is made: facts of the communicator that are equal on all of its ranks, and the
/// rank.
struct CommunicatorFacts {
  int num_ranks = 1;
  /// Ranks whose contributions are gathered: of the other group for an intercommunicator.
  int num_sources = 1;
  int rank = 0;
  bool is_intercommunicator = false;
};

struct AllgatherCall {
  static constexpr profile::Call call = profile::Call::allgather;

  void const* sendbuf;
  int sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  int recvcount;
  MPI_Datatype recvtype;

  /// Size of the whole result, equal on all ranks; none if the arguments are out of the ordinary on
  /// this rank, see irregular.hpp. 0 where profile::has_known_size() is false.
  /// @throws Error mpi.
  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct AllgathervCall {
  static constexpr profile::Call call = profile::Call::allgatherv;

  void const* sendbuf;
  int sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  int const* recvcounts;
  int const* displs;
  MPI_Datatype recvtype;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct AllreduceCall {
  static constexpr profile::Call call = profile::Call::allreduce;

  void const* sendbuf;
  void* recvbuf;
  int count;
  MPI_Datatype datatype;
  MPI_Op op;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct AlltoallCall {
  static constexpr profile::Call call = profile::Call::alltoall;

  void const* sendbuf;
  int sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  int recvcount;
  MPI_Datatype recvtype;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct AlltoallvCall {
  static constexpr profile::Call call = profile::Call::alltoallv;

  void const* sendbuf;
  int const* sendcounts;
  int const* sdispls;
  MPI_Datatype sendtype;
  void* recvbuf;
  int const* recvcounts;
  int const* rdispls;
  MPI_Datatype recvtype;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct AlltoallwCall {
  static constexpr profile::Call call = profile::Call::alltoallw;

  void const* sendbuf;
  int const* sendcounts;
  int const* sdispls;
  MPI_Datatype const* sendtypes;
  void* recvbuf;
  int const* recvcounts;
  int const* rdispls;
  MPI_Datatype const* recvtypes;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct BarrierCall {
  static constexpr profile::Call call = profile::Call::barrier;

  [[nodiscard]] static std::optional<std::int64_t> bytes(CommunicatorFacts const&, NamedTypes&) {
    return 0;
  }
};

struct BcastCall {
  static constexpr profile::Call call = profile::Call::bcast;

  void* buffer;
  int count;
  MPI_Datatype datatype;
  int root;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;
};

struct ExscanCall {
  static constexpr profile::Call call = profile::Call::exscan;

  void const* sendbuf;
  void* recvbuf;
  int count;
  MPI_Datatype datatype;
  MPI_Op op;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct GatherCall {
  static constexpr profile::Call call = profile::Call::gather;

  void const* sendbuf;
  int sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  int recvcount;
  MPI_Datatype recvtype;
  int root;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct GathervCall {
  static constexpr profile::Call call = profile::Call::gatherv;

  void const* sendbuf;
  int sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  int const* recvcounts;
  int const* displs;
  MPI_Datatype recvtype;
  int root;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct ReduceCall {
  static constexpr profile::Call call = profile::Call::reduce;

  void const* sendbuf;
  void* recvbuf;
  int count;
  MPI_Datatype datatype;
  MPI_Op op;
  int root;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct ReduceScatterCall {
  static constexpr profile::Call call = profile::Call::reduce_scatter;

  void const* sendbuf;
  void* recvbuf;
  int const* recvcounts;
  MPI_Datatype datatype;
  MPI_Op op;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct ReduceScatterBlockCall {
  static constexpr profile::Call call = profile::Call::reduce_scatter_block;

  void const* sendbuf;
  void* recvbuf;
  int recvcount;
  MPI_Datatype datatype;
  MPI_Op op;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct ScanCall {
  static constexpr profile::Call call = profile::Call::scan;

  void const* sendbuf;
  void* recvbuf;
  int count;
  MPI_Datatype datatype;
  MPI_Op op;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct ScatterCall {
  static constexpr profile::Call call = profile::Call::scatter;

  void const* sendbuf;
  int sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  int recvcount;
  MPI_Datatype recvtype;
  int root;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return recvbuf == MPI_IN_PLACE; }
};

struct ScattervCall {
  static constexpr profile::Call call = profile::Call::scatterv;

  void const* sendbuf;
  int const* sendcounts;
  int const* displs;
  MPI_Datatype sendtype;
  void* recvbuf;
  int recvcount;
  MPI_Datatype recvtype;
  int root;

  [[nodiscard]] std::optional<std::int64_t>
  bytes(CommunicatorFacts const& facts, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return recvbuf == MPI_IN_PLACE; }
};

}  // namespace espalier::plan
