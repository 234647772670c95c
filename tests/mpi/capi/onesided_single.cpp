// SPDX-License-Identifier: Apache-2.0

/// @file
/// Collectives of a team whose members have their buffers at different offsets and tell each other
/// where: all of them, in all modes, by every mechanism, over all transports, against what MPI
/// itself says. What is wrong on one member is an error on all of them, and names it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_comparison.hpp"
#include "tests/mpi/capi/onesided_members.hpp"

namespace {

using namespace espalier::test;

constexpr std::array single{ESPALIER_ADDRESSES_SINGLE};

espalier_onesided_options told() {
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.addresses = ESPALIER_ADDRESSES_SINGLE;
  return options;
}

std::vector<Case> cases(int p, MPI_Datatype pairs, MPI_Op in_order) {
  std::vector<Case> all = usual_cases(p, pairs, in_order);
  for (std::string const name : {"scatterv", "gatherv", "allgatherv", "alltoallv"}) {
    all.push_back({.name = name, .count = 5, .root = name == "scatterv" ? p / 2 : 0});
  }
  return all;
}

/// Members of the team have other ranks than on the conduit.
void compare_all(Checks& checks, char const* transport) {
  World const world(checks, 2 * region_bytes, transport);
  MPI_Comm reversed = MPI_COMM_NULL;
  PMPI_Comm_split(MPI_COMM_WORLD, 0, -test_rank(MPI_COMM_WORLD), &reversed);
  espalier_team* team = nullptr;
  int const code = espalier_team_create(world.conduit, reversed, 1U << 20U, &team);
  checks.expect(code == MPI_SUCCESS, "a team: " + text_of(code));
  MPI_Datatype pairs = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(2, MPI_INT32_T, &pairs);
  PMPI_Type_commit(&pairs);
  MPI_Op in_order = MPI_OP_NULL;
  PMPI_Op_create(combine_in_order, 0, &in_order);
  std::vector<Case> const all = cases(test_size(reversed), pairs, in_order);
  Comparison comparison(checks, world, reversed, team);
  compare_forms(comparison, all, single);
  compare_sizes(comparison, all, single);
  espalier_onesided_options options = told();
  if (test_size(reversed) > 1) {
    options.algorithm = "alltoall/native";
    comparison.run({.name = "alltoall", .count = 11}, options);
    options.algorithm = "bcast/chain[segments=4]";
    comparison.run({.name = "bcast", .count = 11}, options);
  }
  checks.expect(espalier_team_free(&team) == MPI_SUCCESS, "free the team");
  PMPI_Op_free(&in_order);
  PMPI_Type_free(&pairs);
  PMPI_Comm_free(&reversed);
}

/// A member of its own place, and the words that all members are told.
class Refusals {
public:
  explicit Refusals(Members& members)
      : members_(&members), rank_(espalier_team_rank(members.team)),
        last_(espalier_team_size(members.team) - 1) {
    own_.fill(7);
  }

  void check_all() {
    std::string const last = "rank " + std::to_string(last_) + " of the team";
    bool const is_last = rank_ == last_;
    auto* const elsewhere = is_last ? own_.data() : members_->in;
    expect(
        gather(elsewhere, members_->out, 1),
        MPI_ERR_ARG,
        "sendbuf of 4 bytes inside the segment of " + last
    );
    auto* const behind = members_->in + 2 * Members::region_bytes / sizeof(std::int32_t);
    expect(
        gather(is_last ? behind : members_->in, members_->out, 1),
        MPI_ERR_ARG,
        "got offset " + std::to_string(2 * Members::region_bytes + 64)
    );
    expect(
        gather(is_last ? nullptr : members_->in, members_->out, 1),
        MPI_ERR_BUFFER,
        is_last ? "a null pointer" : last
    );
    expect(
        gather(members_->in, members_->out, is_last ? -1 : 1),
        MPI_ERR_COUNT,
        is_last ? "got -1" : last
    );
    if (last_ > 0) {
      expect(
          gather(members_->in, members_->out, rank_ == 0 ? 2 : 1),
          MPI_ERR_ARG,
          "got others on rank 1 of the team"
      );
      expect(
          gather(members_->in, rank_ == 0 ? own_.data() : nullptr, 1),
          MPI_ERR_ARG,
          "recvbuf of " + std::to_string(4 * (last_ + 1)) +
              " bytes inside the segment of rank 0 of the team"
      );
    }
  }

  /// Lists are checked together, too.
  void check_lists() {
    std::vector<int> counts(static_cast<std::size_t>(last_) + 1, 1);
    counts.back() = rank_ == last_ ? -1 : 1;
    espalier_onesided_options const options = told();
    espalier_request* request = nullptr;
    int const code = espalier_team_allgatherv_init(
        members_->in,
        members_->out,
        counts.data(),
        nullptr,
        MPI_INT,
        members_->team,
        &options,
        &request
    );
    expect(
        code,
        MPI_ERR_COUNT,
        rank_ == last_ ? "got -1 for member"
                       : "rank " + std::to_string(last_) + " of the team are wrong"
    );
  }

