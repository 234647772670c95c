// SPDX-License-Identifier: Apache-2.0

/// @file
/// Numbers of contexts: equal on the ranks of a communicator, different for communicators that
/// share a rank.

#include "espalier/plan/communicators/contexts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>

#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using plan::Contexts;

bool is_same_everywhere(MPI_Comm comm, std::optional<int> number) {
  int const mine = number.value_or(-1);
  int least = 0;
  int largest = 0;
  PMPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, comm);
  PMPI_Allreduce(&mine, &largest, 1, MPI_INT, MPI_MAX, comm);
  return number.has_value() && least == largest;
}

/// Communicators with all ranks, those from i on, and those of the same remainder: odd numbers of
/// them are in use on each rank.
std::vector<MPI_Comm> overlapping() {
  int rank = 0;
  int num_ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  std::vector<MPI_Comm> comms;
  auto const split = [&](int color) {
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_split(MPI_COMM_WORLD, color, 0, &comm);
    if (comm != MPI_COMM_NULL) {
      comms.push_back(comm);
    }
  };
  for (int i = 0; i < num_ranks; ++i) {
    split(rank >= i ? 0 : MPI_UNDEFINED);
    split(rank % (i + 1));
  }
  return comms;
}

void check_numbers(Contexts& contexts, Checks& checks) {
  std::vector<MPI_Comm> const comms = overlapping();
  std::set<int> seen{Contexts::world};
  for (MPI_Comm const comm : comms) {
    std::optional<int> const number = contexts.claim(comm);
    checks.expect(is_same_everywhere(comm, number), "one number on all ranks");
    checks.expect(seen.insert(number.value_or(0)).second, "a number of its own on this rank");
  }
  int const first = *std::next(seen.begin());
  contexts.release(first);
  contexts.retire(*seen.rbegin());
  contexts.release(*seen.rbegin());
  PMPI_Barrier(MPI_COMM_WORLD);
  std::optional<int> const again = contexts.claim(MPI_COMM_WORLD);
  checks.expect(is_same_everywhere(MPI_COMM_WORLD, again), "one number again");
  checks.expect(
      again == first || !seen.contains(again.value_or(first)),
      "what was released comes again, what was retired does not"
  );
  for (MPI_Comm comm : comms) {
    PMPI_Comm_free(&comm);
  }
}

/// A number may come later than the communicator, and the communicator may outlive all numbers.
void check_put_off(Checks& checks) {
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  {
    Contexts own;
    own.open();
    checks.expect(!own.is_put_off(comm), "nothing was put off");
    own.put_off(comm);
    checks.expect(own.is_put_off(comm) && !own.of(comm), "a number that comes later");
    own.give(comm);
    checks.expect(!own.is_put_off(comm), "a number that came");
    checks.expect(is_same_everywhere(comm, own.of(comm)), "the same number on all ranks");
    own.close();
  }
  PMPI_Comm_free(&comm);
}

void check_tags(Contexts const& contexts, Checks& checks) {
  auto const world = contexts.context(Contexts::world, {});
  auto const other = contexts.context(1, {});
  auto const bcast = Contexts::part(other, profile::Call::bcast);
  auto const last = Contexts::part(other, profile::Call::scatterv);
  checks.expect(
      world.tag_in_comm(world.num_tags - 1) < other.tag_in_comm(world.num_own_tags),
      "large tags of contexts are apart"
  );
  checks.expect(
      world.tag_in_comm(0) < other.first_tag &&
          last.tag_in_comm(0) < contexts.context(2, {}).first_tag,
      "small tags are in the context"
  );
  checks.expect(bcast.tag_in_comm(0) != last.tag_in_comm(0), "functions have tags of their own");
  checks.expect(
      contexts.exchange_context(1, {}).tag_in_comm(0) >= last.tag_in_comm(last.num_own_tags - 1),
      "what ranks tell each other has another tag"
  );
  checks.expect(
      bcast.tag_in_comm(bcast.num_own_tags) == last.tag_in_comm(last.num_own_tags),
      "large tags are those of all functions"
  );
}

/// Calls that are made, started and planned have tags of their own, on one communicator or on
/// three.
void check_started_tags(Contexts const& contexts, Checks& checks) {
  std::map<MPI_Comm, int> ends;
  auto const expect_next = [&](exec::MpiContext const& context, int num_tags) {
    int& end = ends[context.comm];
    checks.expect(context.first_tag >= end, "tags behind those before");
    int const first = std::min(context.tag_in_comm(0), context.tag_in_comm(context.num_own_tags));
    checks.expect(first >= context.first_tag, "no tags before the first one");
    end = context.tag_in_comm(0) + num_tags;
  };
  checks.expect(contexts.starts(), "calls can be started");
  for (int const number : {Contexts::world, 1, 2}) {
    exec::MpiContext const blocking = contexts.context(number, {});
    exec::MpiContext const started = contexts.started_context(number, {});
    exec::MpiContext const planned = contexts.planned_context(number);
    expect_next(blocking, static_cast<int>(profile::num_rule_calls) * blocking.num_own_tags);
    expect_next(started, Contexts::num_slots * started.num_own_tags);
    expect_next(planned, Contexts::num_planned_slots * planned.num_tags);
  }
  checks.expect(ends.size() == 1 || ends.size() == 3, "one communicator, or one of each kind");
  int const behind_all = contexts.context(3, {}).first_tag;
  for (auto const& [comm, end] : ends) {
    checks.expect(end <= behind_all, "tags before those of the next context");
  }
}

/// Threads claim numbers for communicators of the same ranks at the same time.
void check_threads(Contexts& contexts, Checks& checks) {
  constexpr std::size_t num_threads = 4;
  constexpr int num_rounds = 50;
  std::vector<MPI_Comm> comms(num_threads);
  for (MPI_Comm& comm : comms) {
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  std::vector<std::vector<std::optional<int>>> numbers(num_threads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < num_threads; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < num_rounds; ++round) {
        numbers[i].push_back(contexts.claim(comms[i]));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::set<int> seen;
  for (std::size_t i = 0; i < num_threads; ++i) {
    for (std::optional<int> const number : numbers[i]) {
      checks.expect(is_same_everywhere(comms[i], number), "threads: one number on all ranks");
      checks.expect(seen.insert(number.value_or(0)).second, "threads: a number of its own");
    }
    PMPI_Comm_free(&comms[i]);
  }
}

int run() {
  Checks checks;
  check_put_off(checks);
  Contexts contexts;
  contexts.open();
  check_numbers(contexts, checks);
  check_tags(contexts, checks);
  checks.expect(!contexts.starts(), "calls cannot be started unless it is asked for");
  contexts.close();
  contexts.open(MPI_COMM_WORLD, true);
  check_numbers(contexts, checks);
  check_tags(contexts, checks);
  check_started_tags(contexts, checks);
  contexts.close();
  int provided = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&provided);
  if (provided == MPI_THREAD_MULTIPLE) {
    contexts.open();
    check_threads(contexts, checks);
    contexts.close();
  }
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int const code = espalier::test::run();
  MPI_Finalize();
  return code;
}
