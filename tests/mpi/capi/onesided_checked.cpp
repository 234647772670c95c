// SPDX-License-Identifier: Apache-2.0

/// @file
/// Symmetric addresses where rank 0 asks for checks: members whose buffers lie at other offsets are
/// named on all of them, and all else is as without checks.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_comparison.hpp"
#include "tests/mpi/capi/onesided_members.hpp"

namespace {

using namespace espalier::test;

/// Collectives of a team of which the last member names addresses that are a bit further.
class Displaced {
public:
  explicit Displaced(Members& members)
      : members_(&members), last_(test_size(MPI_COMM_WORLD) - 1),
        is_last_(test_rank(MPI_COMM_WORLD) == last_) {}

  void refuse_all(std::vector<Case> const& all) {
    for (Case const& one : all) {
      bool const has_input = one.name.rfind("bcast", 0) != 0;
      if (has_input) {
        refuse(one, "sendbuf", 2, 0);
      }
      refuse(one, has_input ? "recvbuf" : "buffer", 0, 3);
    }
  }

  void accept(std::vector<Case> const& all) {
    for (Case const& one : all) {
      espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
      members_->freed(members_->planned(one, options));
      // Where buffers are is for the others no matter here.
      options.addresses = ESPALIER_ADDRESSES_LOCAL;
      expect(plan_displaced(one, options, 2, 3), MPI_SUCCESS, one.name + " with local addresses");
      options.addresses = ESPALIER_ADDRESSES_SINGLE;
      expect(plan_displaced(one, options, 2, 3), MPI_SUCCESS, one.name + " with single addresses");
    }
  }

private:
  /// @param in, out  how many numbers the buffers of the last member lie further
  int plan_displaced(Case const& one, espalier_onesided_options const& options, int in, int out) {
    espalier_request* request = nullptr;
    int const code = plan(
        one,
        members_->in + (is_last_ ? in : 0),
        members_->out + (is_last_ ? out : 0),
        members_->team,
        &options,
        &request
    );
    if (request != nullptr) {
      members_->freed(request);
    }
    return code;
  }

  void refuse(Case const& one, std::string const& buffer, int in, int out) {
    espalier_onesided_options const options = ESPALIER_ONESIDED_OPTIONS_INIT;
    int const code = plan_displaced(one, options, in, out);
    if (last_ == 0) {
      expect(code, MPI_SUCCESS, one.name + " of one member");
      return;
    }
    expect(code, MPI_ERR_ARG, one.name);
    std::uint64_t const offset = in != 0 ? 64 : Members::region_bytes;
    auto const shift = sizeof(std::int32_t) * static_cast<std::size_t>(in + out);
    std::string const part = "expected " + buffer + " at the same offset on all members, got " +
                             std::to_string(offset) + " on rank 0 of the team and " +
                             std::to_string(offset + shift) + " on rank " + std::to_string(last_) +
                             ": ";
    std::string const text = text_of(code);
    members_->checks->expect(text.find(part) != std::string::npos, one.name + ": " + text);
  }

  void expect(int code, int error_class, std::string const& what) {
    int found = MPI_SUCCESS;
    PMPI_Error_class(code, &found);
    members_->checks->expect(found == error_class, what + ": " + text_of(code));
  }

  Members* members_;
  int last_;
  bool is_last_;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (std::string const name :
       {"bcast",
        "scatter",
        "gather",
        "reduce",
        "allreduce",
        "allgather",
        "alltoall",
        "scatterv",
        "gatherv",
        "allgatherv",
        "alltoallv"}) {
    all.push_back({.name = name, .count = 3});
  }
  return all;
}

/// What is wrong on one member alone is an error on all, who would wait for it in the first start.
void check_own(Members& members) {
  bool const is_first = test_rank(MPI_COMM_WORLD) == 0;
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.size = is_first ? 1 : options.size;
  espalier_request* request = nullptr;
  int const code =
      plan({.name = "allreduce"}, members.in, members.out, members.team, &options, &request);
  int found = MPI_SUCCESS;
  PMPI_Error_class(code, &found);
  std::string const text = text_of(code);
  std::string const part =
      is_first ? "set by ESPALIER_ONESIDED_OPTIONS_INIT" : "rank 0 of the team";
  members.checks->expect(found == MPI_ERR_ARG && text.find(part) != std::string::npos, text);
}

void compare(Checks& checks, Members& members) {
  Comparison comparison(checks, members.world, MPI_COMM_WORLD, members.team);
  compare_sizes(comparison, cases());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (test_rank(MPI_COMM_WORLD) == 0) {
    setenv("ESPALIER_CHECK_ADDRESSES", "1", 1);
  }
  Checks checks;
  for (char const* const transport : transports()) {
    Members members(checks, transport);
    Displaced displaced(members);
    displaced.refuse_all(cases());
    displaced.accept(cases());
    check_own(members);
    compare(checks, members);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
