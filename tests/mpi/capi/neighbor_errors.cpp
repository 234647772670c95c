// SPDX-License-Identifier: Apache-2.0

/// @file
/// What is wrong with a neighborhood collective reaches the error handler of its communicator, with
/// the class of MPI, and leaves nothing behind.

#include <string>
#include <vector>

#include "include/espalier_neighbor.h"

#include <mpi.h>

#include "tests/mpi/capi/handled_errors.hpp"
#include "tests/mpi/capi/neighbor_support.hpp"
#include "tests/mpi/exec/support.hpp"

namespace {

using namespace espalier::test;

MPI_Comm grid(MPI_Errhandler handler) {
  MPI_Comm const comm = cart({{test_size(MPI_COMM_WORLD)}, {1}});
  PMPI_Comm_set_errhandler(comm, handler);
  return comm;
}

void check_creation(Checks& checks, MPI_Comm comm, MPI_Comm plain) {
  int const offsets[] = {1, -1};
  espalier_neighborhood* made = nullptr;
  espalier_neighbor_options wrong = ESPALIER_NEIGHBOR_OPTIONS_INIT;
  auto const create = [&](MPI_Comm c, int n, int const* rows) {
    return espalier_neighborhood_create(c, n, rows, &wrong, &made);
  };
  expect_handled(checks, create(plain, 2, offsets), MPI_ERR_TOPOLOGY, "no topology");
  expect_handled(checks, create(MPI_COMM_NULL, 2, offsets), MPI_ERR_COMM, "no communicator");
  expect_handled(checks, create(comm, -1, offsets), MPI_ERR_ARG, "a negative number of offsets");
  expect_handled(checks, create(comm, 2, nullptr), MPI_ERR_ARG, "no offsets");
  expect_handled(
      checks,
      espalier_neighborhood_create(comm, 2, offsets, &wrong, nullptr),
      MPI_ERR_ARG,
      "no place for the result"
  );
  wrong.algorithm = "telepathy";
  expect_handled(checks, create(comm, 2, offsets), MPI_ERR_ARG, "an algorithm that does not exist");
  wrong = ESPALIER_NEIGHBOR_OPTIONS_INIT;
  wrong.flags = 1;
  expect_handled(checks, create(comm, 2, offsets), MPI_ERR_ARG, "flags");
  wrong = ESPALIER_NEIGHBOR_OPTIONS_INIT;
  wrong.latency_us = -1;
  expect_handled(checks, create(comm, 2, offsets), MPI_ERR_ARG, "a negative latency");
  checks.expect(made == nullptr, "nothing is made of what is wrong");
}

/// What is wrong on one rank is an error on all: nobody waits for a rank that gave up.
void disagree(Checks& checks, MPI_Comm comm) {
  int const size = test_size(MPI_COMM_WORLD);
  bool const is_last = test_rank(MPI_COMM_WORLD) == size - 1;
  int const offsets[] = {1, -1};
  espalier_neighborhood* made = nullptr;
  auto const create = [&](int n, espalier_neighbor_options const& options) {
    return espalier_neighborhood_create(comm, n, offsets, &options, &made);
  };
  espalier_neighbor_options const right = ESPALIER_NEIGHBOR_OPTIONS_INIT;
  espalier_neighbor_options named = ESPALIER_NEIGHBOR_OPTIONS_INIT;
  named.algorithm = is_last ? "telepathy" : "direct";
  expect_handled(checks, create(2, named), MPI_ERR_ARG, "an algorithm of one rank");
  expect_handled(checks, create(is_last ? -1 : 2, right), MPI_ERR_ARG, "offsets of one rank");
  expect_handled(
      checks,
      espalier_neighborhood_of(comm, &right, is_last ? nullptr : &made),
      MPI_ERR_ARG,
      "no place on one rank"
  );
  expect_handled(
      checks, espalier_neighborhood_of(comm, &named, &made), MPI_ERR_ARG, "options of one rank"
  );
  if (size > 1) {
    named.algorithm = is_last ? "direct" : "node_aware";
    expect_handled(checks, create(2, named), MPI_ERR_ARG, "different algorithms");
    expect_handled(checks, create(is_last ? 1 : 2, right), MPI_ERR_ARG, "different stencils");
  }
  checks.expect(made == nullptr, "nothing is made where ranks disagree");
}

void check_calls(Checks& checks, espalier_neighborhood* ring) {
  int out[2] = {1, 2};
  int in[2] = {};
  int const counts[2] = {1, -1};
  int const places[2] = {0, 1};
  auto const all = [&](void const* from, int n, MPI_Datatype type, espalier_neighborhood* on) {
    return espalier_neighbor_alltoall(from, n, type, in, n, type, on);
  };
  expect_handled(checks, all(out, -1, MPI_INT, ring), MPI_ERR_COUNT, "a negative count");
  expect_handled(checks, all(out, 1, MPI_DATATYPE_NULL, ring), MPI_ERR_TYPE, "no type");
  expect_handled(checks, all(MPI_IN_PLACE, 1, MPI_INT, ring), MPI_ERR_BUFFER, "in place");
  expect_handled(checks, all(out, 1, MPI_INT, nullptr), MPI_ERR_ARG, "no neighborhood");
  expect_handled(
      checks,
      espalier_neighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring),
      MPI_ERR_COUNT,
      "a negative count in a list"
  );
  expect_handled(
      checks,
      espalier_neighbor_allgatherv(out, 1, MPI_INT, in, nullptr, places, MPI_INT, ring),
      MPI_ERR_ARG,
      "no list"
  );
}

