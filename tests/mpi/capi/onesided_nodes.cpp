// SPDX-License-Identifier: Apache-2.0

/// @file
/// Collectives of a team in which one member of a node hears and tells the others: in all modes by
/// name, and as candidates of tuning and learning. With cliques of MPICH there are two nodes.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_cases.hpp"
#include "tests/mpi/capi/onesided_members.hpp"
#include "tests/mpi/capi/onesided_support.hpp"

namespace {

using namespace espalier::test;

/// A collective, and the bits that MPI says.
class Run {
public:
  Run(Members& members, Case one) : members_(&members), one_(std::move(one)) {
    Blocks const blocks = blocks_of(one_, rank(), test_size(MPI_COMM_WORLD));
    in_.resize(static_cast<std::size_t>(one_.count * blocks.in));
    out_.resize(static_cast<std::size_t>(one_.count * blocks.out));
  }

  void call(espalier_request* request, int run) {
    fill(in_, rank(), run);
    fill(out_, rank(), run + 1);
    std::ranges::copy(in_, members_->in);
    std::ranges::copy(out_, members_->out);
    espalier_conduit_barrier(members_->world.conduit);
    int const code = espalier_request_start(request);
    members_->checks->expect(code == MPI_SUCCESS, one_.name + ": " + text_of(code));
    espalier_request_wait(request);
    espalier_conduit_barrier(members_->world.conduit);
    run_by_mpi(one_, in_.data(), out_.data(), MPI_COMM_WORLD);
    bool const is_right = std::equal(out_.begin(), out_.end(), members_->out);
    members_->checks->expect(is_right, one_.name + " by " + names_of(request));
  }

private:
  [[nodiscard]] static int rank() { return test_rank(MPI_COMM_WORLD); }

  Members* members_;
  Case one_;
  std::vector<std::int32_t> in_;
  std::vector<std::int32_t> out_;
};

struct Named {
  Case one;
  std::string algorithm;
};

std::vector<Named> all_named() {
  int const last = test_size(MPI_COMM_WORLD) - 1;
  return {
      {{.name = "bcast", .count = 7, .root = last}, "bcast/orthogonal[rows=2]"},
      {{.name = "bcast", .count = 7}, "bcast/orthogonal[rows=2,dealt=2]"},
      {{.name = "bcast", .count = 7}, "bcast/multi_lane[rows=2]"},
      {{.name = "reduce", .count = 7, .root = last}, "reduce/orthogonal[rows=2]"},
      {{.name = "allreduce", .count = 7}, "allreduce/hierarchical[rows=2]"},
      {{.name = "allreduce", .count = 7}, "allreduce/hierarchical[rows=2,dealt=2]"},
      {{.name = "allgather", .count = 3}, "allgather/hierarchical[rows=2]"},
      {{.name = "allgather", .count = 3}, "allgather/hierarchical[rows=2,dealt=2]"},
      {{.name = "alltoall", .count = 3}, "alltoall/hierarchical[rows=2]"},
      {{.name = "alltoall", .count = 3}, "alltoall/node_aware[rows=2]"},
  };
}

void run_in_all_modes(Members& members) {
  constexpr std::array syncs{ESPALIER_ALLSYNC, ESPALIER_MYSYNC, ESPALIER_NOSYNC};
  for (Named const& named : all_named()) {
    for (espalier_sync const in : syncs) {
      for (espalier_sync const out : syncs) {
        espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
        options.in = in;
        options.out = out;
        options.algorithm = named.algorithm.c_str();
        espalier_request* const request = members.planned(named.one, options);
        Run run(members, named.one);
        run.call(request, 1);
        run.call(request, 2);
        members.freed(request);
      }
    }
  }
}

/// Of each collective: with the time of the call it does not matter what turns out to be fastest.
void tune_and_learn(Members& members) {
  for (std::string const name : {"bcast", "reduce", "allreduce", "allgather", "alltoall"}) {
    Case const one{.name = name, .count = 5};
    espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
    espalier_request* request = members.planned(one, options);
    espalier_tuning_options const moment = within(0.05);
    int const code = espalier_request_tune(request, &moment);
    members.checks->expect(code == MPI_SUCCESS, "tune " + name + ": " + text_of(code));
    members.checks->expect(is_same(names_of(request)), "the same by all: " + names_of(request));
    Run run(members, one);
    run.call(request, 1);
    members.freed(request);
    options.flags = ESPALIER_LEARN_IN_STARTS;
    options.out = ESPALIER_MYSYNC;
    request = members.planned(one, options);
    for (int step = 0; step < 25; ++step) {
      run.call(request, step);
    }
    members.checks->expect(is_same(names_of(request)), "learned by all: " + names_of(request));
    members.freed(request);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Checks checks;
  {
    Members members(checks, "rma");
    run_in_all_modes(members);
    tune_and_learn(members);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
