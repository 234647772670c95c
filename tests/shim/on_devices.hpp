// SPDX-License-Identifier: Apache-2.0

/// @file
/// Included before a test of blocking collectives: on ranks of even numbers its buffers are in
/// device memory, which the processor cannot touch during a call. An algorithm of ours that did
/// would end the program, and so would the MPI libraries of these tests, which know no devices.

#pragma once

#include <cstddef>
#include <new>
#include <tuple>
#include <vector>

#include <mpi.h>

#include "tests/shim/support.hpp"
#include "tests/support/stand_in_devices.h"

namespace shim_test {

inline bool has_device() {
  return rank_of(MPI_COMM_WORLD) % 2 == 0;
}

/// Memory of devices on ranks that have one.
template <typename Element> struct DeviceAllocator {
  using value_type = Element;

  DeviceAllocator() = default;

  // Implicit, as allocators are.
  template <typename Other> DeviceAllocator(DeviceAllocator<Other> const&) noexcept {}

  Element* allocate(std::size_t num_elements) {
    std::size_t const num_bytes = num_elements * sizeof(Element);
    void* const memory = has_device() ? stand_in_allocate(num_bytes) : ::operator new(num_bytes);
    return static_cast<Element*>(memory);
  }

  void deallocate(Element* memory, std::size_t) noexcept {
    if (stand_in_holds(memory) != 0) {
      stand_in_free(memory);
    } else {
      ::operator delete(memory);
    }
  }

  friend bool operator==(DeviceAllocator const&, DeviceAllocator const&) { return true; }
};

using Storage = std::vector<int, DeviceAllocator<int>>;

/// The call with memory that is on the device. On one rank the native call is made, which takes
/// ordinary memory.
template <auto Call, typename... Arguments> int on_device(Arguments... arguments) {
  MPI_Comm const comm = std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
  bool const is_served = size_of(comm) > 1;
  if (is_served) {
    stand_in_lock();
  }
  int const code = Call(arguments...);
  if (is_served) {
    stand_in_unlock();
  }
  return code;
}

inline int finalize() {
  require(
      size_of(MPI_COMM_WORLD) == 1 || (stand_in_num_copies() > 0) == has_device(),
      "expected copies from and to devices where there are some, and none elsewhere"
  );
  return MPI_Finalize();
}

}  // namespace shim_test

#define SHIM_TEST_STORAGE

// The tests call functions of MPI by these names.
#define MPI_Allgather shim_test::on_device<::MPI_Allgather>
#define MPI_Allgatherv shim_test::on_device<::MPI_Allgatherv>
#define MPI_Allreduce shim_test::on_device<::MPI_Allreduce>
#define MPI_Alltoall shim_test::on_device<::MPI_Alltoall>
#define MPI_Alltoallv shim_test::on_device<::MPI_Alltoallv>
#define MPI_Alltoallw shim_test::on_device<::MPI_Alltoallw>
#define MPI_Bcast shim_test::on_device<::MPI_Bcast>
#define MPI_Exscan shim_test::on_device<::MPI_Exscan>
#define MPI_Finalize shim_test::finalize
#define MPI_Gather shim_test::on_device<::MPI_Gather>
#define MPI_Gatherv shim_test::on_device<::MPI_Gatherv>
#define MPI_Reduce shim_test::on_device<::MPI_Reduce>
#define MPI_Reduce_scatter shim_test::on_device<::MPI_Reduce_scatter>
#define MPI_Reduce_scatter_block shim_test::on_device<::MPI_Reduce_scatter_block>
#define MPI_Scan shim_test::on_device<::MPI_Scan>
#define MPI_Scatter shim_test::on_device<::MPI_Scatter>
#define MPI_Scatterv shim_test::on_device<::MPI_Scatterv>
