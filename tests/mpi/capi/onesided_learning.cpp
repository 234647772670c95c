// SPDX-License-Identifier: Apache-2.0

/// @file
/// Requests of a team that learn in their own starts: results are right in every call, all members
/// run the same, and requests are completed, freed and tuned at any time.

#include <algorithm>
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

/// More than a trial of each candidate needs, if none of them is slow.
constexpr int many_calls = 90;

espalier_onesided_options learning(espalier_sync in, espalier_sync out) {
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.flags = ESPALIER_LEARN_IN_STARTS;
  options.in = in;
  options.out = out;
  return options;
}

/// A collective in a loop, and what MPI says of its results.
class Loop {
public:
  Loop(Members& members, Case one) : members_(&members), one_(std::move(one)) {
    Blocks const blocks = blocks_of(one_, rank(), size());
    in_.resize(static_cast<std::size_t>(one_.count * blocks.in));
    out_.resize(static_cast<std::size_t>(one_.count * blocks.out));
  }

  void call(espalier_request* request, int run) {
    Checks& checks = *members_->checks;
    fill(in_, rank(), run);
    fill(out_, rank(), run + 1);
    std::ranges::copy(in_, members_->in);
    std::ranges::copy(out_, members_->out);
    espalier_conduit_barrier(members_->world.conduit);
    int const code = espalier_request_start(request);
    checks.expect(code == MPI_SUCCESS, one_.name + ": " + text_of(code));
    checks.expect(espalier_request_wait(request) == MPI_SUCCESS, one_.name + ": wait");
    espalier_conduit_barrier(members_->world.conduit);
    run_by_mpi(one_, in_.data(), out_.data(), MPI_COMM_WORLD);
    bool const is_right = std::equal(out_.begin(), out_.end(), members_->out);
    checks.expect(is_right, one_.name + " in call " + std::to_string(run) + names_of(request));
  }

private:
  [[nodiscard]] static int rank() { return test_rank(MPI_COMM_WORLD); }

  [[nodiscard]] static int size() { return test_size(MPI_COMM_WORLD); }

  Members* members_;
  Case one_;
  std::vector<std::int32_t> in_;
  std::vector<std::int32_t> out_;
};

void learn(Members& members, Case const& one, espalier_onesided_options const& options) {
  Checks& checks = *members.checks;
  espalier_request* const request = members.planned(one, options);
  Loop loop(members, one);
  std::string const before = names_of(request);
  checks.expect(before.ends_with(", rule"), one.name + ": " + before);
  for (int run = 0; run < many_calls; ++run) {
    loop.call(request, run);
  }
  std::string const after = names_of(request);
  checks.expect(is_same(after), one.name + ": all members run " + after);
  bool const is_known = after == before || after.ends_with(", tuned");
  checks.expect(is_known, one.name + ": " + before + " until " + after);
  members.freed(request);
}

void learn_all(Members& members) {
  int const root = test_size(MPI_COMM_WORLD) / 2;
  for (std::string const name : {"bcast", "gather"}) {
    Case const one{.name = name, .count = 5, .root = root};
    learn(members, one, learning(ESPALIER_ALLSYNC, ESPALIER_ALLSYNC));
    learn(members, one, learning(ESPALIER_MYSYNC, ESPALIER_MYSYNC));
    learn(members, one, learning(ESPALIER_NOSYNC, ESPALIER_NOSYNC));
  }
  learn(members, {.name = "allreduce", .count = 300}, learning(ESPALIER_ALLSYNC, ESPALIER_MYSYNC));
  espalier_onesided_options local = learning(ESPALIER_MYSYNC, ESPALIER_MYSYNC);
  local.addresses = ESPALIER_ADDRESSES_LOCAL;
  learn(members, {.name = "alltoall", .count = 3}, local);
}

/// Members complete them in different orders, and poll in between.
void learn_with_several_underway(Members& members) {
  Checks& checks = *members.checks;
  espalier_onesided_options const options = learning(ESPALIER_ALLSYNC, ESPALIER_ALLSYNC);
  espalier_request* first = members.planned({.name = "barrier"}, options);
  espalier_request* second = members.planned({.name = "bcast", .count = 4}, options);
  bool const is_even = test_rank(MPI_COMM_WORLD) % 2 == 0;
  for (int run = 0; run < many_calls; ++run) {
    checks.expect(espalier_request_start(first) == MPI_SUCCESS, "start the first one");
    checks.expect(espalier_request_start(second) == MPI_SUCCESS, "start the second one");
    espalier_conduit_poll(members.world.conduit);
    int const code = espalier_request_wait(is_even ? first : second);
    checks.expect(code == MPI_SUCCESS, "wait for one of two");
    int is_over = 0;
    while (is_over == 0) {
      espalier_request_test(is_even ? second : first, &is_over);
    }
  }
  checks.expect(is_same(names_of(first)), "the same on all ranks: " + names_of(first));
  checks.expect(is_same(names_of(second)), "the same on all ranks: " + names_of(second));
  members.freed(first);
  members.freed(second);
}

/// Also where words are underway: behind the fifth call.
void end_early(Members& members) {
  Case const one{.name = "bcast", .count = 5};
  espalier_onesided_options const options = learning(ESPALIER_MYSYNC, ESPALIER_NOSYNC);
  espalier_tuning_options const moment = within(0.01);
  for (int num_calls = 0; num_calls < 12; ++num_calls) {
    for (bool const is_tuned : {false, true}) {
      espalier_request* const request = members.planned(one, options);
      Loop loop(members, one);
      for (int run = 0; run < num_calls; ++run) {
        loop.call(request, run);
      }
      if (is_tuned && num_calls % 5 == 0) {
        int const code = espalier_request_tune(request, &moment);
        members.checks->expect(code == MPI_SUCCESS, "tune: " + text_of(code));
        loop.call(request, num_calls);
      }
      members.freed(request);
    }
  }
}

/// What is named stays, in every call.
void keep_names(Members& members) {
  espalier_onesided_options options = learning(ESPALIER_MYSYNC, ESPALIER_MYSYNC);
  options.algorithm = "gather/binomial";
  options.mechanism = "eager";
  Case const one{.name = "gather", .count = 3};
  espalier_request* const request = members.planned(one, options);
  Loop loop(members, one);
  for (int run = 0; run < 20; ++run) {
    loop.call(request, run);
  }
  std::string const names = names_of(request);
  members.checks->expect(names == "gather/binomial by eager, named", names);
  members.freed(request);
}

void refuse_other_flags(Members& members) {
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.flags = 4;
  espalier_request* request = nullptr;
  int const code = plan({.name = "barrier"}, nullptr, nullptr, members.team, &options, &request);
  members.checks->expect(code != MPI_SUCCESS, "flags that nobody knows");
  bool const is_named = last_text().find("ESPALIER_LEARN_IN_STARTS") != std::string::npos;
  members.checks->expect(is_named, last_text());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Checks checks;
  for (char const* const transport : transports()) {
    Members members(checks, transport);
    learn_all(members);
    learn_with_several_underway(members);
    keep_names(members);
    refuse_other_flags(members);
    end_early(members);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
