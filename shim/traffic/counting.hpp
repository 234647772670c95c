// SPDX-License-Identifier: Apache-2.0

/// @file
/// What wrappers call once a function of MPI succeeded: each adds what this rank sent by it. They
/// do nothing before MPI_Init, after MPI_Finalize, and for programs that did not ask. Includes no
/// mpi.h, whose declarations contradict those of the wrappers.

#pragma once

#include <cstddef>
#include <cstdint>

#include "shim/handle.hpp"

namespace espalier::shim::traffic {

class Amounts;

/// A number of elements.
struct Data {
  std::int64_t count = 0;
  Handle type = 0;
};

/// Counts as `int` or, in functions with large counts, of eight bytes.
class Counts {
public:
  Counts(int const* values) noexcept : values_(values) {}  // NOLINT(google-explicit-constructor)

  Counts(std::int64_t const* values) noexcept  // NOLINT(google-explicit-constructor)
      : values_(values), is_large_(true) {}

  [[nodiscard]] std::int64_t at(std::size_t position) const noexcept {
    return is_large_ ? static_cast<std::int64_t const*>(values_)[position]
                     : static_cast<int const*>(values_)[position];
  }

private:
  void const* values_;
  bool is_large_ = false;
};

struct Blocks {
  Counts counts;
  Handle type;
};

struct TypedBlocks {
  Counts counts;
  void const* types;
};

/// From now on what is sent is counted in these; nullptr ends it.
void count_in(Amounts* amounts) noexcept;

void message(std::int64_t count, Handle type, int destination, Handle comm) noexcept;

/// A persistent request that sends when it is started, some that were started, one that is freed.
void planned(
    std::int64_t count, Handle type, int destination, Handle comm, void const* request
) noexcept;
void started(int count, void const* requests) noexcept;
void forgotten(void const* request) noexcept;

void put(std::int64_t count, Handle type, int target, Handle window) noexcept;
void got(std::int64_t count, Handle type, int target, Handle window) noexcept;
void exchanged(Data origin, Data result, Handle op, int target, Handle window) noexcept;
void swapped(Handle type, int target, Handle window) noexcept;

void alltoall(void const* send, Data sent, Data received, Handle comm) noexcept;
void alltoallv(void const* send, Blocks sent, Blocks received, Handle comm) noexcept;
void alltoallw(void const* send, TypedBlocks sent, TypedBlocks received, Handle comm) noexcept;

void neighbor_alltoall(Data sent, Handle comm) noexcept;
void neighbor_alltoallv(Blocks sent, Handle comm) noexcept;
void neighbor_alltoallw(TypedBlocks sent, Handle comm) noexcept;

}  // namespace espalier::shim::traffic
