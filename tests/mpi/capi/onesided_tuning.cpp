// SPDX-License-Identifier: Apache-2.0

/// @file
/// Requests of a team that are tuned: what runs afterwards is right and the same on all members,
/// the team remembers it, and what is wrong on one member is an error on all.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_cases.hpp"
#include "tests/mpi/capi/onesided_members.hpp"
#include "tests/mpi/capi/onesided_support.hpp"

namespace {

using namespace espalier::test;

/// Long enough to try something, and short for many tests.
constexpr double moment = 0.01;
/// Enough for trials of several runs in a row.
constexpr double a_while = 0.2;
/// Nothing takes so long to decide.
constexpr double ages = 100;

/// Tunes a collective, and compares it with that of MPI.
void compare(Members& members, Case const& one, espalier_onesided_options const& options) {
  Checks& checks = *members.checks;
  int const p = test_size(MPI_COMM_WORLD);
  int const rank = test_rank(MPI_COMM_WORLD);
  Blocks const blocks = blocks_of(one, rank, p);
  auto const numbers = static_cast<std::size_t>(one.count) * static_cast<std::size_t>(one.width);
  std::vector<std::int32_t> in(numbers * static_cast<std::size_t>(blocks.in));
  std::vector<std::int32_t> expected(numbers * static_cast<std::size_t>(blocks.out));
  fill(in, rank, 1);
  fill(expected, rank, 2);
  std::ranges::copy(in, members.in);
  std::ranges::copy(expected, members.out);
  espalier_request* const request = members.planned(one, options);
  std::string const what = one.name + ", in " + std::to_string(options.in) + ", addresses " +
                           std::to_string(options.addresses);
  espalier_tuning_options const tuning = within(one.name == "allreduce" ? a_while : moment);
  espalier_conduit_barrier(members.world.conduit);
  int const code = espalier_request_tune(request, &tuning);
  checks.expect(code == MPI_SUCCESS, what + ": " + text_of(code));
  std::string const names = names_of(request);
  checks.expect(is_same(names), what + ": all ranks take " + names);
  checks.expect(std::ranges::equal(in, std::vector(members.in, members.in + in.size())), what);
  for (int run = 0; run < 2; ++run) {
    fill(expected, rank, run + 3);
    std::ranges::copy(expected, members.out);
    espalier_conduit_barrier(members.world.conduit);
    checks.expect(espalier_request_start(request) == MPI_SUCCESS, what + ": start");
    checks.expect(espalier_request_wait(request) == MPI_SUCCESS, what + ": wait");
    espalier_conduit_barrier(members.world.conduit);
    run_by_mpi(one, in.data(), expected.data(), MPI_COMM_WORLD);
    bool const is_right = std::equal(expected.begin(), expected.end(), members.out);
    checks.expect(is_right, what + ": data by " + names);
  }
  members.freed(request);
}

void compare_all(Members& members) {
  MPI_Datatype pairs = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(2, MPI_INT32_T, &pairs);
  PMPI_Type_commit(&pairs);
  MPI_Op in_order = MPI_OP_NULL;
  PMPI_Op_create(combine_in_order, 0, &in_order);
  for (espalier_sync const sync : {ESPALIER_ALLSYNC, ESPALIER_MYSYNC, ESPALIER_NOSYNC}) {
    for (Case const& one : usual_cases(test_size(MPI_COMM_WORLD), pairs, in_order)) {
      espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
      options.in = options.out = sync;
      // Buffers in segments serve local addresses, too.
      bool const is_local = sync == ESPALIER_MYSYNC;
      options.addresses = is_local ? ESPALIER_ADDRESSES_LOCAL : ESPALIER_ADDRESSES_SYMMETRIC;
      compare(members, one, options);
    }
  }
  PMPI_Op_free(&in_order);
  PMPI_Type_free(&pairs);
}

/// Where the choice for a collective comes from now.
std::string origin_of(Members& members, Case const& one, espalier_onesided_options const& options) {
  espalier_request* const request = members.planned(one, options);
  std::string const origin = espalier_request_origin(request);
  members.checks->expect(is_same(names_of(request)), one.name + ": the same on all ranks");
  members.freed(request);
  return origin;
}

/// By trials of one run each; where ranks share processors, of the mechanisms of one algorithm
/// only, as all of them take long.
espalier_onesided_options decided_soon() {
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.in = options.out = ESPALIER_NOSYNC;
  options.algorithm = test_size(MPI_COMM_WORLD) > 2 ? "gather/flat" : nullptr;
  return options;
}

void remember(Members& members) {
  Checks& checks = *members.checks;
  espalier_onesided_options options = decided_soon();
  Case const gather{.name = "gather", .count = 100};
  auto const expect = [&](Case const& one, std::string const& origin, std::string const& what) {
    std::string const found = origin_of(members, one, options);
    checks.expect(found == origin, what + ": " + found);
  };
  expect(gather, "rule", "before");
  espalier_request* const request = members.planned(gather, options);
  espalier_tuning_options const tuning = within(ages);
  checks.expect(espalier_request_tune(request, &tuning) == MPI_SUCCESS, "tune");
  std::string const names = names_of(request);
  checks.expect(names.ends_with(", tuned"), names);
  espalier_request* const again = members.planned(gather, options);
  checks.expect(names_of(again) == names, names + " was found, not " + names_of(again));
  members.freed(again);
  members.freed(request);
  expect({.name = "gather", .count = 200}, "nearest", "twice as much");
  expect({.name = "gather", .count = 50}, "nearest", "half as much");
  expect({.name = "gather", .count = 201}, "rule", "more");
  expect({.name = "gather", .count = 49}, "rule", "less");
  options.out = ESPALIER_MYSYNC;
  expect(gather, "rule", "another mode");
  options.addresses = ESPALIER_ADDRESSES_LOCAL;
  expect(gather, "rule", "other addresses");
  options = ESPALIER_ONESIDED_OPTIONS_INIT;
  expect({.name = "scatter", .count = 100}, "rule", "another collective");
  options.mechanism = "eager";
  expect(gather, "rule", "with another name");
  options.algorithm = "gather/flat";
  expect(gather, "named", "with both names");
}

/// What is named stays, whatever is fast.
void keep_names(Members& members) {
  Checks& checks = *members.checks;
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.in = options.out = ESPALIER_NOSYNC;
  Case const gather{.name = "gather", .count = 3};
  espalier_tuning_options const tuning = within(ages);
  options.mechanism = "rendezvous";
  espalier_request* const half = members.planned(gather, options);
  checks.expect(espalier_request_tune(half, &tuning) == MPI_SUCCESS, "tune half");
  std::string const mechanism = espalier_request_mechanism(half);
  checks.expect(mechanism == "rendezvous", "a named mechanism, not " + mechanism);
  members.freed(half);
  std::string const found = origin_of(members, gather, options);
  checks.expect(found == "tuned", "remembered with its name: " + found);
  options.algorithm = "gather/binomial";
  espalier_request* const all = members.planned(gather, options);
  checks.expect(espalier_request_tune(all, &tuning) == MPI_SUCCESS, "tune all");
  std::string const names = names_of(all);
  checks.expect(names == "gather/binomial by rendezvous, named", names);
  members.freed(all);
}

struct Meanwhile {
  espalier_conduit* conduit;
  long num_calls = 0;
};

void compute(void* context) {
  auto* const known = static_cast<Meanwhile*>(context);
  ++known->num_calls;
  espalier_conduit_poll(known->conduit);
}

void overlap(Members& members) {
  Meanwhile known{.conduit = members.world.conduit};
  espalier_tuning_options tuning = within(moment);
  tuning.meanwhile = compute;
  tuning.context = &known;
  espalier_request* const request =
      members.planned({.name = "bcast", .count = 5}, ESPALIER_ONESIDED_OPTIONS_INIT);
  members.checks->expect(espalier_request_tune(request, &tuning) == MPI_SUCCESS, "tune");
  members.checks->expect(known.num_calls > 0, "the function is called");
  members.checks->expect(is_same(std::to_string(known.num_calls)), "as often on all ranks");
  members.freed(request);
}

/// Others are under way meanwhile.
void tune_beside_others(Members& members) {
  Checks& checks = *members.checks;
  espalier_onesided_options const options = ESPALIER_ONESIDED_OPTIONS_INIT;
  espalier_request* const other = members.planned({.name = "barrier"}, options);
  espalier_request* const request = members.planned({.name = "reduce", .count = 7}, options);
  espalier_tuning_options const tuning = within(moment);
  checks.expect(espalier_request_start(other) == MPI_SUCCESS, "start the other one");
  checks.expect(espalier_request_tune(request, &tuning) == MPI_SUCCESS, "tune beside it");
  checks.expect(espalier_request_wait(other) == MPI_SUCCESS, "wait for the other one");
  members.freed(request);
  members.freed(other);
}

/// All ranks get the class; the text has this in it on ranks where there is one.
void expect_error(Checks& checks, int code, int error_class, std::string const& part) {
  int found = MPI_SUCCESS;
  PMPI_Error_class(code, &found);
  checks.expect(found == error_class, part + ": class " + std::to_string(found));
  checks.expect(last_text().find(part) != std::string::npos, part + ": " + last_text());
}

void tune_with_wrong_options(Checks& checks, espalier_request* request) {
  auto const tune = [&](espalier_tuning_options const& options) {
    return espalier_request_tune(request, &options);
  };
  espalier_tuning_options options = ESPALIER_TUNING_OPTIONS_INIT;
  options.flags = 4;
  expect_error(checks, tune(options), MPI_ERR_ARG, "ESPALIER_TUNE_EVERY");
  options = ESPALIER_TUNING_OPTIONS_INIT;
  options.size = 8;
  expect_error(checks, tune(options), MPI_ERR_ARG, "ESPALIER_TUNING_OPTIONS_INIT");
  for (double const seconds : {-1.0, std::nan(""), HUGE_VAL}) {
    expect_error(checks, tune(within(seconds)), MPI_ERR_ARG, "expected seconds above 0");
  }
  if (test_size(MPI_COMM_WORLD) > 1) {
    bool const is_first = test_rank(MPI_COMM_WORLD) == 0;
    expect_error(checks, tune(within(is_first ? 1 : 2)), MPI_ERR_ARG, "equal arguments");
    char const* const part = is_first ? "expected seconds above 0" : "of another rank are wrong";
    expect_error(checks, tune(within(is_first ? -1 : 1)), MPI_ERR_ARG, part);
  }
}

void tune_at_the_wrong_time(Members& members, espalier_request* request) {
  Checks& checks = *members.checks;
  bool const is_first = test_rank(MPI_COMM_WORLD) == 0;
  checks.expect(espalier_request_start(request) == MPI_SUCCESS, "start");
  if (!is_first) {
    checks.expect(espalier_request_wait(request) == MPI_SUCCESS, "wait");
  }
  int const code = espalier_request_tune(request, nullptr);
  expect_error(checks, code, MPI_ERR_REQUEST, is_first ? "not under way" : "of another rank");
  checks.expect(espalier_request_wait(request) == MPI_SUCCESS, "wait");
}

/// Requests that are not equal on all members, or were not all planned by all of them.
void tune_different_requests(Members& members, espalier_request* request) {
  if (test_size(MPI_COMM_WORLD) == 1) {
    return;
  }
  Checks& checks = *members.checks;
  espalier_onesided_options const options = ESPALIER_ONESIDED_OPTIONS_INIT;
  bool const is_first = test_rank(MPI_COMM_WORLD) == 0;
  espalier_request* const other = members.planned({.name = "bcast", .count = 9}, options);
  int const code = espalier_request_tune(is_first ? other : request, nullptr);
  expect_error(checks, code, MPI_ERR_ARG, "equal arguments");
  espalier_request* late = is_first ? members.planned({.name = "barrier"}, options) : nullptr;
  expect_error(checks, espalier_request_tune(request, nullptr), MPI_ERR_ARG, "equal arguments");
  late = is_first ? late : members.planned({.name = "barrier"}, options);
  espalier_tuning_options const tuning = within(moment);
  checks.expect(espalier_request_tune(request, &tuning) == MPI_SUCCESS, "after all have planned");
  members.freed(late);
  members.freed(other);
}

void tune_what_is_of_no_team(Checks& checks) {
  espalier_neighborhood* none = nullptr;
  espalier_request* request = nullptr;
  MPI_Comm grid = MPI_COMM_NULL;
  int const extent = test_size(MPI_COMM_WORLD);
  int const is_periodic = 1;
  PMPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &is_periodic, 0, &grid);
  PMPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
  std::array<int, 1> const offsets{1};
  std::array<std::int32_t, 1> in{};
  std::array<std::int32_t, 1> out{};
  int code = espalier_neighborhood_create(grid, 1, offsets.data(), nullptr, &none);
  checks.expect(code == MPI_SUCCESS, "a neighborhood: " + text_of(code));
  code = espalier_neighbor_alltoall_init(
      in.data(), 1, MPI_INT32_T, out.data(), 1, MPI_INT32_T, none, &request
  );
  checks.expect(code == MPI_SUCCESS, "a request of it: " + text_of(code));
  expect_error(checks, espalier_request_tune(request, nullptr), MPI_ERR_REQUEST, "neighborhood");
  checks.expect(
      std::string(espalier_request_origin(request)).empty(), "an origin of a team's only"
  );
  checks.expect(espalier_request_free(&request) == MPI_SUCCESS, "free the request");
  checks.expect(espalier_neighborhood_free(&none) == MPI_SUCCESS, "free the neighborhood");
  PMPI_Comm_free(&grid);
  int found = MPI_SUCCESS;
  PMPI_Error_class(espalier_request_tune(nullptr, nullptr), &found);
  checks.expect(found == MPI_ERR_REQUEST, "no request");
  checks.expect(std::string(espalier_request_origin(nullptr)).empty(), "no origin of no request");
}

void tune_wrongly(Members& members) {
  espalier_onesided_options const options = ESPALIER_ONESIDED_OPTIONS_INIT;
  espalier_request* const request = members.planned({.name = "allreduce", .count = 4}, options);
  tune_with_wrong_options(*members.checks, request);
  tune_at_the_wrong_time(members, request);
  tune_different_requests(members, request);
  members.freed(request);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  Checks checks;
  for (char const* const transport : transports()) {
    Members members(checks, transport);
    tune_wrongly(members);
    compare_all(members);
    remember(members);
    keep_names(members);
    overlap(members);
    tune_beside_others(members);
  }
  tune_what_is_of_no_team(checks);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
