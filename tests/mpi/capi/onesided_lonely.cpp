// SPDX-License-Identifier: Apache-2.0

/// @file
/// Requests that learn in their starts on some members of a team only: every collective is right,
/// each member is told once, and all goes on.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_cases.hpp"
#include "tests/mpi/capi/onesided_members.hpp"
#include "tests/mpi/capi/onesided_support.hpp"

namespace {

using namespace espalier::test;

using Learns = std::function<bool(int rank)>;

/// Who learns asks in the fifth one, and the others know in the next.
constexpr int num_calls = 7;

int own_rank() {
  return test_rank(MPI_COMM_WORLD);
}

espalier_onesided_options options_of(bool learns, espalier_sync sync) {
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.flags = learns ? ESPALIER_LEARN_IN_STARTS : 0U;
  options.in = sync;
  options.out = sync;
  return options;
}

/// What a member was told.
struct Told {
  int num_errors = 0;
  std::string text;

  void take(int code) {
    if (code == MPI_SUCCESS) {
      return;
    }
    ++num_errors;
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(code, &error_class);
    text = last_text() + (error_class == MPI_ERR_ARG ? "" : " of another class");
  }
};

bool is_told(Told const& told, bool learns) {
  std::string const begin = learns ? "this member learns in the starts of this "
                                   : "other members learn in the starts of this ";
  bool const is_right = told.text.starts_with(begin) && !told.text.ends_with("another class") &&
                        told.text.find("set ESPALIER_LEARN_IN_STARTS") != std::string::npos;
  return told.num_errors == 1 && is_right;
}

/// A bcast whose result is looked at.
class Bcast {
public:
  Bcast(Members& members, espalier_onesided_options const& options)
      : members_(&members), request_(members.planned({.name = "bcast"}, options)) {}

  Bcast(Bcast const&) = delete;
  Bcast& operator=(Bcast const&) = delete;
  Bcast(Bcast&&) = delete;
  Bcast& operator=(Bcast&&) = delete;

  ~Bcast() { members_->freed(request_); }

  /// @param is_tested  in place of a wait
  void call(int run, Told& told, bool is_tested) {
    Checks& checks = *members_->checks;
    *members_->out = own_rank() == 0 ? run : -1;
    espalier_conduit_barrier(members_->world.conduit);
    int const code = espalier_request_start(request_);
    checks.expect(code == MPI_SUCCESS, "start: " + text_of(code));
    if (is_tested) {
      test(told);
    } else {
      told.take(espalier_request_wait(request_));
    }
    espalier_conduit_barrier(members_->world.conduit);
    checks.expect(*members_->out == run, "the result of call " + std::to_string(run));
  }

private:
  void test(Told& told) {
    int is_over = 0;
    while (is_over == 0) {
      int const code = espalier_request_test(request_, &is_over);
      told.take(code);
      members_->checks->expect(code == MPI_SUCCESS || is_over != 0, "an error of what is complete");
    }
  }

