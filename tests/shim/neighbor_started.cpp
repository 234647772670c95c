// SPDX-License-Identifier: Apache-2.0

/// @file
/// MPI_Ineighbor_* of a program that knows nothing of Espalier, against an oracle; with Espalier
/// switched off, of the MPI library itself.
///
/// Usage: shim_neighbor_started each | native | often | many | freed | growth. With `native` and
/// `often`, as with `each`, one call at a time, some or all of which are left to the MPI library.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/mpi/capi/neighbor_blocks.hpp"
#include "tests/shim/completing.hpp"
#include "tests/shim/neighbor.hpp"
#include "tests/shim/support.hpp"

namespace {

using namespace espalier::test;

/// Calls of one size, one at a time, completed by any function.
void check_in_turn(
    Checks& checks, Topology const& topology, std::size_t seed, bool is_native, int num_calls
) {
  bool const has_multiple = has_multiple_edges(topology);
  for (Kind const kind : all_kinds) {
    if (is_native && is_known_to_fail_started(topology, kind, has_multiple)) {
      continue;
    }
    for (int const scale : {1, 0, 900}) {
      Job job(topology, kind, scale, seed++);
      espalier::test::Buffer const untouched = job.output;
      for (int i = 0; i < num_calls; ++i) {
        job.output = untouched;
        std::string const what = name_of(topology, kind, scale);
        MPI_Request request = MPI_REQUEST_NULL;
        checks.expect(job.start(topology.comm, &request) == MPI_SUCCESS, what + ": start");
        checks.expect(shim_test::complete(request) == MPI_SUCCESS, what + ": completion");
        checks.expect(job.is_right(), what + ": data");
      }
    }
  }
}

void check_each(Checks& checks, Topology const& topology, std::size_t seed, bool is_native) {
  check_in_turn(checks, topology, seed, is_native, 2);
}

/// As often as several algorithms are tried by a program that learns.
void check_often(Checks& checks, std::vector<Topology> const& all) {
  has_equal_types = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].comm != MPI_COMM_NULL) {
      check_in_turn(checks, all[i], i + 1, true, 8);
    }
  }
}

/// A job that was started, or something else that goes on beside it.
struct InFlight {
  std::string what;
  MPI_Request request = MPI_REQUEST_NULL;
  std::unique_ptr<Job> job;
  int own = 0;
  int result = 0;
  int expected = 0;
};

/// What a program has in flight; completed in an order of each rank's own.
class Bag {
public:
  explicit Bag(Checks& checks)
      : checks_(&checks), random_(static_cast<unsigned>(test_rank(MPI_COMM_WORLD))) {}

  void add_job(Topology const& topology, Kind kind, int scale, std::size_t type_number = 0) {
    InFlight& one = add(name_of(topology, kind, scale));
    one.job = std::make_unique<Job>(topology, kind, scale, type_number);
    checks_->expect(one.job->start(topology.comm, &one.request) == MPI_SUCCESS, one.what);
  }

  /// A message of the program to the next rank.
  void add_message(MPI_Comm comm, int tag) {
    int const rank = test_rank(comm);
    int const num_ranks = test_size(comm);
    int const before = (rank + num_ranks - 1) % num_ranks;
    InFlight& received = add("message");
    received.expected = before;
    MPI_Irecv(&received.result, 1, MPI_INT, before, tag, comm, &received.request);
    InFlight& sent = add("send");
    sent.own = rank;
    MPI_Isend(&sent.own, 1, MPI_INT, (rank + 1) % num_ranks, tag, comm, &sent.request);
  }

  /// A collective of all ranks, between those of neighbours.
  void add_sum(MPI_Comm comm) {
    InFlight& one = add("allreduce");
    one.own = 1;
    one.expected = test_size(comm);
    MPI_Iallreduce(&one.own, &one.result, 1, MPI_INT, MPI_SUM, comm, &one.request);
  }

  void complete(std::size_t count) {
    std::ranges::shuffle(content_, random_);
    for (count = std::min(count, content_.size()); count > 0; --count) {
      InFlight const& one = *content_.back();
      checks_->expect(shim_test::complete(one.request) == MPI_SUCCESS, one.what + ": completion");
      bool const is_right = one.job ? one.job->is_right() : one.result == one.expected;
      checks_->expect(is_right, one.what + ": data");
      content_.pop_back();
    }
  }

  void complete_all() { complete(content_.size()); }

private:
  InFlight& add(std::string what) {
    content_.push_back(std::make_unique<InFlight>(InFlight{.what = std::move(what)}));
    return *content_.back();
  }