void check_requests(Checks& checks, espalier_neighborhood* ring) {
  int const out[2] = {1, 2};
  int in[2] = {};
  espalier_request* request = nullptr;
  auto const init = [&](int n, espalier_request** result) {
    return espalier_neighbor_alltoall_init(out, n, MPI_INT, in, n, MPI_INT, ring, result);
  };
  expect_handled(checks, init(1, nullptr), MPI_ERR_ARG, "no place for the request");
  expect_handled(checks, init(-1, &request), MPI_ERR_COUNT, "a negative count");
  bool const is_last = test_rank(MPI_COMM_WORLD) == test_size(MPI_COMM_WORLD) - 1;
  expect_handled(checks, init(is_last ? -1 : 1, &request), MPI_ERR_COUNT, "a count of one rank");
  expect_handled(
      checks, init(1, is_last ? nullptr : &request), MPI_ERR_ARG, "no place on one rank"
  );
  checks.expect(request == nullptr, "no rank has a request of what is wrong on one");
  expect_handled(checks, espalier_request_start(request), MPI_ERR_REQUEST, "no request");
  expect_handled(checks, espalier_request_wait(request), MPI_ERR_REQUEST, "no request");
  expect_handled(checks, espalier_request_free(&request), MPI_ERR_REQUEST, "no request");
  checks.expect(init(1, &request) == MPI_SUCCESS, "init");
  int is_complete = 0;
  checks.expect(espalier_request_test(request, &is_complete) == MPI_SUCCESS, "test");
  checks.expect(is_complete != 0, "a request that was not started is complete");
  expect_handled(checks, espalier_request_test(request, nullptr), MPI_ERR_ARG, "no flag");
  checks.expect(espalier_request_start(request) == MPI_SUCCESS, "start");
  checks.expect(espalier_request_wait(request) == MPI_SUCCESS, "wait");
  checks.expect(in[0] != 0 && in[1] != 0, "data after what went wrong");
  checks.expect(
      std::string(espalier_request_algorithm(request)) == "neighbor_alltoall/direct",
      "the algorithm is told"
  );
  checks.expect(espalier_request_free(&request) == MPI_SUCCESS, "free");
  checks.expect(num_handled == 0, "no error without one");
}

/// A slow, wide network makes combining worth its way, a fast narrow block does not.
void check_prediction(Checks& checks, MPI_Comm comm) {
  int const offsets[] = {1, 2, -1, 3};
  espalier_neighbor_options options = ESPALIER_NEIGHBOR_OPTIONS_INIT;
  options.latency_us = 100;
  options.bandwidth_gib_s = 1e-3;
  espalier_neighborhood* stencil = nullptr;
  int code = espalier_neighborhood_create(comm, 4, offsets, &options, &stencil);
  checks.expect(code == MPI_SUCCESS, "a neighborhood with speeds");
  std::vector<char> out(4 << 16, 'x');
  std::vector<char> in(4 << 16);
  for (int const size : {1, 1 << 16}) {
    espalier_request* request = nullptr;
    code = espalier_neighbor_alltoall_init(
        out.data(), size, MPI_CHAR, in.data(), size, MPI_CHAR, stencil, &request
    );
    checks.expect(code == MPI_SUCCESS, "a plan by prediction");
    std::string const name = espalier_request_algorithm(request);
    checks.expect(size == 1 || name == "neighbor_alltoall/direct", "large blocks go " + name);
    checks.expect(espalier_request_start(request) == MPI_SUCCESS, "start");
    checks.expect(espalier_request_wait(request) == MPI_SUCCESS, "wait");
    checks.expect(in[0] == 'x', "data");
    espalier_request_free(&request);
  }
  checks.expect(espalier_neighborhood_free(&stencil) == MPI_SUCCESS, "free");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Checks checks;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm plain = private_comm();
  PMPI_Comm_set_errhandler(plain, handler);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Comm comm = grid(handler);
  espalier_neighborhood* ring = nullptr;
  checks.expect(espalier_neighborhood_of(comm, nullptr, &ring) == MPI_SUCCESS, "a ring");
  check_creation(checks, comm, plain);
  disagree(checks, comm);
  check_calls(checks, ring);
  check_requests(checks, ring);
  check_prediction(checks, comm);
  checks.expect(espalier_neighborhood_free(&ring) == MPI_SUCCESS, "free");
  expect_handled(checks, espalier_neighborhood_free(&ring), MPI_ERR_ARG, "freed twice");
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  PMPI_Errhandler_free(&handler);
  PMPI_Comm_free(&plain);
  PMPI_Comm_free(&comm);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