  Members* members_;
  espalier_request* request_;
};

bool is_mixed(Learns const& learns) {
  int num_learners = 0;
  int const size = test_size(MPI_COMM_WORLD);
  for (int rank = 0; rank < size; ++rank) {
    num_learners += learns(rank) ? 1 : 0;
  }
  return num_learners > 0 && num_learners < size;
}

void tell(Members& members, Learns const& learns, espalier_sync sync) {
  bool const is_learner = learns(own_rank());
  Told told;
  Bcast bcast(members, options_of(is_learner, sync));
  for (int run = 0; run < num_calls; ++run) {
    bcast.call(run, told, run % 2 == 0);
  }
  bool const is_right = is_mixed(learns) ? is_told(told, is_learner) : told.num_errors == 0;
  members.checks->expect(is_right, std::to_string(told.num_errors) + " errors: " + told.text);
}

/// One more begins to learn on all members before anybody asked about the first one, which is given
/// up then: nothing was exchanged for it, and nobody has to be told.
void give_up_early(Members& members, Learns const& learns) {
  Told told;
  {
    Bcast first(members, options_of(learns(own_rank()), ESPALIER_MYSYNC));
    first.call(1, told, false);
  }
  Bcast second(members, options_of(true, ESPALIER_MYSYNC));
  for (int run = 0; run < num_calls; ++run) {
    second.call(run, told, false);
  }
  members.checks->expect(told.num_errors == 0, "errors of those that agree: " + told.text);
}

/// Both are underway at the same time, on the others of all members.
void tell_of_two(Members& members) {
  bool const is_even = own_rank() % 2 == 0;
  espalier_onesided_options const learning = options_of(true, ESPALIER_ALLSYNC);
  espalier_onesided_options const other = options_of(false, ESPALIER_ALLSYNC);
  espalier_request* first = members.planned({.name = "barrier"}, is_even ? learning : other);
  espalier_request* second = members.planned({.name = "barrier"}, is_even ? other : learning);
  Told of_first;
  Told of_second;
  for (int run = 0; run < num_calls; ++run) {
    espalier_request_start(first);
    espalier_request_start(second);
    if (run % 2 == 0) {
      of_second.take(espalier_request_wait(second));
    }
    of_first.take(espalier_request_wait(first));
    of_second.take(espalier_request_wait(second));
  }
  bool const is_alone = test_size(MPI_COMM_WORLD) == 1;
  bool const is_first_told = is_alone ? of_first.num_errors == 0 : is_told(of_first, is_even);
  bool const is_second_told = is_alone ? of_second.num_errors == 0 : is_told(of_second, !is_even);
  members.checks->expect(is_first_told, "of the first one: " + of_first.text);
  members.checks->expect(is_second_told, "of the second one: " + of_second.text);
  members.freed(first);
  members.freed(second);
}

/// A fence completes all of them, says what is wrong with one of them, and then with the next.
void tell_in_fences(Members& members) {
  bool const is_last = own_rank() == test_size(MPI_COMM_WORLD) - 1;
  espalier_onesided_options const own = options_of(is_last, ESPALIER_MYSYNC);
  espalier_request* request = members.planned({.name = "barrier"}, own);
  Told told;
  for (int run = 0; run < num_calls; ++run) {
    espalier_request_start(request);
    told.take(espalier_team_fence(members.team));
    int is_over = 0;
    espalier_request_test(request, &is_over);
    members.checks->expect(is_over == 1, "complete after a fence");
  }
  bool const is_alone = test_size(MPI_COMM_WORLD) == 1;
  members.checks->expect(is_alone ? told.num_errors == 0 : is_told(told, is_last), told.text);
  members.freed(request);
}

/// What the team plans later learns, and is tuned.
void go_on(Members& members) {
  espalier_onesided_options const options = options_of(true, ESPALIER_MYSYNC);
  Told told;
  {
    Bcast bcast(members, options);
    for (int run = 0; run < num_calls; ++run) {
      bcast.call(run, told, false);
    }
  }
  members.checks->expect(told.num_errors == 0, "errors later: " + told.text);
  espalier_request* request = members.planned({.name = "bcast", .count = 9}, options);
  espalier_tuning_options const moment = within(0.01);
  int const code = espalier_request_tune(request, &moment);
  members.checks->expect(code == MPI_SUCCESS, "tune later: " + text_of(code));
  members.freed(request);
}

void tell_all(Members& members) {
  int const last = test_size(MPI_COMM_WORLD) - 1;
  std::vector<Learns> const some{
      [](int rank) { return rank == 0; },
      [last](int rank) { return rank != last; },
      [](int) { return true; },
  };
  for (Learns const& learns : some) {
    tell(members, learns, ESPALIER_ALLSYNC);
    tell(members, learns, ESPALIER_NOSYNC);
    give_up_early(members, learns);
  }
  tell_of_two(members);
  tell_in_fences(members);
  go_on(members);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Checks checks;
  for (char const* const transport : transports()) {
    Members members(checks, transport);
    tell_all(members);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