  Checks* checks_;
  std::mt19937 random_;
  std::vector<std::unique_ptr<InFlight>> content_;
};

/// More of them on a communicator than exchange messages at a time, among blocking ones, other
/// collectives and messages of the program.
void check_many(Checks& checks, std::vector<Topology> const& all) {
  Bag bag(checks);
  for (int step = 0; step < 160; ++step) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].comm == MPI_COMM_NULL) {
        continue;
      }
      Kind const kind = all_kinds[(static_cast<std::size_t>(step) + i) % std::size(all_kinds)];
      bag.add_job(all[i], kind, step % 7 == 0 ? 300 : step % 3, i);
      if (step % 8 == 3) {
        Job job(all[i], kind, 2, i);
        checks.expect(job.native(all[i].comm) == MPI_SUCCESS && job.is_right(), "a blocking call");
      }
      if (step % 5 == 1) {
        bag.add_message(all[i].comm, step);
        bag.add_sum(all[i].comm);
      }
    }
    if (step % 80 == 79) {
      bag.complete_all();
    } else if (step % 16 == 9) {
      bag.complete(20);
    }
  }
}

/// A call with a datatype that is freed at once, on a communicator that is freed, too.
void check_type_that_is_gone(Checks& checks, Topology& topology, int value) {
  constexpr int count = 3;
  constexpr std::size_t size = count;
  std::vector<int> const own(2 * size * static_cast<std::size_t>(topology.num_out) + 1, value);
  std::vector<int> got(size * topology.in.size() + 1, -1);
  MPI_Datatype gapped = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, 1, 2, MPI_INT, &gapped);
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(gapped, 0, 2 * count * static_cast<MPI_Aint>(sizeof(int)), &spread);
  MPI_Type_commit(&spread);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ineighbor_alltoall(
      own.data(), 1, spread, got.data(), count, MPI_INT, topology.comm, &request
  );
  MPI_Type_free(&spread);
  MPI_Type_free(&gapped);
  MPI_Comm_free(&topology.comm);
  shim_test::complete(request);
  for (std::size_t i = 0; i < size * topology.in.size(); ++i) {
    bool const is_there = topology.in[i / size].rank >= 0;
    checks.expect(got[i] == (is_there ? value : -1), topology.name + ": a datatype that is gone");
  }
}

/// Communicators and datatypes are freed while calls are in flight on them, and others are made,
/// whose messages stay apart.
void check_freed(Checks& checks, std::vector<Topology> const& all) {
  Bag bag(checks);
  for (int step = 0; step < 60; ++step) {
    Topology copy = all[static_cast<std::size_t>(step) % all.size()];
    if (copy.comm != MPI_COMM_NULL) {
      MPI_Comm_dup(copy.comm, &copy.comm);
      for (Kind const kind : all_kinds) {
        bag.add_job(copy, kind, step % 4 == 0 ? 5000 : 3, static_cast<std::size_t>(step));
      }
      check_type_that_is_gone(checks, copy, step);
    }
    if (step % 6 == 5) {
      bag.complete_all();
    }
  }
  bag.complete_all();
}

/// Calls of the same and of other sizes, over and over, on communicators that stay and on others.
void repeat(Checks& checks, Topology const& topology, int num_calls) {
  for (int call = 0; call < num_calls; ++call) {
    Bag bag(checks);
    Topology copy = topology;
    if (call % 16 == 0) {
      MPI_Comm_dup(topology.comm, &copy.comm);
    }
    for (Kind const kind : all_kinds) {
      bag.add_job(copy, kind, 1 + call % 100, static_cast<std::size_t>(call));
    }
    if (call % 16 == 0) {
      MPI_Comm_free(&copy.comm);
    }
    bag.complete_all();
  }
}

/// What is used does not grow with the number of calls.
void check_growth(Checks& checks, Topology const& topology) {
  constexpr int num_calls = 320;
  repeat(checks, topology, num_calls);
  long const before = shim_test::resident_kib();
  repeat(checks, topology, num_calls);
  long const grown = shim_test::resident_kib() - before;
  checks.expect(grown < 1024, "memory grew by " + std::to_string(grown) + " KiB");
}

}  // namespace

int main(int argc, char** argv) {
  auto const run = [](Checks& checks, std::vector<Topology>& all, std::string const& what) {
    if (what == "many") {
      check_many(checks, all);
    } else if (what == "often") {
      check_often(checks, all);
    } else if (what == "freed") {
      check_freed(checks, all);
    } else if (what == "growth") {
      check_growth(checks, all.front());
    } else {
      return false;
    }
    return true;
  };
  return run_neighbors(argc, argv, run, check_each);
}
