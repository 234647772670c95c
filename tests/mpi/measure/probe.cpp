// SPDX-License-Identifier: Apache-2.0

/// @file
/// A probe sees data that change on the way: this program has an MPI_Send of its own that spoils a
/// byte of every message of one size, as far as the probe is concerned.

#include <cstddef>
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/probe/exchange.hpp"
#include "espalier/measure/probe/message_memory.hpp"
#include "espalier/measure/probe/probe_plan.hpp"
#include "tests/mpi/exec/support.hpp"

namespace {

using espalier::measure::Job;
using espalier::measure::probe::Exchange;
using espalier::measure::probe::MessageMemory;
using espalier::measure::probe::Pair;
using espalier::measure::probe::ProbePlan;
using espalier::measure::probe::TestKind;
using espalier::measure::probe::TestRequest;
using espalier::test::Checks;

constexpr int spoiled_count = 1234;
constexpr Pair pair{.sender = 0, .receiver = 1};

TestRequest request_of(TestKind kind, int bytes) {
  bool const has_many = kind == TestKind::bandwidth || kind == TestKind::bidirectional ||
                        kind == TestKind::message_rate;
  return {
      .kind = kind,
      .label = "",
      .bytes = {bytes},
      .messages = has_many ? 5 : 1,
      .sets = {{pair}},
  };
}

/// What the checked messages of a test are refused with on this rank.
std::string complaint_of(Job const& job, TestKind kind, int bytes) {
  ProbePlan const plan{.tests = {request_of(kind, bytes)}};
  MessageMemory memory(plan, job.rank);
  Exchange exchange(job.comm, memory, pair, job.rank, plan.tests.front(), bytes);
  try {
    exchange.prepare();
  } catch (espalier::Error const& error) {
    return error.what();
  }
  // Where one end complains, the other must not go on.
  bool const is_clean = bytes != spoiled_count;
  return is_clean && exchange.sample_us(3) < 0.0 ? "negative time" : "";
}

void check_kind(Job const& job, TestKind kind, Checks& checks) {
  std::string const name(to_string(kind));
  std::string const none = complaint_of(job, kind, spoiled_count + 1);
  checks.expect(none.empty(), name + ": clean messages pass: " + none);
  std::string const found = complaint_of(job, kind, spoiled_count);
  // Rank 0 spoils what it sends; what it receives is clean.
  if (job.rank == pair.receiver) {
    checks.expect(found.find("near byte 0") != std::string::npos, name + ": where: " + found);
    checks.expect(found.find("from rank 0") != std::string::npos, name + ": whose: " + found);
  }
}

}  // namespace

/// Found before the one of the MPI library.
extern "C" int
PMPI_Send(void const* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  using Function = int (*)(void const*, int, MPI_Datatype, int, int, MPI_Comm);
  static auto const real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "PMPI_Send"));
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (count != spoiled_count || type != MPI_BYTE || rank != pair.sender) {
    return real(buffer, count, type, dest, tag, comm);
  }
  auto const* const bytes = static_cast<std::byte const*>(buffer);
  std::vector<std::byte> spoiled(bytes, bytes + count);
  spoiled[7] ^= std::byte{1};
  return real(spoiled.data(), count, type, dest, tag, comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Checks checks;
  Job job = Job::describe();
  for (TestKind const kind :
       {TestKind::latency,
        TestKind::bandwidth,
        TestKind::message_rate,
        TestKind::send_overhead,
        TestKind::receive_overhead,
        TestKind::bidirectional}) {
    if (job.rank <= pair.receiver) {
      check_kind(job, kind, checks);
    }
    MPI_Barrier(job.comm);
  }
  checks.expect(true, "takes part");
  MPI_Comm_free(&job.comm);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
