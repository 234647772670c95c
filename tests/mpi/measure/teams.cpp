// SPDX-License-Identifier: Apache-2.0

/// @file
/// Groups of ranks make calls on communicators of their own, and measure together.

#include "espalier/measure/common/teams.hpp"

#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/measure/collectives/contender.hpp"
#include "espalier/measure/collectives/workload.hpp"
#include "tests/mpi/exec/support.hpp"

namespace {

using espalier::measure::Contenders;
using espalier::measure::Job;
using espalier::measure::Teams;
using espalier::measure::Workload;
using espalier::profile::Call;
using espalier::test::Checks;

/// Without groups all ranks are one team, and no communicator is made.
void take_all(Job const& job, Checks& checks) {
  auto teams = Teams::split(job, {});
  checks.expect(teams.has_value(), "all ranks take part");
  checks.expect(teams && teams->all.comm == job.comm && teams->own.comm == job.comm, "as one team");
}

/// Pairs of ranks, the higher one first; a rank that is left over has nothing to do.
std::vector<std::vector<int>> pairs(int num_ranks) {
  std::vector<std::vector<int>> groups;
  for (int rank = 0; rank + 1 < num_ranks; rank += 2) {
    groups.push_back({rank + 1, rank});
  }
  return groups;
}

void expect_result(Teams const& teams, Checks& checks) {
  Contenders contenders(teams.own);
  for (std::string const choice : {"native", "allgather/ring"}) {
    Workload workload(teams.own, {.call = Call::allgather, .bytes = 1000, .choices = {}});
    std::vector<std::byte> const expected = workload.expected(0, 3);
    workload.fill(0, 3);
    int const code = contenders.get({.call = Call::allgather}, choice).run(workload, 0).code;
    checks.expect(code == MPI_SUCCESS, choice + " runs");
    checks.expect(Workload::difference(expected, workload.guarded_result()).empty(), choice);
  }
  contenders.finish();
}

void split_into_pairs(Job const& job, Checks& checks) {
  auto teams = Teams::split(job, pairs(job.num_ranks));
  bool const is_left_over = job.rank % 2 == 0 && job.rank + 1 == job.num_ranks;
  checks.expect(teams.has_value() != is_left_over, "who takes part");
  if (teams) {
    checks.expect(teams->own.num_ranks == 2, "a pair");
    checks.expect(teams->own.rank == (job.rank + 1) % 2, "in the order of the group");
    checks.expect(teams->all.num_ranks == job.num_ranks / 2 * 2, "together");
    checks.expect(teams->all.rank == job.rank, "in the order of the job");
    expect_result(*teams, checks);
    teams->finish(job);
  }
}

void refuse_unknown_ranks(Job const& job, Checks& checks) {
  std::string text;
  try {
    static_cast<void>(Teams::split(job, {{0, job.num_ranks}}));
  } catch (espalier::Error const& error) {
    text = error.what();
  }
  checks.expect(text.find("got rank " + std::to_string(job.num_ranks)) != std::string::npos, text);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Checks checks;
  Job job = Job::describe();
  take_all(job, checks);
  split_into_pairs(job, checks);
  refuse_unknown_ranks(job, checks);
  job.finish();
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
