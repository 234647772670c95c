// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicator.hpp"

#include <cstdint>
#include <span>
#include <utility>

#include "espalier/exec/layout.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::plan {
namespace {

using algorithms::Choice;
using exec::MpiExecutor;
using exec::TypedCount;
using schedule::RankProgram;

TypedCount bytes_of(std::int64_t num_bytes) noexcept {
  return {.type = MPI_BYTE, .count = num_bytes};
}

/// The contribution as the user gave it; nothing in place.
template <typename Call> TypedCount contribution(Call const& call) noexcept {
  return call.is_in_place() ? TypedCount{}
                            : TypedCount{.type = call.sendtype, .count = call.sendcount};
}

/// True if contribution and result can travel as bytes.
template <typename Call> bool is_gapless(Call const& call, NamedTypes& types) {
  return types.facts(call.recvtype).is_gapless &&
         (call.is_in_place() || types.facts(call.sendtype).is_gapless);
}

}  // namespace

Communicator::~Communicator() {
  executors_.clear();
  if (private_ != MPI_COMM_NULL) {
    PMPI_Comm_free(&private_);
  }
}

void Communicator::abandon() noexcept {
  executors_.clear();
  private_ = MPI_COMM_NULL;
}

/// Not MPI_Comm_dup: that would call the copy functions of the user's attributes, and hand over
/// hints and topologies that mean nothing here.
int Communicator::make_private() {
  if (private_ != MPI_COMM_NULL) {
    return MPI_SUCCESS;
  }
  MPI_Group group = MPI_GROUP_NULL;
  int code = PMPI_Comm_group(user_, &group);
  if (code != MPI_SUCCESS) {
    return code;
  }
  code = PMPI_Comm_create(user_, group, &private_);
  PMPI_Group_free(&group);
  if (code == MPI_SUCCESS) {
    code = PMPI_Comm_set_errhandler(private_, MPI_ERRORS_RETURN);
  }
  return code;
}

template <typename Action> int Communicator::guarded(Action&& action) noexcept {
  int code = broken_code_;
  if (code == MPI_SUCCESS) {
    code = guard(std::forward<Action>(action));
  }
  if (code == MPI_SUCCESS || code == refused) {
    return code;
  }
  broken_code_ = code;
  return raise(user_, code);
}

template <typename Make>
int Communicator::run_cached(
    ExecutorKey const& key, CountsKey const& counts, void const* input, void* output, Make&& make
) {
  MpiExecutor* executor = executors_.find(key, counts);
  if (executor == nullptr) {
    RankProgram const* const program = programs_.get(*key.choice, num_ranks_, key.root, rank_);
    if (program == nullptr) {
      return refused;
    }
    if (int const code = make_private(); code != MPI_SUCCESS) {
      return code;
    }
    executor = &executors_.insert(key, counts, std::forward<Make>(make)(*program));
  }
  return executor->run(input, output);
}

template <typename Make>
int Communicator::run_once(
    Choice const& choice, int root, void const* input, void* output, Make&& make
) {
  RankProgram const* const program = programs_.get(choice, num_ranks_, root, rank_);
  if (program == nullptr) {
    return refused;
  }
  if (int const code = make_private(); code != MPI_SUCCESS) {
    return code;
  }
  return std::forward<Make>(make)(*program).run(input, output);
}

int Communicator::run(Choice const& choice, AllgatherCall const& call) noexcept {
  return guarded([&] {
    if (!is_gapless(call, types_)) {
      return run_once(choice, 0, call.sendbuf, call.recvbuf, [&](RankProgram const& program) {
        TypedCount const block{.type = call.recvtype, .count = call.recvcount};
        return exec::allgather_executor(program, private_, contribution(call), block);
      });
    }
    std::int64_t const block_bytes = call.recvcount * types_.facts(call.recvtype).size_bytes;
    ExecutorKey const key{
        .choice = &choice,
        .call = AllgatherCall::call,
        .is_in_place = call.is_in_place(),
        .bytes = block_bytes,
    };
    return run_cached(key, {}, call.sendbuf, call.recvbuf, [&](RankProgram const& program) {
      TypedCount const input = call.is_in_place() ? TypedCount{} : bytes_of(block_bytes);
      return exec::allgather_executor(program, private_, input, bytes_of(block_bytes));
    });
  });
}

int Communicator::run(Choice const& choice, AllgathervCall const& call) noexcept {
  return guarded([&] {
    auto const num_ranks = static_cast<std::size_t>(num_ranks_);
    CountsKey const counts{
        .counts = {call.recvcounts, num_ranks},
        .displacements = {call.displs, num_ranks},
    };
    if (!is_gapless(call, types_)) {
      return run_once(choice, 0, call.sendbuf, call.recvbuf, [&](RankProgram const& program) {
        return exec::allgatherv_executor(
            program,
            private_,
            contribution(call),
            call.recvtype,
            counts.counts,
            counts.displacements
        );
      });
    }
    ExecutorKey const key{
        .choice = &choice,
        .call = AllgathervCall::call,
        .is_in_place = call.is_in_place(),
        .bytes = types_.facts(call.recvtype).size_bytes,
    };
    return run_cached(key, counts, call.sendbuf, call.recvbuf, [&](RankProgram const& program) {
      return allgatherv_in_bytes(program, call, key.bytes);
    });
  });
}

/// Counts and displacements in bytes may be larger than an int, so the layout is made here.
MpiExecutor Communicator::allgatherv_in_bytes(
    RankProgram const& program, AllgathervCall const& call, std::int64_t element_bytes
) const {
  auto const num_ranks = static_cast<std::size_t>(num_ranks_);
  exec::Layout const elements = exec::Layout::varying(
      std::span(call.recvcounts, num_ranks), std::span(call.displs, num_ranks), element_bytes
  );
  exec::MpiSpec spec{.comm = private_, .output_type = MPI_BYTE, .output = elements.in_bytes()};
  if (call.is_in_place()) {
    return {program, spec};
  }
  spec.input = bytes_of(call.recvcounts[rank_] * element_bytes);
  return {schedule::from_input(program, rank_), spec};
}

int Communicator::run(Choice const& choice, BcastCall const& call) noexcept {
  return guarded([&] {
    TypeFacts const type = types_.facts(call.datatype);
    if (!type.is_gapless) {
      auto const make = [&](RankProgram const& program) {
        TypedCount const message{.type = call.datatype, .count = call.count};
        return exec::bcast_executor(program, private_, message, call.root);
      };
      return run_once(choice, call.root, nullptr, call.buffer, make);
    }
    ExecutorKey const key{
        .choice = &choice,
        .call = BcastCall::call,
        .root = call.root,
        .bytes = call.count * type.size_bytes,
    };
    return run_cached(key, {}, nullptr, call.buffer, [&](RankProgram const& program) {
      return exec::bcast_executor(program, private_, bytes_of(key.bytes), call.root);
    });
  });
}

std::size_t Communicator::memory_bytes() const noexcept {
  return sizeof(*this) - sizeof(programs_) - sizeof(executors_) + programs_.memory_bytes() +
         executors_.memory_bytes();
}

}  // namespace espalier::plan
