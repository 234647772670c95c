// SPDX-License-Identifier: Apache-2.0

/// @file
/// Functions of requests, whatever was planned.

#include "espalier/capi/request.hpp"

#include <string>

#include "include/espalier_planned.h"

#include <mpi.h>

#include "espalier/capi/copied_text.hpp"
#include "espalier/capi/library_progress.hpp"

using espalier::capi::let_library_make_progress;
using espalier::capi::on;
using espalier::plan::ClassError;
using espalier::plan::raise;

std::string espalier_request::explain() const {
  return algorithm_ + (mechanism_.empty() ? std::string() : ", by " + mechanism_);
}

extern "C" {

int espalier_request_start(espalier_request* request) {
  return on(request, [](espalier_request& self) {
    if (self.is_active()) {
      throw ClassError(
          MPI_ERR_REQUEST, "expected a request that is not under way, got one that was started"
      );
    }
    let_library_make_progress();
    return self.start();
  });
}

int espalier_request_test(espalier_request* request, int* is_complete) {
  if (request != nullptr && is_complete == nullptr) {
    return raise(MPI_COMM_SELF, MPI_ERR_ARG);
  }
  bool is_done = false;
  int const code = on(request, [&](espalier_request& self) { return self.test(is_done); });
  if (request != nullptr) {
    // Also with an error, of a collective that is complete.
    *is_complete = is_done ? 1 : 0;
  }
  return code;
}

int espalier_request_wait(espalier_request* request) {
  return on(request, [](espalier_request& self) { return self.wait(); });
}

char const* espalier_request_algorithm(espalier_request const* request) {
  return request == nullptr ? "" : request->algorithm().c_str();
}

int espalier_explain(espalier_request const* request, char text[], int len) {
  std::string found;
  int const code = espalier::plan::guard([&] {
    found = request == nullptr ? std::string() : request->explain();
    return MPI_SUCCESS;
  });
  if (code != MPI_SUCCESS) {
    return 0;
  }
  return espalier::capi::copied_text(found, text, len);
}

int espalier_request_free(espalier_request** request) {
  if (request == nullptr || *request == nullptr) {
    return raise(MPI_COMM_SELF, MPI_ERR_REQUEST);
  }
  return on(*request, [&](espalier_request& self) {
    if (self.is_active()) {
      throw ClassError(
          MPI_ERR_REQUEST, "expected a request that is not under way, wait for it first"
      );
    }
    delete *request;
    *request = nullptr;
    return MPI_SUCCESS;
  });
}

}  // extern "C"
