// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/device_buffers.hpp"

#include <algorithm>

#include "espalier/capi/own_work.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/communicators/underway.hpp"

namespace espalier::capi {
namespace {

/// Other ranks may come here only after what this rank has underway: that moves on meanwhile.
bool is_true_somewhere(MPI_Comm comm, bool is_true) {
  OwnWork const own_work;
  int const here = is_true ? 1 : 0;
  int somewhere = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::require_success(
      PMPI_Iallreduce(&here, &somewhere, 1, MPI_INT, MPI_MAX, comm, &request), "MPI_Iallreduce"
  );
  for (int is_complete = 0; is_complete == 0;) {
    plan::Underway::poll();
    mpi::require_success(PMPI_Test(&request, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
  }
  return somewhere != 0;
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
