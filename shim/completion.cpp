// SPDX-License-Identifier: Apache-2.0

#include "shim/completion.hpp"

#include <optional>

#include <mpi.h>

#include "espalier/plan/communicators/open_requests.hpp"
#include "espalier/plan/communicators/started_calls.hpp"
#include "espalier/plan/failure.hpp"
#include "shim/forward.hpp"
#include "shim/requests_at.hpp"

namespace espalier::shim {

namespace {

using plan::OpenRequests;

/// Whether the MPI library may fail to wait for requests of ours.
#ifdef OPEN_MPI
constexpr bool has_to_test = false;
#else
constexpr bool has_to_test = true;
#endif

/// While the MPI library would not wait for requests of ours. Apart, as count().
[[gnu::noinline, gnu::cold]] int
wait_with_ours(int count, void* array_of_requests, void* array_of_statuses) {
  do {
    int is_complete = 0;
    int const code = forward.testall(count, array_of_requests, &is_complete, array_of_statuses);
    if (code != MPI_SUCCESS || is_complete != 0) {
      return code;
    }
  } while (plan::StartedCalls::is_any_incomplete());
  return forward.waitall(count, array_of_requests, array_of_statuses);
}

int wait_for_all(int count, void* array_of_requests, void* array_of_statuses) {
  return has_to_test && plan::StartedCalls::is_any_incomplete()
             ? wait_with_ours(count, array_of_requests, array_of_statuses)
             : forward.waitall(count, array_of_requests, array_of_statuses);
}

/// Counts a function with these arguments, among them so many requests. What cannot be counted is
/// no reason to fail. Apart from what every call does, as its registers would have to be saved
/// there.
template <typename Native, typename... Arguments>
[[gnu::noinline, gnu::cold]] int
count(Native* native, int num_requests, void* requests, Arguments... arguments) {
  std::optional<plan::Completing> counted;
  static_cast<void>(plan::guard([&] {
    counted.emplace(requests_at(requests, num_requests));
    return MPI_SUCCESS;
  }));
  int const code = native(arguments...);
  static_cast<void>(plan::guard([&] {
    if (counted) {
      counted->end();
    }
    return MPI_SUCCESS;
  }));
  return code;
}

/// Makes a call of a completion function, counted if some request is: its own arguments come last.
template <typename Native, typename... Arguments>
[[gnu::always_inline]] inline int
complete(Native* native, int num_requests, void* requests, Arguments... arguments) {
  return OpenRequests::is_any() ? count(native, num_requests, requests, arguments...)
                                : native(arguments...);
}

}  // namespace

int wait(void* request, void* status) {
  return complete(forward.wait, 1, request, request, status);
}

int waitany(int num, void* requests, int* index, void* status) {
  return complete(forward.waitany, num, requests, num, requests, index, status);
}

int waitsome(int num, void* requests, int* num_complete, int* indices, void* statuses) {
  return complete(forward.waitsome, num, requests, num, requests, num_complete, indices, statuses);
}

int waitall(int num, void* requests, void* statuses) {
  return complete(&wait_for_all, num, requests, num, requests, statuses);
}

int test(void* request, int* flag, void* status) {
  return complete(forward.test, 1, request, request, flag, status);
}

int testany(int num, void* requests, int* index, int* flag, void* status) {
  return complete(forward.testany, num, requests, num, requests, index, flag, status);
}

int testsome(int num, void* requests, int* num_complete, int* indices, void* statuses) {
  return complete(forward.testsome, num, requests, num, requests, num_complete, indices, statuses);
}

int testall(int num, void* requests, int* flag, void* statuses) {
  return complete(forward.testall, num, requests, num, requests, flag, statuses);
}

}  // namespace espalier::shim
