// SPDX-License-Identifier: Apache-2.0

/// @file
/// Collectives of a team whose blocks have different sizes, some of them none: in all modes, with
/// both kinds of addresses, by every mechanism, over all transports, against what MPI itself says.
/// What is wrong with their lists reaches all members that can know it.

#include <string>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_comparison.hpp"

namespace {

using namespace espalier::test;

std::vector<Case> uneven_cases(int p, MPI_Datatype pairs) {
  return {
      {.name = "scatterv", .count = 5, .root = p / 2},
      {.name = "gatherv", .count = 5, .root = p - 1},
      {.name = "allgatherv", .count = 5},
      {.name = "alltoallv", .count = 5},
      {.name = "scatterv", .count = 1, .width = 2, .type = pairs},
      {.name = "alltoallv", .count = 2, .width = 2, .type = pairs},
  };
}

void compare_named(Comparison& comparison) {
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  for (char const* const name :
       {"scatter/flat",
        "scatter/k_ary[k=2]",
        "gather/flat",
        "gather/binomial",
        "allgather/ring",
        "allgather/bruck",
        "allgather/recursive_multiplying",
        "alltoall/linear",
        "alltoall/pairwise"}) {
    std::string const text = name;
    options.algorithm = name;
    comparison.run({.name = text.substr(0, text.find('/')) + "v", .count = 11}, options);
  }
}

/// The places of all blocks of a team whose members have one element each.
struct Ones {
  explicit Ones(int p) : counts(static_cast<std::size_t>(p), 1) {
    for (int rank = 0; rank < p; ++rank) {
      displs.push_back(rank);
    }
  }

  std::vector<int> counts;
  std::vector<int> displs;
};

/// Refused calls of a team, and the words that say why.
class Refusals {
public:
  Refusals(Checks& checks, World const& world, espalier_team* team)
      : checks_(&checks), team_(team), p_(espalier_team_size(team)) {
    auto* const segment = static_cast<std::byte*>(espalier_conduit_segment(world.conduit));
    in_ = segment + 64;
    out_ = segment + region_bytes;
  }

  void check_parts() {
    Ones wrong(p_);
    wrong.counts.back() = -1;
    expect(gatherv(wrong), MPI_ERR_COUNT, "got -1 for member " + std::to_string(p_ - 1));
    wrong = Ones(p_);
    wrong.displs.front() = -2;
    expect(gatherv(wrong), MPI_ERR_ARG, "displacements of recvbuf of at least 0, got -2");
    expect(scatterv(wrong), MPI_ERR_ARG, "displacements of sendbuf of at least 0, got -2");
    wrong = Ones(p_);
    wrong.displs.back() = 1 << 20;
    expect(gatherv(wrong), MPI_ERR_ARG, "of 4194308 bytes inside the segment of rank 0");
    expect(allgatherv(nullptr, nullptr), MPI_ERR_ARG, "counts of recvbuf, got a null pointer");
    std::vector<int> const huge(static_cast<std::size_t>(p_), 2147483647);
    if (p_ > 1) {
      expect(allgatherv(huge.data(), nullptr), MPI_ERR_ARG, "at most 2147483647 elements");
      wrong = Ones(p_);
      wrong.displs.back() = wrong.displs.front();
      expect(gatherv(wrong), MPI_ERR_ARG, "blocks of recvbuf that do not overlap");
    }
  }

  void check_exchange() {
    Ones const right(p_);
    Ones wrong(p_);
    int const rank = espalier_team_rank(team_);
    if (rank == p_ - 1) {
      wrong.counts.front() = -1;
    }
    // All hear of what one of them has done.
    std::string const said = p_ == 1 || rank == p_ - 1 ? "got -1 for member 0" : "another rank";
    expect(alltoallv(wrong, right), MPI_ERR_COUNT, said);
    wrong.counts.front() = rank == p_ - 1 ? 2 : 1;
    expect(
        alltoallv(wrong, right),
        MPI_ERR_COUNT,
        "member 0 to receive the 2 elements that member " + std::to_string(p_ - 1) +
            " sends to it, got a count of 1"
    );
    if (p_ > 1) {
      wrong = right;
      wrong.displs.back() = 0;
      expect(alltoallv(right, wrong), MPI_ERR_ARG, "do not overlap");
      options_.out = rank == 0 ? ESPALIER_MYSYNC : ESPALIER_ALLSYNC;
      expect(alltoallv(right, right), MPI_ERR_ARG, "equal arguments");
      options_.out = ESPALIER_ALLSYNC;
    }
    if (p_ > 2) {
      options_.algorithm = "alltoall/bruck[k=2]";
      expect(alltoallv(right, right), MPI_ERR_ARG, "which do not know their sizes; these can");
      options_.algorithm = nullptr;
    }
    // Of a buffer as of lists.
    auto* const place = in_;
    in_ = rank == p_ - 1 ? nullptr : place;
    expect(
        alltoallv(right, right), MPI_ERR_BUFFER, rank == p_ - 1 ? "a null pointer" : "another rank"
    );
    in_ = place;
    // Nothing is lost by all that.
    checks_->expect(alltoallv(right, right) == MPI_SUCCESS, "a right exchange");
    checks_->expect(espalier_request_free(&request_) == MPI_SUCCESS, "free");
  }

private:
  int gatherv(Ones const& to) {
    return espalier_team_gatherv_init(
        in_, out_, to.counts.data(), to.displs.data(), MPI_INT, 0, team_, &options_, &request_
    );
  }

