// SPDX-License-Identifier: Apache-2.0

/// @file
/// Requests of espalier_neighbor.h.

#include <mpi.h>

#include "espalier/capi/neighbor_objects.hpp"

using espalier::capi::on;
using espalier::plan::raise;

extern "C" {

int espalier_request_start(espalier_request* request) {
  if (request == nullptr) {
    return raise(MPI_COMM_SELF, MPI_ERR_REQUEST);
  }
  return on(request->neighborhood, [&] {
    return request->underway.is_active() ? MPI_ERR_REQUEST
                                         : request->underway.start(request->input, request->output);
  });
}

int espalier_request_test(espalier_request* request, int* is_complete) {
  if (request == nullptr || is_complete == nullptr) {
    return raise(MPI_COMM_SELF, request == nullptr ? MPI_ERR_REQUEST : MPI_ERR_ARG);
  }
  return on(request->neighborhood, [&] {
    bool is_done = false;
    int const code = request->underway.test(is_done);
    *is_complete = is_done ? 1 : 0;
    return code;
  });
}

int espalier_request_wait(espalier_request* request) {
  if (request == nullptr) {
    return raise(MPI_COMM_SELF, MPI_ERR_REQUEST);
  }
  return on(request->neighborhood, [&] { return request->underway.wait(); });
}

char const* espalier_request_algorithm(espalier_request const* request) {
  return request == nullptr ? "" : request->algorithm.c_str();
}

int espalier_request_free(espalier_request** request) {
  if (request == nullptr || *request == nullptr) {
    return raise(MPI_COMM_SELF, MPI_ERR_REQUEST);
  }
  if ((*request)->underway.is_active()) {
    return raise((*request)->neighborhood->neighbors.user(), MPI_ERR_REQUEST);
  }
  delete *request;
  *request = nullptr;
  return MPI_SUCCESS;
}

}  // extern "C"
