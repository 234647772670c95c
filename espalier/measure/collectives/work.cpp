// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/collectives/work.hpp"

#include <dlfcn.h>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/measure/common/clock.hpp"

namespace espalier::measure {
namespace {

using Function = void (*)();

std::string last_problem() {
  char const* const text = dlerror();
  return text == nullptr ? "no reason" : text;
}

Function find_function(WorkRequest const& request) {
  void* const library = dlopen(request.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Error(
        ErrorCode::argument, "expected a library of work that can be loaded, got: " + last_problem()
    );
  }
  void* const address = dlsym(library, request.function.c_str());
  if (address == nullptr) {
    throw Error(
        ErrorCode::argument,
        "expected a function '" + request.function + "' in " + request.library +
            ", found none (in C++ it has to be extern \"C\"): " + last_problem()
    );
  }
  return reinterpret_cast<Function>(address);
}

}  // namespace

Work::Work(WorkRequest const& request)
    : function_(request.library.empty() ? nullptr : find_function(request)),
      seconds_of_piece_(request.seconds / (request.num_tests + 1)), num_tests_(request.num_tests) {}

void Work::do_piece() const {
  if (function_ != nullptr) {
    function_();
    return;
  }
  auto const start = Clock::now();
  while (seconds_since(start) < seconds_of_piece_) {
  }
}

int Work::complete(MPI_Request& request) const {
  for (int test = 0; test < num_tests_; ++test) {
    do_piece();
    int is_complete = 0;
    int const code = PMPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) {
      return code;
    }
  }
  do_piece();
  return PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace espalier::measure
