// SPDX-License-Identifier: Apache-2.0

#include "shim/traffic/counting.hpp"

#include <atomic>
#include <optional>
#include <vector>

#include <mpi.h>

#include "shim/traffic/amounts.hpp"
#include "shim/traffic/members.hpp"
#include "shim/traffic/planned_sends.hpp"
#include "shim/traffic/quietly.hpp"

namespace espalier::shim::traffic {
namespace {

constinit std::atomic<Amounts*> current{nullptr};

/// Never destroyed: threads may still send when the process ends.
PlannedSends& planned_sends() {
  static auto* const sends = new PlannedSends;
  return *sends;
}

std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) noexcept {
  MPI_Count size = 0;
  if (count == 0 || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) {
    return 0;
  }
  return count * static_cast<std::int64_t>(size);
}

std::int64_t bytes_of(Data data) noexcept {
  return bytes_of(data.count, from_handle<MPI_Datatype>(data.type));
}

/// The rank of MPI_COMM_WORLD, nothing for MPI_PROC_NULL and messages that are not the program's.
std::optional<int> world_rank(Members const* members, int rank) noexcept {
  bool const is_rank = rank >= 0;
  if (members == nullptr || members->is_own || !is_rank) {
    return std::nullopt;
  }
  auto const position = static_cast<std::size_t>(rank);
  return position < members->ranks.size() ? std::optional(members->ranks[position]) : std::nullopt;
}

std::optional<int> world_rank(Handle comm, int rank) noexcept {
  return world_rank(members_of(from_handle<MPI_Comm>(comm)), rank);
}

std::optional<int> target_rank(Handle window, int rank) noexcept {
  return world_rank(members_of_window(from_handle<MPI_Win>(window)), rank);
}

/// Adds a message to each of some ranks; parts of no bytes are none.
template <typename BytesTo>
void add_parts(
    Amounts& amounts, Kind kind, std::vector<int> const& ranks, BytesTo const& bytes_to
) noexcept {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    std::int64_t const bytes = ranks[i] == nobody ? 0 : bytes_to(i);
    if (bytes > 0) {
      amounts.add_sent(kind, ranks[i], bytes);
    }
  }
}

template <typename BytesTo> void add_alltoall(Handle comm, BytesTo const& bytes_to) noexcept {
  Amounts* const amounts = current.load(std::memory_order_acquire);
  if (amounts == nullptr) {
    return;
  }
  Members const* const members = members_of(from_handle<MPI_Comm>(comm));
  if (members != nullptr && !members->is_own) {
    add_parts(*amounts, Kind::alltoall, members->ranks, bytes_to);
  }
}

template <typename BytesTo> void add_neighbors(Handle comm, BytesTo const& bytes_to) noexcept {
  Amounts* const amounts = current.load(std::memory_order_acquire);
  if (amounts == nullptr) {
    return;
  }
  Members const* const members = members_of(from_handle<MPI_Comm>(comm));
  if (members != nullptr && !members->is_own) {
    add_parts(*amounts, Kind::neighborhood, members->destinations, bytes_to);
  }
}

std::int64_t part(Blocks const& blocks, std::size_t position) noexcept {
  return bytes_of(blocks.counts.at(position), from_handle<MPI_Datatype>(blocks.type));
}

std::int64_t part(TypedBlocks const& blocks, std::size_t position) noexcept {
  return bytes_of(
      blocks.counts.at(position), static_cast<MPI_Datatype const*>(blocks.types)[position]
  );
}

}  // namespace

void count_in(Amounts* amounts) noexcept {
  current.store(amounts, std::memory_order_release);
}

void message(std::int64_t count, Handle type, int destination, Handle comm) noexcept {
  Amounts* const amounts = current.load(std::memory_order_acquire);
  if (amounts == nullptr) {
    return;
  }
  if (auto const rank = world_rank(comm, destination)) {
    amounts->add_sent(Kind::point_to_point, *rank, bytes_of({count, type}));
  }
}

void planned(
    std::int64_t count, Handle type, int destination, Handle comm, void const* request
) noexcept {
  if (current.load(std::memory_order_acquire) == nullptr) {
    return;
  }
  if (auto const rank = world_rank(comm, destination)) {
    quietly([&] {
      PlannedSend const send{.rank = *rank, .bytes = bytes_of({count, type})};
      planned_sends().add(*static_cast<MPI_Request const*>(request), send);
    });
  }
}

void started(int count, void const* requests) noexcept {
  Amounts* const amounts = current.load(std::memory_order_acquire);
  for (int i = 0; amounts != nullptr && i < count; ++i) {
    if (auto const send = planned_sends().find(static_cast<MPI_Request const*>(requests)[i])) {
      amounts->add_sent(Kind::point_to_point, send->rank, send->bytes);
    }
  }
}

void forgotten(void const* request) noexcept {
  if (current.load(std::memory_order_acquire) != nullptr && request != nullptr) {
    planned_sends().remove(*static_cast<MPI_Request const*>(request));
  }
}

void put(std::int64_t count, Handle type, int target, Handle window) noexcept {
  Amounts* const amounts = current.load(std::memory_order_acquire);
  if (amounts == nullptr) {
    return;
  }
  if (auto const rank = target_rank(window, target)) {
    amounts->add_sent(Kind::one_sided, *rank, bytes_of({count, type}));
  }
}

void got(std::int64_t count, Handle type, int target, Handle window) noexcept {
  Amounts* const amounts = current.load(std::memory_order_acquire);
  if (amounts == nullptr) {
    return;
  }
  if (auto const rank = target_rank(window, target)) {
    amounts->add_fetched(*rank, bytes_of({count, type}));
  }
}

void exchanged(Data origin, Data result, Handle op, int target, Handle window) noexcept {
  if (from_handle<MPI_Op>(op) != MPI_NO_OP) {
    put(origin.count, origin.type, target, window);
  }
  got(result.count, result.type, target, window);
}

void swapped(Handle type, int target, Handle window) noexcept {
  put(2, type, target, window);
  got(1, type, target, window);
}

void alltoall(void const* send, Data sent, Data received, Handle comm) noexcept {
  Data const data = send == MPI_IN_PLACE ? received : sent;
  add_alltoall(comm, [bytes = bytes_of(data)](std::size_t) { return bytes; });
}

void alltoallv(void const* send, Blocks sent, Blocks received, Handle comm) noexcept {
  Blocks const& blocks = send == MPI_IN_PLACE ? received : sent;
  add_alltoall(comm, [&](std::size_t position) { return part(blocks, position); });
}

void alltoallw(void const* send, TypedBlocks sent, TypedBlocks received, Handle comm) noexcept {
  TypedBlocks const& blocks = send == MPI_IN_PLACE ? received : sent;
  add_alltoall(comm, [&](std::size_t position) { return part(blocks, position); });
}

void neighbor_alltoall(Data sent, Handle comm) noexcept {
  add_neighbors(comm, [bytes = bytes_of(sent)](std::size_t) { return bytes; });
}

void neighbor_alltoallv(Blocks sent, Handle comm) noexcept {
  add_neighbors(comm, [&](std::size_t position) { return part(sent, position); });
}

void neighbor_alltoallw(TypedBlocks sent, Handle comm) noexcept {
  add_neighbors(comm, [&](std::size_t position) { return part(sent, position); });
}

}  // namespace espalier::shim::traffic
