// SPDX-License-Identifier: Apache-2.0

/// @file
/// What is wrong with a planned collective reaches the error handler of its communicator, on all
/// ranks with the same class, with a text that says what was expected, and leaves nothing behind.

#include <array>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "include/espalier.h"

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/profile/call.hpp"
#include "tests/mpi/capi/handled_errors.hpp"
#include "tests/mpi/exec/support.hpp"

namespace {

using espalier::test::Checks;
using espalier::test::count_error;
using espalier::test::num_handled;
using espalier::test::run_under_mpi;

std::string last_error() {
  std::array<char, 1024> text{};
  espalier_last_error(text.data(), static_cast<int>(text.size()));
  return text.data();
}

/// The code has the class, a handler heard of it once, and the text says so.
void expect_error(Checks& checks, int code, int error_class, std::string const& text) {
  checks.expect(last_error().find(text) != std::string::npos, text + ", got " + last_error());
  expect_handled(checks, code, error_class, text);
}

struct World {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int num_ranks = 1;
};

/// An allreduce of one int.
struct Sum {
  int input = 1;
  int output = 0;
  espalier_request* request = nullptr;

  int plan(World const& world, espalier_planned_options const* options, int count = 1) {
    return espalier_allreduce_init(
        &input, &output, count, MPI_INT, MPI_SUM, world.comm, options, &request
    );
  }

