// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/messages/mpi_memory.hpp"

#include <cstring>
#include <new>

#include "espalier/exec/messages/mpi_native.hpp"

namespace espalier::exec {
namespace {

using Action = MpiStep::Action;

constexpr std::align_val_t alignment{64};

std::byte* allocate(std::size_t num_bytes) {
  return num_bytes == 0 ? nullptr : static_cast<std::byte*>(::operator new(num_bytes, alignment));
}

/// Calls visit(memory, num_bytes) for every run of the pieces of a gather or scatter.
template <typename Visitor>
void for_each_piece(
    MpiProgram const& program, Bases const& bases, MpiStep const& step, Visitor&& visit
) noexcept {
  for (int i = step.pieces.begin; i < step.pieces.end; ++i) {
    Piece const& piece = program.piece_pool[static_cast<std::size_t>(i)];
    for_each_run({&piece, 1}, [&](std::int64_t offset_bytes, std::int64_t num_bytes) {
      visit(bases.at(step.source, offset_bytes), static_cast<std::size_t>(num_bytes));
    });
  }
}

void gather(MpiProgram const& program, Bases const& bases, MpiStep const& step) noexcept {
  auto* to = static_cast<std::byte*>(bases.at(step.region));
  for_each_piece(program, bases, step, [&](void const* from, std::size_t num_bytes) {
    std::memcpy(to, from, num_bytes);
    to += num_bytes;
  });
}

void scatter(MpiProgram const& program, Bases const& bases, MpiStep const& step) noexcept {
  auto const* from = static_cast<std::byte const*>(bases.at(step.region));
  for_each_piece(program, bases, step, [&](void* to, std::size_t num_bytes) {
    std::memcpy(to, from, num_bytes);
    from += num_bytes;
  });
}

/// A message of the rank to itself.
int exchange(MPI_Comm comm, int own_tag, Bases const& bases, MpiTransfer const& transfer) noexcept {
  MpiRegion const& to = transfer.destination;
  MpiRegion const& from = transfer.source;
  int rank = 0;
  if (int const code = PMPI_Comm_rank(comm, &rank); code != MPI_SUCCESS) {
    return code;
  }
  return PMPI_Sendrecv(
      bases.at(from),
      from.count,
      from.type,
      rank,
      own_tag,
      bases.at(to),
      to.count,
      to.type,
      rank,
      own_tag,
      comm,
      MPI_STATUS_IGNORE
  );
}

}  // namespace

AlignedMemory::AlignedMemory(std::int64_t num_bytes)
    : num_bytes_(static_cast<std::size_t>(num_bytes)), data_(allocate(num_bytes_)) {}

void AlignedMemory::Release::operator()(std::byte* data) const noexcept {
  ::operator delete(data, alignment);
}

int run_local(
    MPI_Comm comm, MpiProgram const& program, Bases const& bases, MpiStep const& step
) noexcept {
  switch (step.action) {
  case Action::copy:
    std::memmove(
        bases.at(step.region),
        bases.at(step.source, step.source_offset_bytes),
        static_cast<std::size_t>(step.num_bytes)
    );
    return MPI_SUCCESS;
  case Action::gather:
    gather(program, bases, step);
    return MPI_SUCCESS;
  case Action::scatter:
    scatter(program, bases, step);
    return MPI_SUCCESS;
  case Action::reduce:
    return PMPI_Reduce_local(
        bases.at(step.source, step.source_offset_bytes),
        bases.at(step.region),
        step.region.count,
        step.region.type,
        program.op
    );
  case Action::native:
    return run_native(program.native_calls[static_cast<std::size_t>(step.peer)], program.op, bases);
  default:
    return run_transfer(
        comm, program.own_tag, bases, program.transfers[static_cast<std::size_t>(step.request)]
    );
  }
}

int run_transfer(
    MPI_Comm comm, int own_tag, Bases const& bases, MpiTransfer const& transfer
) noexcept {
  MpiRegion const& to = transfer.destination;
  MpiRegion const& from = transfer.source;
  // MPICH takes MPI_BOTTOM for a missing buffer when it packs.
  bool const has_bottom = bases.at(to) == MPI_BOTTOM || bases.at(from) == MPI_BOTTOM;
  int position = 0;
  switch (has_bottom ? MpiTransfer::Method::exchange : transfer.method) {
  case MpiTransfer::Method::pack:
    return PMPI_Pack(
        bases.at(from), from.count, from.type, bases.at(to), to.count, &position, comm
    );
  case MpiTransfer::Method::unpack:
    return PMPI_Unpack(
        bases.at(from), from.count, &position, bases.at(to), to.count, to.type, comm
    );
  case MpiTransfer::Method::exchange:
    break;
  }
  return exchange(comm, own_tag, bases, transfer);
}

}  // namespace espalier::exec
