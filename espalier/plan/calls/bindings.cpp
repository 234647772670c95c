// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/calls/bindings.hpp"

#include <cstdint>
#include <span>

#include "espalier/exec/collectives/mpi_collectives.hpp"
#include "espalier/plan/calls/binding_rules.hpp"

namespace espalier::plan {
namespace {

using exec::MpiExecutor;
using exec::TypedBlocks;
using exec::TypedCount;
using exec::VaryingBlocks;
using schedule::RankProgram;

template <typename Value>
std::span<Value const> list(Value const* values, BindingTarget const& target) {
  return {values, static_cast<std::size_t>(target.num_ranks)};
}

/// What the caller sends, and gets, where the call speaks of one block each.
template <typename Call> TypedCount sent(Call const& call) noexcept {
  return {.type = call.sendtype, .count = call.sendcount};
}

template <typename Call> TypedCount received(Call const& call) noexcept {
  return {.type = call.recvtype, .count = call.recvcount};
}

/// What a rank that is not the root knows of the parts of others.
VaryingBlocks agreed_parts(BindingTarget const& target) noexcept {
  return {.type = MPI_BYTE, .counts = target.agreed_bytes};
}

/// The contribution as the user gave it; nothing in place.
template <typename Call> TypedCount contribution(Call const& call) noexcept {
  return call.is_in_place() ? TypedCount{} : sent(call);
}

/// Of allgather and alltoall: blocks of one size.
template <typename Call> Binding bind_blocks(Call const& call, NamedTypes& types) {
  TypeFacts const to = types.facts(call.recvtype);
  return {
      .key =
          {
              .call = Call::call,
              .is_in_place = call.is_in_place(),
              .bytes = call.recvcount * to.size_bytes,
          },
      .may_stay = to.is_gapless && (call.is_in_place() || types.facts(call.sendtype).is_gapless),
      .input = call.sendbuf,
      .output = call.recvbuf,
  };
}

/// Of a gather or scatter on a rank that has one block only.
template <typename Call> Binding bind_leaf(Call const& call, TypedCount own, NamedTypes& types) {
  TypeFacts const type = types.facts(own.type);
  return {
      .key = {.call = Call::call, .root = call.root, .bytes = own.count * type.size_bytes},
      .may_stay = type.is_gapless,
      .input = call.sendbuf,
      .output = call.recvbuf,
  };
}

/// The same on the root: blocks of `all` for each rank, and the own one.
template <typename Call>
Binding bind_root(Call const& call, TypedCount all, MPI_Datatype own, NamedTypes& types) {
  Binding binding = bind_leaf(call, all, types);
  binding.key.is_in_place = call.is_in_place();
  binding.may_stay = binding.may_stay && (call.is_in_place() || types.facts(own).is_gapless);
  return binding;
}

}  // namespace

Binding bind(AllgatherCall const& call, BindingTarget const&, NamedTypes& types) {
  return bind_blocks(call, types);
}

MpiExecutor
make_executor(AllgatherCall const& call, BindingTarget const& target, RankProgram const& program) {
  return exec::allgather_executor(program, target.context, contribution(call), received(call));
}

Binding bind(AllgathervCall const& call, BindingTarget const& target, NamedTypes& types) {
  TypeFacts const to = types.facts(call.recvtype);
  return {
      .key =
          {
              .call = AllgathervCall::call,
              .is_in_place = call.is_in_place(),
              .bytes = to.size_bytes,
          },
      .counts = {call.recvcounts.first(target.num_ranks), call.displs.first(target.num_ranks)},
      .may_stay = to.is_gapless && (call.is_in_place() || types.facts(call.sendtype).is_gapless),
      .input = call.sendbuf,
      .output = call.recvbuf,
  };
}

MpiExecutor
make_executor(AllgathervCall const& call, BindingTarget const& target, RankProgram const& program) {
  return exec::allgatherv_executor(
      program,
      target.context,
      contribution(call),
      call.recvtype,
      call.recvcounts.first(target.num_ranks),
      call.displs.first(target.num_ranks)
  );
}

Binding bind(AlltoallCall const& call, BindingTarget const&, NamedTypes& types) {
  return bind_blocks(call, types);
}

MpiExecutor
make_executor(AlltoallCall const& call, BindingTarget const& target, RankProgram const& program) {
  return exec::alltoall_executor(program, target.context, contribution(call), received(call));
}

Binding bind(AlltoallvCall const& call, BindingTarget const& target, NamedTypes& types) {
  TypeFacts const to = types.facts(call.recvtype);
  Binding binding{
      .key =
          {
              .call = AlltoallvCall::call,
              .is_in_place = call.is_in_place(),
              .bytes = to.size_bytes,
          },
      .counts =
          {call.recvcounts.first(target.num_ranks), call.rdispls.first(target.num_ranks), {}, {}},
      .may_stay = to.is_gapless,
      .input = call.sendbuf,
      .output = call.recvbuf,
  };
  if (!call.is_in_place()) {
    TypeFacts const from = types.facts(call.sendtype);
    binding.key.input_bytes = from.size_bytes;
    binding.counts[2] = call.sendcounts.first(target.num_ranks);
    binding.counts[3] = call.sdispls.first(target.num_ranks);
    binding.may_stay = to.is_gapless && from.is_gapless;
  }
  return binding;
}

MpiExecutor
make_executor(AlltoallvCall const& call, BindingTarget const& target, RankProgram const& program) {
  VaryingBlocks send;
  if (!call.is_in_place()) {
    send = {
        call.sendtype, call.sendcounts.first(target.num_ranks), call.sdispls.first(target.num_ranks)
    };
  }
  return exec::alltoallv_executor(
      program,
      target.context,
      send,
      {call.recvtype, call.recvcounts.first(target.num_ranks), call.rdispls.first(target.num_ranks)
      },
      {target.agreed_bytes.begin(), target.agreed_bytes.end()}
  );
}

Binding bind(AlltoallwCall const& call, BindingTarget const&, NamedTypes&) {
  return {.may_stay = false, .input = call.sendbuf, .output = call.recvbuf};
}

MpiExecutor
make_executor(AlltoallwCall const& call, BindingTarget const& target, RankProgram const& program) {
  TypedBlocks send;
  if (!call.is_in_place()) {
    send = {
        call.sendcounts.first(target.num_ranks),
        call.sdispls.first(target.num_ranks),
        list(call.sendtypes, target),
    };
  }
  return exec::alltoallw_executor(
      program,
      target.context,
      send,
      {call.recvcounts.first(target.num_ranks),
       call.rdispls.first(target.num_ranks),
       list(call.recvtypes, target)},
      {target.agreed_bytes.begin(), target.agreed_bytes.end()}
  );
}

Binding bind(BarrierCall const&, BindingTarget const&, NamedTypes&) {
  return {.key = {.call = BarrierCall::call}};
}

MpiExecutor
make_executor(BarrierCall const&, BindingTarget const& target, RankProgram const& program) {
  return exec::barrier_executor(program, target.context);
}

Binding bind(BcastCall const& call, BindingTarget const&, NamedTypes& types) {
  TypeFacts const type = types.facts(call.datatype);
  return {
      .key = {.call = BcastCall::call, .root = call.root, .bytes = call.count * type.size_bytes},
      .may_stay = type.is_gapless,
      .output = call.buffer,
  };
}

MpiExecutor
make_executor(BcastCall const& call, BindingTarget const& target, RankProgram const& program) {
  TypedCount const message{.type = call.datatype, .count = call.count};
  return exec::bcast_executor(program, target.context, message, call.root);
}

Binding bind(GatherCall const& call, BindingTarget const& target, NamedTypes& types) {
  return target.rank == call.root ? bind_root(call, received(call), call.sendtype, types)
                                  : bind_leaf(call, sent(call), types);
}

MpiExecutor
make_executor(GatherCall const& call, BindingTarget const& target, RankProgram const& program) {
  return target.rank == call.root
             ? exec::gather_executor(
                   program, target.context, contribution(call), received(call), call.root
               )
             : exec::gather_executor(program, target.context, sent(call), {}, call.root);
}

Binding bind(GathervCall const& call, BindingTarget const& target, NamedTypes& types) {
  if (target.rank != call.root) {
    return bind_leaf(call, sent(call), types);
  }
  Binding binding = bind_root(call, {call.recvtype, 1}, call.sendtype, types);
  binding.counts = {call.recvcounts.first(target.num_ranks), call.displs.first(target.num_ranks)};
  return binding;
}

MpiExecutor
make_executor(GathervCall const& call, BindingTarget const& target, RankProgram const& program) {
  if (target.rank != call.root) {
    return exec::gatherv_executor(
        program, target.context, sent(call), agreed_parts(target), call.root
    );
  }
  VaryingBlocks const all{
      call.recvtype, call.recvcounts.first(target.num_ranks), call.displs.first(target.num_ranks)
  };
  return exec::gatherv_executor(program, target.context, contribution(call), all, call.root);
}

Binding bind(ReduceCall const& call, BindingTarget const& target, NamedTypes& types) {
  Binding binding = bind_elements(call, call.count, types);
  binding.key.root = call.root;
  binding.key.is_in_place = target.rank == call.root && call.is_in_place();
  return binding;
}

MpiExecutor
make_executor(ReduceCall const& call, BindingTarget const& target, RankProgram const& program) {
  return exec::reduce_executor(program, target.context, call.count, reduction(call), call.root);
}

Binding bind(ReduceScatterCall const& call, BindingTarget const& target, NamedTypes& types) {
  Binding binding = bind_elements(call, 1, types);
  binding.counts = {call.recvcounts.first(target.num_ranks)};
  return binding;
}

MpiExecutor make_executor(
    ReduceScatterCall const& call, BindingTarget const& target, RankProgram const& program
) {
  auto const counts = call.recvcounts.first(target.num_ranks);
  return exec::reduce_scatter_executor(program, target.context, counts, reduction(call));
}

Binding bind(ReduceScatterBlockCall const& call, BindingTarget const&, NamedTypes& types) {
  return bind_elements(call, call.recvcount, types);
}

MpiExecutor make_executor(
    ReduceScatterBlockCall const& call, BindingTarget const& target, RankProgram const& program
) {
  return exec::reduce_scatter_block_executor(
      program, target.context, call.recvcount, reduction(call)
  );
}

Binding bind(ScatterCall const& call, BindingTarget const& target, NamedTypes& types) {
  return target.rank == call.root ? bind_root(call, sent(call), call.recvtype, types)
                                  : bind_leaf(call, received(call), types);
}

MpiExecutor
make_executor(ScatterCall const& call, BindingTarget const& target, RankProgram const& program) {
  if (target.rank != call.root) {
    return exec::scatter_executor(program, target.context, {}, received(call), call.root);
  }
  TypedCount const own = call.is_in_place() ? TypedCount{} : received(call);
  return exec::scatter_executor(program, target.context, sent(call), own, call.root);
}

Binding bind(ScattervCall const& call, BindingTarget const& target, NamedTypes& types) {
  if (target.rank != call.root) {
    return bind_leaf(call, received(call), types);
  }
  Binding binding = bind_root(call, {call.sendtype, 1}, call.recvtype, types);
  binding.counts = {call.sendcounts.first(target.num_ranks), call.displs.first(target.num_ranks)};
  return binding;
}

MpiExecutor
make_executor(ScattervCall const& call, BindingTarget const& target, RankProgram const& program) {
  if (target.rank != call.root) {
    return exec::scatterv_executor(
        program, target.context, agreed_parts(target), received(call), call.root
    );
  }
  VaryingBlocks const all{
      call.sendtype, call.sendcounts.first(target.num_ranks), call.displs.first(target.num_ranks)
  };
  TypedCount const own = call.is_in_place() ? TypedCount{} : received(call);
  return exec::scatterv_executor(program, target.context, all, own, call.root);
}

}  // namespace espalier::plan
