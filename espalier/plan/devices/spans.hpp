// SPDX-License-Identifier: Apache-2.0

/// @file
/// Which memory a call reads and writes on this rank, by its arguments, gaps included.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <mpi.h>

#include "espalier/exec/memory/integers.hpp"
#include "espalier/exec/messages/mpi_executor.hpp"
#include "espalier/plan/calls/calls.hpp"
#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// Bytes from the first to the last, relative to an address that MPI gets.
struct Span {
  void const* address = nullptr;
  std::int64_t first = 0;
  std::int64_t end = 0;

  [[nodiscard]] bool is_empty() const noexcept { return first >= end; }

  [[nodiscard]] std::size_t size() const noexcept {
    return is_empty() ? 0 : static_cast<std::size_t>(end - first);
  }

  /// Where the first byte is; addresses may be absolute, and `address` 0.
  [[nodiscard]] void* begin() const noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): types may hold the whole address.
    return reinterpret_cast<void*>(
        reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(first)
    );
  }
};

/// Blocks of a call: how many elements, and where. Bytes from the address on if each block has a
/// type of its own, else extents.
struct Blocks {
  exec::Integers counts{};
  exec::Integers displacements{};
  int num_blocks = 0;
};

/// @throws Error mpi.
[[nodiscard]] Span span_of(void const* address, std::int64_t count, MPI_Datatype type);
[[nodiscard]] Span span_of(void const* address, Blocks const& blocks, MPI_Datatype type);
[[nodiscard]] Span span_of(void const* address, Blocks const& blocks, MPI_Datatype const* types);
[[nodiscard]] Span span_of(void const* address, exec::MpiBlocks const& blocks);

/// Sum of counts that are not negative.
[[nodiscard]] std::int64_t sum_of(exec::Integers counts, int num_counts) noexcept;

/// What this rank sends; empty if it is where the result goes.
/// @throws Error mpi.
template <typename Call> Span sent_span(Call const& call, CommunicatorFacts const& facts) {
  int const p = facts.num_ranks;
  if constexpr (requires { call.sendbuf; }) {
    bool is_significant = call.sendbuf != MPI_IN_PLACE;
    if constexpr (Call::call == profile::Call::scatter || Call::call == profile::Call::scatterv) {
      is_significant = facts.rank == call.root;
    }
    if (!is_significant) {
      return {};
    }
    if constexpr (requires { call.sendtypes; }) {
      return span_of(call.sendbuf, {call.sendcounts, call.sdispls, p}, call.sendtypes);
    } else if constexpr (requires { call.sdispls; }) {
      return span_of(call.sendbuf, {call.sendcounts, call.sdispls, p}, call.sendtype);
    } else if constexpr (Call::call == profile::Call::scatterv) {
      return span_of(call.sendbuf, {call.sendcounts, call.displs, p}, call.sendtype);
    } else if constexpr (requires { call.sendcount; }) {
      bool const is_divided =
          Call::call == profile::Call::scatter || Call::call == profile::Call::alltoall;
      return span_of(call.sendbuf, call.sendcount * (is_divided ? p : 1), call.sendtype);
    } else if constexpr (requires { call.count; }) {
      return span_of(call.sendbuf, call.count, call.datatype);
    } else if constexpr (requires { call.recvcounts; }) {
      return span_of(call.sendbuf, sum_of(call.recvcounts, p), call.datatype);
    } else {
      return span_of(call.sendbuf, call.recvcount * p, call.datatype);
    }
  }
  return {};
}

/// What this rank gets, and what it sends from there.
/// @throws Error mpi.
template <typename Call> Span received_span(Call const& call, CommunicatorFacts const& facts) {
  int const p = facts.num_ranks;
  if constexpr (requires { call.buffer; }) {
    return span_of(call.buffer, call.count, call.datatype);
  } else if constexpr (requires { call.recvbuf; }) {
    bool is_significant = call.recvbuf != MPI_IN_PLACE;
    if constexpr (Call::call == profile::Call::gather || Call::call == profile::Call::gatherv ||
                  Call::call == profile::Call::reduce) {
      is_significant = facts.rank == call.root;
    }
    if (!is_significant) {
      return {};
    }
    bool const is_in_place = call.is_in_place();
    if constexpr (requires { call.recvtypes; }) {
      return span_of(call.recvbuf, {call.recvcounts, call.rdispls, p}, call.recvtypes);
    } else if constexpr (requires { call.rdispls; }) {
      return span_of(call.recvbuf, {call.recvcounts, call.rdispls, p}, call.recvtype);
    } else if constexpr (requires { call.recvcounts; } && requires { call.recvtype; }) {
      return span_of(call.recvbuf, {call.recvcounts, call.displs, p}, call.recvtype);
    } else if constexpr (requires { call.recvcount; } && requires { call.recvtype; }) {
      bool const is_one =
          Call::call == profile::Call::scatter || Call::call == profile::Call::scatterv;
      return span_of(call.recvbuf, call.recvcount * (is_one ? 1 : p), call.recvtype);
    } else if constexpr (requires { call.recvcounts; }) {
      std::int64_t const own = call.recvcounts[facts.rank];
      return span_of(call.recvbuf, is_in_place ? sum_of(call.recvcounts, p) : own, call.datatype);
    } else if constexpr (requires { call.recvcount; }) {
      return span_of(call.recvbuf, call.recvcount * (is_in_place ? p : 1), call.datatype);
    } else {
      return span_of(call.recvbuf, call.count, call.datatype);
    }
  }
  return {};
}

}  // namespace espalier::plan