  int plan(World const& world, char const* algorithm, int count = 1) {
    espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
    options.algorithm = algorithm;
    return plan(world, &options, count);
  }
};

void check_names(Checks& checks, World const& world) {
  Sum sum;
  std::string const list = "can be planned: native, ";
  expect_error(checks, sum.plan(world, "telepathy"), MPI_ERR_ARG, list);
  expect_error(checks, sum.plan(world, "telepathy"), MPI_ERR_ARG, "'telepathy'");
  expect_error(
      checks,
      sum.plan(world, "bcast/binomial"),
      MPI_ERR_ARG,
      "expected an algorithm of allreduce, got 'bcast/binomial'"
  );
  expect_error(checks, sum.plan(world, "ring[segments=x]"), MPI_ERR_ARG, list);
  expect_error(checks, sum.plan(world, "native[algorithm=1]"), MPI_ERR_ARG, list);
  expect_error(checks, sum.plan(world, "ring[shared_memory=1]"), MPI_ERR_ARG, list);
  espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
  options.flags = 1;
  expect_error(checks, sum.plan(world, &options), MPI_ERR_ARG, "ESPALIER_PLANNED_OPTIONS_INIT");
  options.flags = 0;
  options.size = 1;
  expect_error(checks, sum.plan(world, &options), MPI_ERR_ARG, "ESPALIER_PLANNED_OPTIONS_INIT");
  checks.expect(sum.request == nullptr, "nothing is made of what is wrong");
}

/// Algorithms that refuse this number of ranks, as those for powers of two.
void check_refusals(Checks& checks, World const& world) {
  using espalier::algorithms::Choice;
  for (auto const* const algorithm : espalier::algorithms::catalog()) {
    if (algorithm->collective != espalier::algorithms::Collective::allreduce) {
      continue;
    }
    std::string const name = "allreduce/" + std::string(algorithm->name);
    if (!Choice::parse(name).refuses(world.num_ranks, 0).empty()) {
      Sum sum;
      expect_error(checks, sum.plan(world, name.c_str()), MPI_ERR_ARG, name + ": ");
    }
  }
}

/// Wrong on one rank, an error on all.
void check_arguments(Checks& checks, World const& world) {
  Sum sum;
  bool const is_last = world.rank == world.num_ranks - 1;
  bool const is_alone = world.num_ranks == 1;
  auto const text = [&](char const* of_the_last) {
    return std::string(is_last ? of_the_last : "the arguments of another rank are wrong");
  };
  expect_error(checks, sum.plan(world, "ring", is_last ? -1 : 1), MPI_ERR_COUNT, text("-1"));
  expect_error(
      checks,
      espalier_bcast_init(
          &sum.input, 1, MPI_INT, is_last ? 99 : 0, world.comm, nullptr, &sum.request
      ),
      MPI_ERR_ROOT,
      text("got 99")
  );
  expect_error(
      checks,
      espalier_allreduce_init(
          &sum.input,
          is_last ? &sum.input : &sum.output,
          1,
          MPI_INT,
          MPI_SUM,
          world.comm,
          nullptr,
          &sum.request
      ),
      MPI_ERR_ARG,
      text("buffers that overlap")
  );
  espalier_request** const nowhere = is_last ? nullptr : &sum.request;
  expect_error(
      checks, espalier_barrier_init(world.comm, nullptr, nowhere), MPI_ERR_ARG, text("request")
  );
  if (!is_alone) {
    int const count = is_last ? 0 : 1;
    char const* const algorithm = is_last ? "native" : "in_order";
    expect_error(checks, sum.plan(world, "in_order", count), MPI_ERR_ARG, "expected equal");
    expect_error(checks, sum.plan(world, algorithm), MPI_ERR_ARG, "expected equal");
  }
  checks.expect(sum.request == nullptr, "nothing is made of what is wrong");
}

/// Where ranks tell each other sizes, none of them waits for one with wrong arguments, or with
/// others than the rest.
void check_exchanges(Checks& checks, World const& world) {
  bool const is_last = world.rank == world.num_ranks - 1;
  std::vector<int> const input(static_cast<std::size_t>(world.num_ranks), 1);
  std::vector<int> output(input.size());
  std::vector<int> places(input.size());
  std::iota(places.begin(), places.end(), 0);
  espalier_request* request = nullptr;
  auto const plan = [&](char const* algorithm, int count) {
    espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
    options.algorithm = algorithm;
    std::vector<int> counts(input.size(), 1);
    counts.back() = count;
    return espalier_alltoallv_init(
        input.data(),
        counts.data(),
        places.data(),
        MPI_INT,
        output.data(),
        counts.data(),
        places.data(),
        MPI_INT,
        world.comm,
        &options,
        &request
    );
  };
  std::string const text =
      is_last ? "got a negative one" : "the arguments of another rank are wrong";
  expect_error(checks, plan("bruck", is_last ? -1 : 1), MPI_ERR_COUNT, text);
  if (world.num_ranks > 1) {
    expect_error(checks, plan(is_last ? "linear" : "bruck", 1), MPI_ERR_ARG, "expected equal");
    expect_error(checks, plan(is_last ? nullptr : "bruck", 1), MPI_ERR_ARG, "expected equal");
  }
  expect_error(checks, plan("bruck[shared_memory=1]", 1), MPI_ERR_ARG, "can be planned: native, ");
  checks.expect(request == nullptr, "nothing is made of what is wrong");
}

void check_communicators(Checks& checks, World const& world) {
  Sum sum;
  World const none{};
  expect_error(checks, sum.plan(none, "ring"), MPI_ERR_COMM, "got MPI_COMM_NULL");
  if (world.num_ranks == 1) {
    return;
  }
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm between = MPI_COMM_NULL;
  bool const is_low = world.rank < world.num_ranks / 2;
  PMPI_Comm_split(world.comm, is_low ? 0 : 1, world.rank, &half);
  PMPI_Intercomm_create(half, 0, world.comm, is_low ? world.num_ranks / 2 : 0, 1, &between);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(world.comm, &handler);
  PMPI_Comm_set_errhandler(between, handler);
  PMPI_Errhandler_free(&handler);
  World const both{.comm = between, .rank = world.rank, .num_ranks = world.num_ranks};
  expect_error(checks, sum.plan(both, "ring"), MPI_ERR_COMM, "expected an intracommunicator");
  PMPI_Comm_free(&between);
  PMPI_Comm_free(&half);
}

void check_requests(Checks& checks, World const& world, char const* algorithm) {
  Sum sum;
  checks.expect(sum.plan(world, algorithm) == MPI_SUCCESS, "init: " + last_error());
  int is_complete = 0;
  checks.expect(espalier_request_test(sum.request, &is_complete) == MPI_SUCCESS, "test");
  checks.expect(is_complete != 0, "a request that was not started is complete");
  checks.expect(espalier_request_wait(sum.request) == MPI_SUCCESS, "wait");
  checks.expect(espalier_request_start(sum.request) == MPI_SUCCESS, "start");
  expect_error(checks, espalier_request_start(sum.request), MPI_ERR_REQUEST, "not under way");
  expect_error(checks, espalier_request_free(&sum.request), MPI_ERR_REQUEST, "wait for it first");
  checks.expect(espalier_request_wait(sum.request) == MPI_SUCCESS, "wait");
  checks.expect(sum.output == world.num_ranks, "the sum after what went wrong");
  checks.expect(espalier_request_free(&sum.request) == MPI_SUCCESS, "free");
  checks.expect(sum.request == nullptr && num_handled == 0, "freed without a complaint");
}

/// Errors of the library come as codes, and have a text, too.
void check_codes(Checks& checks, World const& world) {
  double input = 1;
  double output = 0;
  espalier_request* request = nullptr;
  espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
  options.algorithm = "native";
  int const made = espalier_allreduce_init(
      &input, &output, 1, MPI_DOUBLE, MPI_BAND, world.comm, &options, &request
  );
  if (made == MPI_SUCCESS) {
    int const code = espalier_request_start(request);
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    PMPI_Error_string(code, text.data(), &length);
    expect_error(checks, code, MPI_ERR_OP, text.data());
    espalier_request_free(&request);
  } else {
    num_handled = 0;
  }
}

void check_explanations(Checks& checks, World const& world) {
  Sum sum;
  std::array<char, 12> text{};
  checks.expect(espalier_explain(nullptr, text.data(), 12) == 0, "nothing to explain");
  checks.expect(sum.plan(world, "in_order") == MPI_SUCCESS, "init: " + last_error());
  int const length = espalier_explain(sum.request, nullptr, 0);
  checks.expect(espalier_explain(sum.request, text.data(), 12) == length, "the whole length");
  checks.expect(text.data() == std::string("allreduce: "), "cut, with a closing 0");
  espalier_request_free(&sum.request);
}

/// What the settings of the job say where the program names nothing.
void check_settings(Checks& checks, World const& world) {
  MPI_Comm fresh = MPI_COMM_NULL;
  PMPI_Comm_dup(world.comm, &fresh);
  World const other{.comm = fresh, .rank = world.rank, .num_ranks = world.num_ranks};
  Sum sum;
  checks.expect(
      sum.plan(other, static_cast<char const*>(nullptr)) == MPI_SUCCESS, "init: " + last_error()
  );
  std::string const name = espalier_request_algorithm(sum.request);
  char const* const expected =
      world.num_ranks == 1 ? "allreduce/native" : std::getenv("EXPECTED_ALGORITHM");
  checks.expect(name == (expected == nullptr ? "allreduce/native" : expected), "settings: " + name);
  espalier_request_free(&sum.request);
  PMPI_Comm_free(&fresh);
}

int run() {
  Checks checks;
  World world;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_create_errhandler(count_error, &handler);
  PMPI_Comm_dup(MPI_COMM_WORLD, &world.comm);
  for (MPI_Comm const comm : {world.comm, MPI_COMM_WORLD, MPI_COMM_SELF}) {
    PMPI_Comm_set_errhandler(comm, handler);
  }
  PMPI_Comm_rank(world.comm, &world.rank);
  PMPI_Comm_size(world.comm, &world.num_ranks);
  check_names(checks, world);
  check_refusals(checks, world);
  check_arguments(checks, world);
  check_exchanges(checks, world);
  check_communicators(checks, world);
  for (char const* const algorithm : {"in_order", "native", static_cast<char const*>(nullptr)}) {
    check_requests(checks, world, algorithm);
    check_requests(checks, {MPI_COMM_WORLD, world.rank, world.num_ranks}, algorithm);
  }
  check_codes(checks, world);
  check_explanations(checks, world);
  check_settings(checks, world);
  PMPI_Errhandler_free(&handler);
  PMPI_Comm_free(&world.comm);
  return checks.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_under_mpi(argc, argv, run);
}
