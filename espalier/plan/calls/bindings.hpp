// SPDX-License-Identifier: Apache-2.0

/// @file
/// From the arguments of a call to its executor, and to the key under which it may stay.
///
/// Executors of data without gaps know bytes only, whatever the handles of the types were. Those of
/// reductions keep the operator and the type, with which MPI calls the operator: a named type lives
/// for ever, and an operator is used only while a call with that very handle is under way.

#pragma once

#include <mpi.h>

#include "espalier/exec/mpi_executor.hpp"
#include "espalier/plan/calls/calls.hpp"
#include "espalier/plan/communicators/executor_cache.hpp"
#include "espalier/schedule/program.hpp"

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
};

// For each call two functions, found by overloading: what the cache needs to know (the choice is
// added by the caller), and the executor. @throws Error mpi; also unsupported and argument for the
// second one.

[[nodiscard]] Binding
bind(AllgatherCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding
bind(AllgathervCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding
bind(AllreduceCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding
bind(AlltoallCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding
bind(AlltoallvCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding
bind(AlltoallwCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding bind(BarrierCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding bind(BcastCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding bind(ExscanCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding bind(GatherCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding bind(GathervCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding bind(ReduceCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding
bind(ReduceScatterCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding
bind(ReduceScatterBlockCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding bind(ScanCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding bind(ScatterCall const& call, BindingTarget const& target, NamedTypes& types);
[[nodiscard]] Binding
bind(ScattervCall const& call, BindingTarget const& target, NamedTypes& types);

using exec::MpiExecutor;
using schedule::RankProgram;

[[nodiscard]] MpiExecutor
make_executor(AllgatherCall const& call, BindingTarget const& target, RankProgram const& program);
[[nodiscard]] MpiExecutor
make_executor(AllgathervCall const& call, BindingTarget const& target, RankProgram const& program);
[[nodiscard]] MpiExecutor
make_executor(AllreduceCall const& call, BindingTarget const& target, RankProgram const& program);
[[nodiscard]] MpiExecutor
make_executor(AlltoallCall const& call, BindingTarget const& target, RankProgram const& program);
[[nodiscard]] MpiExecutor
make_executor(AlltoallvCall const& call, BindingTarget const& target, RankProgram const& program);
[[nodiscard]] MpiExecutor
make_executor(AlltoallwCall const& call, BindingTarget const& target, RankProgram const& program);
[[nodiscard]] MpiExecutor
make_executor(BarrierCall const& call, BindingTarget const& target, RankProgram const& program);
[[nodiscard]] MpiExecutor
make_executor(BcastCall const& call, BindingTarget const& target, RankProgram const& program);
[[nodiscard]] MpiExecutor
make_executor(ExscanCall const& call, BindingTarget const& target, RankProgram const& program);
[[nodiscard]] MpiExecutor
make_executor(GatherCall const& call, BindingTarget const& target, RankProgram const& program);
[[nodiscard]] MpiExecutor
make_executor(GathervCall const& call, BindingTarget const& target, RankProgram const& program);
[[nodiscard]] MpiExecutor
make_executor(ReduceCall const& call, BindingTarget const& target, RankProgram const& program);
[[nodiscard]] MpiExecutor make_executor(
    ReduceScatterCall const& call, BindingTarget const& target, RankProgram const& program
);
[[nodiscard]] MpiExecutor make_executor(
    ReduceScatterBlockCall const& call, BindingTarget const& target, RankProgram const& program
);
[[nodiscard]] MpiExecutor
make_executor(ScanCall const& call, BindingTarget const& target, RankProgram const& program);
[[nodiscard]] MpiExecutor
make_executor(ScatterCall const& call, BindingTarget const& target, RankProgram const& program);
[[nodiscard]] MpiExecutor
make_executor(ScattervCall const& call, BindingTarget const& target, RankProgram const& program);

}  // namespace espalier::plan
