// SPDX-License-Identifier: Apache-2.0

/// @file
/// From the arguments of a call to its executor, and to the key under which it may stay.
///
/// Executors of data without gaps know bytes only, whatever the handles of the types were. Those of
/// reductions keep the operator and the type, with which MPI calls the operator: a named type lives
/// for ever, and an operator is used only while a call with that very handle is under way.

#pragma once

#include <cstdint>
#include <span>

#include <mpi.h>

#include "espalier/exec/messages/mpi_context.hpp"
#include "espalier/plan/communicators/executor_cache.hpp"

namespace espalier::plan {

/// A call as the cache of executors sees it.
struct Binding {
  ExecutorKey key{};
  CountsKey counts{};
  /// False: the executor is for this call only, since handles may mean something else tomorrow.
  bool may_stay = true;
  void const* input = nullptr;
  void* output = nullptr;
};

/// What calls are bound for: a rank of a communicator, and the context of its messages.
struct BindingTarget {
  exec::MpiContext context{};
  int num_ranks = 1;
  int rank = 0;
  /// Where ranks agreed on sizes, for programs that keep blocks of others: bytes of the part of
  /// each rank, in an alltoallv or alltoallw of each scratch block.
  std::span<std::int64_t const> agreed_bytes{};
};

}  // namespace espalier::plan