  int scatterv(Ones const& from) {
    return espalier_team_scatterv_init(
        in_, from.counts.data(), from.displs.data(), out_, MPI_INT, 0, team_, &options_, &request_
    );
  }

  int allgatherv(int const* counts, int const* displs) {
    return espalier_team_allgatherv_init(
        in_, out_, counts, displs, MPI_INT, team_, &options_, &request_
    );
  }

  int alltoallv(Ones const& from, Ones const& to) {
    return espalier_team_alltoallv_init(
        in_,
        from.counts.data(),
        from.displs.data(),
        out_,
        to.counts.data(),
        to.displs.data(),
        MPI_INT,
        team_,
        &options_,
        &request_
    );
  }

  void expect(int code, int error_class, std::string const& part) {
    int found = MPI_SUCCESS;
    PMPI_Error_class(code, &found);
    std::string const text = text_of(code);
    checks_->expect(found == error_class, part + ": the class of an error: " + text);
    checks_->expect(text.find(part) != std::string::npos, part + ": " + text);
    checks_->expect(request_ == nullptr, part + ": nothing is planned of what is wrong");
  }

  Checks* checks_;
  espalier_team* team_;
  int p_;
  void* in_;
  void* out_;
  espalier_onesided_options options_ = ESPALIER_ONESIDED_OPTIONS_INIT;
  espalier_request* request_ = nullptr;
};

/// What was measured of uneven blocks is not taken for blocks of one size.
void tune(Checks& checks, World const& world, espalier_team* team) {
  auto* const segment = static_cast<std::byte*>(espalier_conduit_segment(world.conduit));
  int const p = espalier_team_size(team);
  Ones const all(p);
  espalier_request* uneven = nullptr;
  espalier_request* even = nullptr;
  void* const out = segment + region_bytes;
  checks.expect(
      espalier_team_gatherv_init(
          segment, out, all.counts.data(), nullptr, MPI_INT, 0, team, nullptr, &uneven
      ) == MPI_SUCCESS,
      "plan"
  );
  espalier_tuning_options tuning = ESPALIER_TUNING_OPTIONS_INIT;
  tuning.seconds = 100;
  int const code = espalier_request_tune(uneven, &tuning);
  checks.expect(code == MPI_SUCCESS, "tune: " + text_of(code));
  checks.expect(std::string(espalier_request_origin(uneven)) == "tuned", "it is tuned");
  checks.expect(
      espalier_team_gather_init(segment, out, 1, MPI_INT, 0, team, nullptr, &even) == MPI_SUCCESS,
      "plan"
  );
  checks.expect(std::string(espalier_request_origin(even)) == "rule", "the other one is not");
  espalier_request_free(&even);
  espalier_request_free(&uneven);
}

void compare_all(Checks& checks, char const* transport) {
  World const world(checks, 2 * region_bytes, transport);
  espalier_team* team = nullptr;
  int const code = espalier_team_create(world.conduit, MPI_COMM_WORLD, 1U << 20U, &team);
  checks.expect(code == MPI_SUCCESS, "a team: " + text_of(code));
  MPI_Datatype pairs = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(2, MPI_INT32_T, &pairs);
  PMPI_Type_commit(&pairs);
  std::vector<Case> const all = uneven_cases(espalier_team_size(team), pairs);
  Comparison comparison(checks, world, MPI_COMM_WORLD, team);
  compare_forms(comparison, all);
  compare_sizes(comparison, all);
  compare_named(comparison);
  Refusals refusals(checks, world, team);
  refusals.check_parts();
  refusals.check_exchange();
  if (espalier_team_size(team) <= 3) {
    tune(checks, world, team);
  }
  checks.expect(espalier_team_free(&team) == MPI_SUCCESS, "free the team");
  PMPI_Type_free(&pairs);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Checks checks;
  for (char const* const transport : transports()) {
    compare_all(checks, transport);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
