// SPDX-License-Identifier: Apache-2.0

/// @file
/// Memory of the MPI executor, and what a rank does to it without others.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <mpi.h>

#include "espalier/exec/messages/mpi_program.hpp"

namespace espalier::exec {

/// Uninitialised memory, aligned to a cache line.
class AlignedMemory {
public:
  explicit AlignedMemory(std::int64_t num_bytes);

  [[nodiscard]] std::byte* get() const noexcept { return data_.get(); }

  [[nodiscard]] std::size_t num_bytes() const noexcept { return num_bytes_; }

private:
  struct Release {
    void operator()(std::byte* data) const noexcept;
  };

  std::size_t num_bytes_;
  std::unique_ptr<std::byte, Release> data_;
};

/// Addresses of the buffers in one run, by schedule::Buffer. MPI_BOTTOM is an address like any
/// other here, so sums are made on integers.
struct Bases {
  std::array<std::uintptr_t, 3> of_buffer{};

  [[nodiscard]] static std::uintptr_t address(void const* pointer) noexcept {
    return reinterpret_cast<std::uintptr_t>(pointer);
  }

  [[nodiscard]] void* at(schedule::Buffer buffer, std::int64_t offset_bytes) const noexcept {
    auto const base = of_buffer[static_cast<std::size_t>(buffer)];
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<void*>(base + static_cast<std::uintptr_t>(offset_bytes));
  }

  [[nodiscard]] void* at(MpiRegion const& region) const noexcept {
    return at(region.buffer, region.offset_bytes);
  }
};

/// Performs a step of action copy, gather, scatter, transfer or reduce.
/// @return MPI_SUCCESS or the code of an error.
int run_local(
    MPI_Comm comm, MpiProgram const& program, Bases const& bases, MpiStep const& step
) noexcept;

/// @param own_tag  of a message of the rank to itself
/// @return MPI_SUCCESS or the code of an error.
int run_transfer(
    MPI_Comm comm, int own_tag, Bases const& bases, MpiTransfer const& transfer
) noexcept;

}  // namespace espalier::exec
