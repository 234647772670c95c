// SPDX-License-Identifier: Apache-2.0

/// @file
/// Teams whose collectives are those of the MPI library: in all modes, with both kinds of
/// addresses, over all transports, the data are right; modes are kept to; any number of them are
/// under way, among one-sided ones; and what the library cannot serve is refused.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_comparison.hpp"
#include "tests/mpi/capi/onesided_members.hpp"

namespace {

using namespace espalier::test;

constexpr std::chrono::milliseconds late{40};

/// `gatherv` is an algorithm of gather.
std::string native_of(Case const& one) {
  std::string const name = is_uneven(one) ? one.name.substr(0, one.name.size() - 1) : one.name;
  return name + "/native";
}

std::vector<Case> all_cases(int p, MPI_Datatype pairs, MPI_Op in_order) {
  std::vector<Case> all = usual_cases(p, pairs, in_order);
  for (std::string const name : {"scatterv", "gatherv", "allgatherv", "alltoallv"}) {
    all.push_back({.name = name, .count = 5});
  }
  return all;
}

void compare_all(Members& members) {
  MPI_Datatype pairs = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(2, MPI_INT32_T, &pairs);
  PMPI_Type_commit(&pairs);
  MPI_Op in_order = MPI_OP_NULL;
  PMPI_Op_create(combine_in_order, 0, &in_order);
  Comparison comparison(*members.checks, members.world, MPI_COMM_WORLD, members.team);
  for (espalier_onesided_options options : forms()) {
    for (Case one : all_cases(test_size(MPI_COMM_WORLD), pairs, in_order)) {
      std::string const name = native_of(one);
      options.algorithm = name.c_str();
      for (int const count : {one.count, 0, 700}) {
        one.count = count;
        comparison.run(one, options);
      }
    }
  }
  PMPI_Op_free(&in_order);
  PMPI_Type_free(&pairs);
}

espalier_onesided_options natively(char const* algorithm, espalier_sync in, espalier_sync out) {
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.algorithm = algorithm;
  options.in = in;
  options.out = out;
  return options;
}

void start(Members& members, espalier_request* request) {
  members.checks->expect(espalier_request_start(request) == MPI_SUCCESS, "start: " + last_text());
}

void wait(Members& members, espalier_request* request) {
  members.checks->expect(espalier_request_wait(request) == MPI_SUCCESS, "wait: " + last_text());
}

void say_what_runs(Members& members) {
  espalier_request* const request = members.planned(
      {.name = "bcast"}, natively("bcast/native", ESPALIER_MYSYNC, ESPALIER_MYSYNC)
  );
  std::string const names = names_of(request);
  members.checks->expect(names == "bcast/native by native, named", names);
  members.freed(request);
}

/// The last member writes to the buffer of the root, and starts only then.
void wait_for_all_before(Members& members) {
  int const rank = test_rank(MPI_COMM_WORLD);
  int const last = test_size(MPI_COMM_WORLD) - 1;
  espalier_request* const request = members.planned(
      {.name = "bcast"}, natively("bcast/native", ESPALIER_ALLSYNC, ESPALIER_MYSYNC)
  );
  members.out[0] = 1;
  espalier_conduit_barrier(members.world.conduit);
  if (rank == last) {
    std::this_thread::sleep_for(late);
    std::int32_t const two = 2;
    espalier_remote const at{.rank = 0, .offset = Members::region_bytes};
    int const code = espalier_put(&two, sizeof two, at, members.world.conduit);
    members.checks->expect(code == MPI_SUCCESS, "put: " + text_of(code));
  }
  start(members, request);
  wait(members, request);
  int const got = members.out[0];
  members.checks->expect(got == 2, "the root began before all had: " + std::to_string(got));
  espalier_conduit_barrier(members.world.conduit);
  members.freed(request);
}

/// The last member does not look at what it started; nobody leaves before it has its data.
void wait_for_all_behind(Members& members) {
  int const rank = test_rank(MPI_COMM_WORLD);
  int const last = test_size(MPI_COMM_WORLD) - 1;
  espalier_request* const request = members.planned(
      {.name = "bcast", .count = 10000}, natively("bcast/native", ESPALIER_MYSYNC, ESPALIER_ALLSYNC)
  );
  std::fill_n(members.out, 10000, rank == 0 ? 5 : 4);
  espalier_conduit_barrier(members.world.conduit);
  start(members, request);
  if (rank == last) {
    std::this_thread::sleep_for(late);
  }
  wait(members, request);
  std::int32_t got = 0;
  espalier_remote const at{
      .rank = last, .offset = Members::region_bytes + 9999 * sizeof(std::int32_t)
  };
  int const code = espalier_get(&got, sizeof got, at, members.world.conduit);
  members.checks->expect(code == MPI_SUCCESS, "get: " + text_of(code));
  members.checks->expect(got == 5, "a member left before the last had its data");
  espalier_conduit_barrier(members.world.conduit);
  members.freed(request);
}

/// Sums in all modes, every other one by one-sided programs, all under way at the same time. Each
/// member waits for them in another order.
void run_many(Members& members) {
  int const rank = test_rank(MPI_COMM_WORLD);
  int const p = test_size(MPI_COMM_WORLD);
  std::vector<espalier_request*> requests;
  std::vector<espalier_onesided_options> const all = forms();
  std::vector<std::array<std::int32_t, 2>> numbers(2 * all.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    espalier_onesided_options options = all[i / 2];
    options.addresses = ESPALIER_ADDRESSES_LOCAL;
    options.algorithm = i % 2 == 0 ? "allreduce/native" : nullptr;
    numbers[i] = {static_cast<std::int32_t>(i) + rank, 0};
    espalier_request*& request = requests.emplace_back();
    int const code = espalier_team_allreduce_init(
        numbers[i].data(), &numbers[i][1], 1, MPI_INT32_T, MPI_SUM, members.team, &options, &request
    );
    members.checks->expect(code == MPI_SUCCESS, "an allreduce: " + text_of(code));
  }
  for (int round = 0; round < 2; ++round) {
    for (espalier_request* const request : requests) {
      start(members, request);
    }
    for (std::size_t i = 0; i < requests.size(); ++i) {
      wait(members, requests[(i * 5 + static_cast<std::size_t>(rank)) % requests.size()]);
    }
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    int const expected = p * static_cast<int>(i) + p * (p - 1) / 2;
    members.checks->expect(numbers[i][1] == expected, "sum " + std::to_string(i));
    members.freed(requests[i]);
  }
}

/// The library keeps what a planned call refers to.
void free_the_type(Members& members) {
  MPI_Datatype pairs = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(2, MPI_INT32_T, &pairs);
  PMPI_Type_commit(&pairs);
  espalier_request* const request = members.planned(
      {.name = "bcast", .count = 3, .width = 2, .type = pairs},
      natively("bcast/native", ESPALIER_MYSYNC, ESPALIER_MYSYNC)
  );
  PMPI_Type_free(&pairs);
  std::iota(members.out, members.out + 6, test_rank(MPI_COMM_WORLD) == 0 ? 10 : 0);
  start(members, request);
  wait(members, request);
  members.checks->expect(members.out[5] == 15, "a type that was freed");
  members.freed(request);
}

void refuse(Members& members, espalier_onesided_options const& options, std::string const& part) {
  espalier_request* request = nullptr;
  Case const one{.name = std::string(options.algorithm).starts_with("reduce") ? "reduce" : "bcast"};
  int const code = plan(one, members.in, members.out, members.team, &options, &request);
  int found = MPI_SUCCESS;
  PMPI_Error_class(code, &found);
  members.checks->expect(found == MPI_ERR_ARG, part + ": class " + std::to_string(found));
  members.checks->expect(last_text().find(part) != std::string::npos, part + ": " + last_text());
}

void refuse_wrong_options(Members& members) {
  espalier_onesided_options options = natively("bcast/native", ESPALIER_MYSYNC, ESPALIER_MYSYNC);
  options.mechanism = "eager";
  refuse(members, options, "expected no mechanism beside it, got eager");
  options.mechanism = nullptr;
  options.algorithm = "bcast/native[algorithm=binomial]";
  refuse(members, options, "which no conduit has");
  options.algorithm = "reduce/native";
  options.flags = ESPALIER_REPRODUCIBLE;
  refuse(members, options, "does not say how it combines operands");
}

/// One member has nobody to talk to.
void refuse_one_member(Members& members) {
  refuse(
      members,
      natively("bcast/native", ESPALIER_MYSYNC, ESPALIER_MYSYNC),
      "serves more members than one"
  );
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Checks checks;
  for (char const* const transport : transports()) {
    Members members(checks, transport);
    if (test_size(MPI_COMM_WORLD) == 1) {
      refuse_one_member(members);
      continue;
    }
    compare_all(members);
    say_what_runs(members);
    wait_for_all_before(members);
    wait_for_all_behind(members);
    run_many(members);
    free_the_type(members);
    refuse_wrong_options(members);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
