// SPDX-License-Identifier: Apache-2.0

#include "shim/persistent.hpp"

#include <span>
#include <utility>

#include <mpi.h>

#include "espalier/plan/clock.hpp"
#include "espalier/plan/communicators/planned_requests.hpp"
#include "espalier/plan/failure.hpp"
#include "shim/forward.hpp"
#include "shim/requests_at.hpp"

namespace espalier::shim {

namespace {

using plan::PlannedRequests;

/// Apart from what every call does, as its registers would have to be saved there.
template <typename Native>
[[gnu::noinline]] int start_with_ours(std::span<MPI_Request const> requests, Native&& native) {
  plan::Clock::time_point const begin = plan::Clock::now();
  if (PlannedRequests::is_underway(requests)) {
    return plan::raise(MPI_COMM_WORLD, MPI_ERR_REQUEST);
  }
  int const code = std::forward<Native>(native)();
  if (code == MPI_SUCCESS) {
    PlannedRequests::launch(requests, begin);
  }
  return code;
}

}  // namespace

int start(void* request) {
  return PlannedRequests::is_any()
             ? start_with_ours(requests_at(request, 1), [&] { return forward.start(request); })
             : forward.start(request);
}

int startall(int count, void* array_of_requests) {
  return PlannedRequests::is_any() ? start_with_ours(
                                         requests_at(array_of_requests, count),
                                         [&] { return forward.startall(count, array_of_requests); }
                                     )
                                   : forward.startall(count, array_of_requests);
}

int request_free(void* request) {
  if (PlannedRequests::is_any() && request != nullptr) {
    PlannedRequests::forget(*static_cast<MPI_Request*>(request));
  }
  return forward.request_free(request);
}

int cancel(void* request) {
  if (PlannedRequests::is_any() && request != nullptr &&
      PlannedRequests::serves(*static_cast<MPI_Request*>(request))) {
    return plan::raise(MPI_COMM_WORLD, MPI_ERR_REQUEST);
  }
  return forward.cancel(request);
}

}  // namespace espalier::shim