  /// Nothing is lost by what was refused.
  void check_next() {
    members_->in[0] = rank_;
    std::fill_n(members_->out, last_ + 1, -1);
    espalier_conduit_barrier(members_->world.conduit);
    int const code = gather(members_->in, rank_ == 0 ? members_->out : nullptr, 1);
    members_->checks->expect(code == MPI_SUCCESS, "a right gather: " + text_of(code));
    espalier_request_start(request_);
    members_->checks->expect(espalier_request_wait(request_) == MPI_SUCCESS, "it is complete");
    std::vector<std::int32_t> expected(static_cast<std::size_t>(last_) + 1);
    std::iota(expected.begin(), expected.end(), 0);
    bool const is_right = rank_ != 0 || std::equal(expected.begin(), expected.end(), members_->out);
    members_->checks->expect(is_right, "what the root has gathered");
    members_->freed(request_);
  }

private:
  int gather(std::int32_t* in, std::int32_t* out, int count) {
    espalier_onesided_options const options = told();
    return espalier_team_gather_init(
        in, out, count, MPI_INT32_T, 0, members_->team, &options, &request_
    );
  }

  void expect(int code, int error_class, std::string const& part) {
    int found = MPI_SUCCESS;
    PMPI_Error_class(code, &found);
    std::string const text = text_of(code);
    members_->checks->expect(found == error_class, part + ": the class of an error: " + text);
    members_->checks->expect(text.find(part) != std::string::npos, part + ": " + text);
    members_->checks->expect(request_ == nullptr, part + ": nothing is planned");
  }

  Members* members_;
  int rank_;
  int last_;
  std::array<std::int32_t, 64> own_{};
  espalier_request* request_ = nullptr;
};

/// An allreduce in a loop, of numbers that lie elsewhere on each member.
class Loop {
public:
  Loop(Members& members, std::size_t step) : members_(&members) {
    int const rank = test_rank(MPI_COMM_WORLD);
    auto const place = step * static_cast<std::size_t>(rank);
    in_ = members.in + place;
    out_ = members.out + 3 * place;
  }

  espalier_request* planned(espalier_onesided_options const& options) {
    espalier_request* request = nullptr;
    int const code =
        plan({.name = "allreduce", .count = num_}, in_, out_, members_->team, &options, &request);
    members_->checks->expect(code == MPI_SUCCESS, "an allreduce: " + text_of(code));
    return request;
  }

  void run(espalier_request* request, int num_runs) {
    int const p = test_size(MPI_COMM_WORLD);
    int const rank = test_rank(MPI_COMM_WORLD);
    for (int run = 0; run < num_runs; ++run) {
      std::fill_n(in_, num_, rank + run);
      std::fill_n(out_, num_, -1);
      espalier_conduit_barrier(members_->world.conduit);
      espalier_request_start(request);
      espalier_request_wait(request);
      espalier_conduit_barrier(members_->world.conduit);
      int const sum = p * run + p * (p - 1) / 2;
      bool const is_right = std::all_of(out_, out_ + num_, [&](int one) { return one == sum; });
      members_->checks->expect(
          is_right, "sums in run " + std::to_string(run) + " by " + names_of(request)
      );
    }
  }

private:
  static constexpr int num_ = 9;

  Members* members_;
  std::int32_t* in_;
  std::int32_t* out_;
};

/// Candidates run with the places of the request. What is found is kept for any places.
void tune_and_learn(Members& members) {
  constexpr int many_calls = 60;
  Loop first(members, 40);
  Loop second(members, 72);
  espalier_onesided_options options = told();
  options.mechanism = "signaling_put";
  options.algorithm = "allreduce/ring";
  espalier_request* const request = first.planned(options);
  first.run(request, 2);
  members.freed(request);

  options = told();
  options.flags = ESPALIER_LEARN_IN_STARTS;
  espalier_request* const learning = first.planned(options);
  first.run(learning, many_calls);
  members.freed(learning);

  options = told();
  espalier_request* const tuned = first.planned(options);
  espalier_tuning_options const tuning = within(0.5);
  int const code = espalier_request_tune(tuned, &tuning);
  members.checks->expect(code == MPI_SUCCESS, "tune: " + text_of(code));
  first.run(tuned, 2);
  espalier_request* const elsewhere = second.planned(options);
  members.checks->expect(
      names_of(elsewhere) == names_of(tuned),
      "found: " + names_of(tuned) + ", taken: " + names_of(elsewhere)
  );
  second.run(elsewhere, 2);
  members.freed(elsewhere);
  members.freed(tuned);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Checks checks;
  for (char const* const transport : transports()) {
    compare_all(checks, transport);
    Members members(checks, transport);
    Refusals refusals(members);
    refusals.check_all();
    refusals.check_lists();
    refusals.check_next();
    tune_and_learn(members);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
