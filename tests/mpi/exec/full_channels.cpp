// SPDX-License-Identifier: Apache-2.0

/// @file
/// More messages to a rank of the node than a channel has lines go on while their sender waits for
/// a message of another node, which depends on them:
///
///     node 0            node 1
///     0 ==many==> 1 ----> 2 ----> 0

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/exec/node/channel.hpp"
#include "espalier/schedule/builder.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using exec::MpiExecutor;
using schedule::blocks;

constexpr int num_messages = 3 * static_cast<int>(exec::node::ChannelRules::lines);
/// The block that goes around by MPI.
constexpr int last = num_messages;

schedule::RankProgram program_of(int rank) {
  schedule::Builder builder({.num_ranks = 4, .num_output_blocks = num_messages + 1}, rank);
  if (rank == 0) {
    for (int i = 0; i < num_messages; ++i) {
      builder.send(1, blocks(i));
    }
    builder.next_round().recv(2, blocks(last));
  } else if (rank == 1) {
    for (int i = 0; i < num_messages; ++i) {
      builder.recv(0, blocks(i));
    }
    builder.next_round().send(2, blocks(num_messages - 1));
  } else if (rank == 2) {
    builder.recv(1, blocks(last)).next_round().send(0, blocks(last));
  }
  return std::move(builder).finish();
}

enum class Start { none, only, tested };

void run_program(MpiExecutor& executor, int* output, Start start) {
  if (start == Start::none) {
    executor.run(nullptr, output);
    return;
  }
  executor.start(nullptr, output);
  bool is_complete = false;
  if (start == Start::tested) {
    executor.progress(is_complete);
  }
  if (!is_complete) {
    executor.finish();
  }
}

int run() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PrivateComm const comm;
  Checks checks;
  exec::MpiBlocks const ints{
      .type = MPI_INT, .layout = exec::Layout::uniform(num_messages + 1, 1, sizeof(int))
  };
  MpiExecutor executor(program_of(rank), {.context = comm, .output = ints});
  for (Start const start : {Start::none, Start::only, Start::tested}) {
    std::vector<int> output(static_cast<std::size_t>(num_messages) + 1, 0);
    if (rank == 0) {
      std::iota(output.begin(), output.end() - 1, 1);
    }
    run_program(executor, output.data(), start);
    bool const has_value = output.back() == num_messages || rank == 1 || rank == 3;
    checks.expect(has_value, "start " + std::to_string(static_cast<int>(start)));
  }
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
