// SPDX-License-Identifier: Apache-2.0

/// @file
/// Calls as numbers, by which a call is recognised that comes again.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "espalier/mpi/handle_bits.hpp"
#include "espalier/plan/calls/named_types.hpp"
#include "espalier/plan/calls/operators.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// A call and all its arguments; all zero: none. Two calls with the same words do the same, if what
/// their handles mean lasts and the memory is of the same kind.
using CallWords = std::array<std::uint64_t, 7>;

/// Calls whose arguments say everything: none of them is a list, which may have other numbers at
/// the same address.
template <typename Call>
inline constexpr bool is_all_in_words =
    !requires { Call::sendcounts; } && !requires { Call::recvcounts; };

template <typename Call>
[[gnu::always_inline]] inline CallWords words_of(Call const& call) noexcept {
  CallWords words{profile::index_of(Call::call) + 1};
  std::size_t next = 1;
  auto const add = [&](auto value) __attribute__((always_inline)) {
    words[next++] = mpi::bits_of(value);
  };
  if constexpr (requires { call.root; }) {
    words[0] |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(call.root)) << 32U;
  }
  if constexpr (requires { call.buffer; }) {
    add(call.buffer);
  }
  if constexpr (requires { call.sendbuf; }) {
    add(call.sendbuf);
    add(call.recvbuf);
  }
  if constexpr (requires { call.count; }) {
    add(call.count);
  }
  if constexpr (requires { call.sendcount; }) {
    add(call.sendcount);
    add(call.sendtype);
  }
  if constexpr (requires { call.recvcount; }) {
    add(call.recvcount);
  }
  if constexpr (requires { call.recvtype; }) {
    add(call.recvtype);
  }
  if constexpr (requires { call.datatype; }) {
    add(call.datatype);
  }
  if constexpr (requires { call.op; }) {
    add(call.op);
  }
  return words;
}

/// Whether the handles of a call mean the same for ever. Arguments that are not significant on this
/// rank may be anything; MPI is asked nothing.
template <typename Call> bool has_lasting_handles(Call const& call, NamedTypes const& types) {
  bool is_lasting = true;
  if constexpr (requires { call.datatype; }) {
    is_lasting = types.knows(call.datatype);
  }
  if constexpr (requires { call.sendtype; }) {
    is_lasting = types.knows(call.sendtype) && types.knows(call.recvtype);
  }
  if constexpr (requires { call.op; }) {
    is_lasting = is_lasting && is_predefined(call.op);
  }
  return is_lasting;
}

}  // namespace espalier::plan
