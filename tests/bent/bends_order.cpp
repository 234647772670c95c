// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include "tests/bent/bends.hpp"

namespace bent {
namespace {

/// Whoever does not wait for others may go on: the root that sends, others that send to the root.
/// Messages are small, so that nobody waits for their receiver either.
/// Not reduce: where operands have to stay in order the root may be the first to send.
constexpr int few_elements = 9;

std::vector<Function> one_way_functions() {
  return {
      Function::bcast,
      Function::scatter,
      Function::scatterv,
      Function::gather,
      Function::gatherv,
  };
}

bool is_from_root(Function function) {
  return function == Function::bcast || function == Function::scatter ||
         function == Function::scatterv;
}

Step step_on(Step& step, Communicator const& comm, std::uint64_t number) {
  Random common = step.common;
  Random own = step.own;
  return {
      .report = step.report,
      .kind = step.kind,
      .comm = comm,
      .common = Random{common.next(), number},
      .own = Random{own.next(), number},
  };
}

void call_on(Step& step, Communicator const& comm, Function function, std::uint64_t number) {
  Step inner = step_on(step, comm, number);
  Material material;
  material.has_root_0 = true;
  make_right(material, inner, function, Shapes::ints, few_elements);
  perform(inner, material, false);
}

void free(Communicator const& comm) {
  MPI_Comm handle = comm.handle;
  MPI_Comm_free(&handle);
}

}  // namespace

/// Rank 0 calls on A, then on B; others on B, then on A.
void disorder(Step& step) {
  Function const first = step.any_function(one_way_functions());
  Function second = first;
  while (true) {
    second = step.any_function(one_way_functions());
    if (is_from_root(second) == is_from_root(first)) {
      break;
    }
  }
  Communicator const a = step.common.chance(70) ? duplicate(step) : step.comm;
  Communicator const b = duplicate(step);
  bool const all_turn = step.common.chance(60);
  bool const turns = step.rank() != 0 && (all_turn || step.own.chance(50));
  for (std::uint64_t round = 0; round < 2; ++round) {
    call_on(step, turns ? b : a, turns ? second : first, (2 * round) + (turns ? 1 : 0));
    call_on(step, turns ? a : b, turns ? first : second, (2 * round) + (turns ? 0 : 1));
  }
  if (a.handle != step.comm.handle) {
    free(a);
  }
  free(b);
}

/// One side of a call returns before the other side enters it.
void late(Step& step) {
  Function const function = step.any_function(one_way_functions());
  Communicator const comm = step.common.chance(70) ? duplicate(step) : step.comm;
  int const num_calls = 1 + step.common.below(3);
  bool const is_first = is_from_root(function) == (step.rank() == 0);
  bool const sends_word = is_first && is_from_root(function);
  if (!is_first && is_from_root(function)) {
    MPI_Recv(nullptr, 0, MPI_INT, 0, 7, step.comm.shadow, MPI_STATUS_IGNORE);
  }
  for (int other = 1; !is_first && !is_from_root(function) && other < step.size(); ++other) {
    MPI_Recv(nullptr, 0, MPI_INT, other, 7, step.comm.shadow, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < num_calls; ++i) {
    call_on(step, comm, function, static_cast<std::uint64_t>(i));
  }
  for (int other = 1; sends_word && other < step.size(); ++other) {
    MPI_Send(nullptr, 0, MPI_INT, other, 7, step.comm.shadow);
  }
  if (is_first && !is_from_root(function)) {
    MPI_Send(nullptr, 0, MPI_INT, 0, 7, step.comm.shadow);
  }
  usleep(static_cast<useconds_t>(step.own.below(3000)));
  if (comm.handle != step.comm.handle) {
    free(comm);
  }
}

}  // namespace bent
