// SPDX-License-Identifier: Apache-2.0

/// @file
/// Arguments of the MPI functions that are served, as the user gave them, without the communicator.
///
/// A new function is one more struct with these members, a Communicator::run() for it, and a row in
/// shim/generator/functions.json.

#pragma once

#include <cstdint>
#include <optional>

#include <mpi.h>

#include "espalier/plan/named_types.hpp"
#include "espalier/tune/call.hpp"

namespace espalier::plan {

/// Where a call is made: facts of the communicator that are equal on all of its ranks, and the
/// rank.
struct Place {
  int num_ranks = 1;
  /// Ranks whose contributions are gathered: of the other group for an intercommunicator.
  int num_sources = 1;
  int rank = 0;
  bool is_intercommunicator = false;
};

struct AllgatherCall {
  static constexpr tune::Call call = tune::Call::allgather;

  void const* sendbuf;
  int sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  int recvcount;
  MPI_Datatype recvtype;

  /// Size of the whole result, equal on all ranks; none if the arguments are wrong, so that the
  /// MPI library has to complain.
  /// @throws Error mpi.
  [[nodiscard]] std::optional<std::int64_t> bytes(Place const& place, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct AllgathervCall {
  static constexpr tune::Call call = tune::Call::allgatherv;

  void const* sendbuf;
  int sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  int const* recvcounts;
  int const* displs;
  MPI_Datatype recvtype;

  [[nodiscard]] std::optional<std::int64_t> bytes(Place const& place, NamedTypes& types) const;

  [[nodiscard]] bool is_in_place() const noexcept { return sendbuf == MPI_IN_PLACE; }
};

struct BcastCall {
  static constexpr tune::Call call = tune::Call::bcast;

  void* buffer;
  int count;
  MPI_Datatype datatype;
  int root;

  [[nodiscard]] std::optional<std::int64_t> bytes(Place const& place, NamedTypes& types) const;
};

}  // namespace espalier::plan
