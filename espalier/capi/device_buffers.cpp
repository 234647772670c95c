// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/device_buffers.hpp"

#include <algorithm>
#include <cstdint>

#include "espalier/capi/own_work.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/communicators/patient_reduction.hpp"

namespace espalier::capi {
namespace {

bool is_true_somewhere(MPI_Comm comm, bool is_true) {
  OwnWork const own_work;
  std::int64_t word = is_true ? 1 : 0;
  mpi::require_success(plan::find_largest({&word, 1}, comm), "MPI_Iallreduce");
  return word != 0;
}

}  // namespace

DeviceBuffers DeviceBuffers::among(MPI_Comm comm) {
  DeviceBuffers found;
  found.memory_ = plan::DeviceMemory::of_process();
  found.are_possible_ = is_true_somewhere(comm, found.memory_.is_present());
  return found;
}

bool DeviceBuffers::hold_any(std::span<plan::Span const> spans, MPI_Comm comm) const {
  return is_true_somewhere(comm, is_any_in(memory_, spans));
}

bool is_any_in(plan::DeviceMemory const& memory, std::span<plan::Span const> spans) noexcept {
  return memory.is_present() && std::ranges::any_of(spans, [&](plan::Span const& span) {
           return !span.is_empty() && memory.holder(span.begin()) != nullptr;
         });
}

}  // namespace espalier::capi
