// SPDX-License-Identifier: Apache-2.0

/// @file
/// Nonblocking collectives in flight on several communicators, among blocking ones and messages of
/// the program, completed in any order by any function. All ranks make the same calls in the same
/// order, drawn at random; when they complete what is only known to each of them. So what a rank
/// waits for was started by everyone who does not wait for something older: the programs are right.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "tests/shim/in_flight.hpp"
#include "tests/shim/support.hpp"

namespace {

using namespace shim_test;
using Random = std::mt19937;

unsigned below(Random& random, std::size_t limit) {
  return static_cast<unsigned>(random() % limit);
}

/// Requests of this rank, in the order of a bag.
class Bag {
public:
  explicit Bag(unsigned seed) : random_(seed) {}

  InFlight& add() { return *content_.emplace_back(std::make_unique<InFlight>()); }

  [[nodiscard]] std::size_t size() const { return content_.size(); }

  /// Completes some of them, in some way.
  void complete(std::size_t count) {
    std::ranges::shuffle(content_, random_);
    count = std::min(count, content_.size());
    std::vector<MPI_Request> requests;
    for (std::size_t i = 0; i < count; ++i) {
      requests.push_back(content_[content_.size() - 1 - i]->request);
      if (below(random_, 4) == 0) {
        requests.push_back(MPI_REQUEST_NULL);
      }
    }
    complete(requests);
    for (; count > 0; --count) {
      InFlight const& flight = *content_.back();
      require(flight.output == flight.expected, "wrong result of a nonblocking " + flight.name);
      content_.pop_back();
    }
  }

private:
  void complete(std::vector<MPI_Request>& requests) {
    auto const n = static_cast<int>(requests.size());
    std::vector<MPI_Status> statuses(requests.size() + 1);
    std::vector<int> indices(requests.size() + 1);
    int number = 0;
    int flag = 0;
    switch (below(random_, 8)) {
    case 0:
      for (MPI_Request& request : requests) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      break;
    case 1:
      for (MPI_Request& request : requests) {
        for (flag = 0; flag == 0;) {
          MPI_Test(&request, &flag, statuses.data());
        }
      }
      break;
    case 2:
      MPI_Waitall(n, requests.data(), statuses.data());
      break;
    case 3:
      while (flag == 0) {
        MPI_Testall(n, requests.data(), &flag, MPI_STATUSES_IGNORE);
      }
      break;
    case 4:
      while (number != MPI_UNDEFINED) {
        MPI_Waitany(n, requests.data(), &number, statuses.data());
      }
      break;
    case 5:
      while (flag == 0 || number != MPI_UNDEFINED) {
        MPI_Testany(n, requests.data(), &number, &flag, MPI_STATUS_IGNORE);
      }
      break;
    case 6:
      while (number != MPI_UNDEFINED) {
        MPI_Waitsome(n, requests.data(), &number, indices.data(), statuses.data());
      }
      break;
    default:
      while (number != MPI_UNDEFINED) {
        MPI_Testsome(n, requests.data(), &number, indices.data(), MPI_STATUSES_IGNORE);
      }
    }
    for (MPI_Request const request : requests) {
      require(request == MPI_REQUEST_NULL, "a complete request is null");
    }
  }

  Random random_;
  std::vector<std::unique_ptr<InFlight>> content_;
};

class Program {
public:
  explicit Program(unsigned seed)
      : random_(seed), bag_(seed * 7919U + static_cast<unsigned>(rank_of(MPI_COMM_WORLD))) {
    int const rank = rank_of(MPI_COMM_WORLD);
    comms_.push_back(MPI_COMM_WORLD);
    for (int const color : {0, rank % 2, rank / 2}) {
      MPI_Comm_split(MPI_COMM_WORLD, color, -rank, &comms_.emplace_back());
    }
    for (MPI_Comm const comm : comms_) {
      int const num_ranks = size_of(comm);
      int const is_periodic = 1;
      MPI_Cart_create(comm, 1, &num_ranks, &is_periodic, 0, &rings_.emplace_back());
    }
    MPI_Op_create(add, 1, &op_);
  }

  void run(unsigned num_steps) {
    for (unsigned step = 0; step < num_steps; ++step) {
      unsigned const number = below(random_, comms_.size());
      MPI_Comm const comm = comms_[number];
      switch (below(random_, 12)) {
      case 0:
        blocking(comm, step);
        break;
      case 1:
        message(step);
        break;
      case 2:
        waits_that_cross(comm, step);
        break;
      case 3:
        short_life(comm, step);
        short_ring(number, step);
        break;
      default:
        start(number, step);
      }
      Random decision(step * 31U + static_cast<unsigned>(rank_of(MPI_COMM_WORLD)));
      if (below(decision, 5) == 0) {
        bag_.complete(below(decision, 12));
      }
    }
    bag_.complete(bag_.size());
  }

  void end() {
    for (std::size_t i = 1; i < comms_.size(); ++i) {
      MPI_Comm_free(&comms_[i]);
    }
    for (MPI_Comm& ring : rings_) {
      MPI_Comm_free(&ring);
    }
    MPI_Op_free(&op_);
  }

private:
  /// Draws the same numbers for all ranks, also those that share another communicator.
  Start next(MPI_Comm comm, unsigned step) {
    int const p = size_of(comm);
    int const sizes[] = {1, 3, 40, 700, 6000};
    int const count = sizes[below(random_, std::size(sizes))];
    auto const root = static_cast<int>(random_() % 840) % p;
    return {comm, MPI_COMM_NULL, step, count, root, p, rank_of(comm)};
  }

  void start(unsigned number, unsigned step) {
    Start s = next(comms_[number], step);
    unsigned const kind = below(random_, 16);
    if (kind < 7) {
      start_move(bag_.add(), s, kind);
    } else if (kind > 12) {
      s.ring = rings_[number];
      start_neighbors(bag_.add(), s, kind - 13);
    } else {
      start_reduction(bag_.add(), s, kind % 5, kind == 12 ? op_ : MPI_SUM);
    }
  }

  /// Blocking calls while others are in flight, also on another communicator.
  void blocking(MPI_Comm comm, unsigned step) {
    Start const s = next(comm, step);
    Numbers const own = s.own(s.rank);
    Numbers result(own.size());
    if (below(random_, 2) == 0) {
      MPI_Barrier(comm);
    }
    MPI_Allreduce(own.data(), result.data(), s.count, MPI_UNSIGNED, MPI_SUM, comm);
    require(result == s.sum(0, s.p), "wrong result of a blocking allreduce");
  }

  /// From one rank to another, both waiting or not.
  void message(unsigned step) {
    int const p = size_of(MPI_COMM_WORLD);
    int const rank = rank_of(MPI_COMM_WORLD);
    auto const from = static_cast<int>(random_() % 840) % p;
    auto const to = static_cast<int>(random_() % 840) % p;
    bool const waits = from != to && below(random_, 2) == 0;
    Start const s{MPI_COMM_WORLD, MPI_COMM_NULL, step, 5000, 0, p, rank};
    auto const tag = static_cast<int>(step % 1000);
    if (rank == to) {
      InFlight& flight = bag_.add();
      expect(flight, "receive", {}, s.own(from));
      unsigned* const memory = flight.output.data();
      if (waits) {
        MPI_Recv(memory, 5000, MPI_UNSIGNED, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Irecv(memory, 5000, MPI_UNSIGNED, from, tag, MPI_COMM_WORLD, &flight.request);
      }
    }
    if (rank == from) {
      InFlight& flight = bag_.add();
      expect(flight, "send", s.own(from), {});
      unsigned const* const memory = flight.input.data();
      if (waits) {
        MPI_Ssend(memory, 5000, MPI_UNSIGNED, to, tag, MPI_COMM_WORLD);
      } else {
        MPI_Isend(memory, 5000, MPI_UNSIGNED, to, tag, MPI_COMM_WORLD, &flight.request);
      }
    }
  }

  /// The last rank waits for a collective and then sends; others receive that before they wait.
  /// What others have to do for the collective, they do inside a call that knows nothing of it.
  void waits_that_cross(MPI_Comm comm, unsigned step) {
    Start const s = next(comm, step);
    InFlight flight;
    int const kinds[] = {1, 2, 5};
    start_move(flight, s, static_cast<unsigned>(kinds[below(random_, 3)]));
    unsigned const way = below(random_, 4);
    int token = 0;
    if (s.rank == s.p - 1) {
      MPI_Wait(&flight.request, MPI_STATUS_IGNORE);
      for (int r = 0; r < s.p - 1; ++r) {
        MPI_Send(&token, 1, MPI_INT, r, 1001, comm);
      }
    } else {
      if (way == 1) {
        MPI_Probe(s.p - 1, 1001, comm, MPI_STATUS_IGNORE);
      }
      MPI_Recv(&token, 1, MPI_INT, s.p - 1, 1001, comm, MPI_STATUS_IGNORE);
    }
    if (way == 2) {
      MPI_Barrier(MPI_COMM_WORLD);
    }
    if (s.rank != s.p - 1) {
      MPI_Wait(&flight.request, MPI_STATUS_IGNORE);
    }
    require(flight.output == flight.expected, "wrong result of a " + flight.name + " that crosses");
  }

  /// Communicator, datatype and operator are freed before the call is complete. Calls with an
  /// operator of the program are native, and Open MPI 4.1 needs their communicators to the end.
  void short_life(MPI_Comm comm, unsigned step) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &copy);
    Start const s = next(copy, step);
    InFlight& gathered = bag_.add();
    expect(gathered, "allgather of a type that is gone", s.own(s.rank), s.all());
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(s.count, 1, 1, MPI_UNSIGNED, &type);
    MPI_Type_commit(&type);
    unsigned* const output = gathered.output.data();
    MPI_Iallgather(
        gathered.input.data(), 1, type, output, s.count, MPI_UNSIGNED, copy, &gathered.request
    );
    MPI_Type_free(&type);
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(add, 1, &op);
    start_reduction(bag_.add(), next(comm, step), below(random_, 5), op);
    MPI_Op_free(&op);
    start_move(bag_.add(), s, below(random_, 7));
    start_reduction(bag_.add(), s, below(random_, 5), MPI_SUM);
    MPI_Comm_free(&copy);
  }

  /// The same of a neighborhood. On one rank it is native, as in short_life().
  void short_ring(unsigned number, unsigned step) {
    Start s = next(comms_[number], step);
    unsigned const kind = below(random_, 3);
    if (s.p > 1) {
      MPI_Comm_dup(rings_[number], &s.ring);
      start_neighbors(bag_.add(), s, kind);
      MPI_Comm_free(&s.ring);
    }
  }

  Random random_;
  Bag bag_;
  std::vector<MPI_Comm> comms_;
  std::vector<MPI_Comm> rings_;  ///< one for each of them
  MPI_Op op_ = MPI_OP_NULL;
};

/// More than there are slots, begun and completed in opposite orders.
void check_many(int num_calls) {
  std::vector<MPI_Comm> comms(3);
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  int const p = size_of(MPI_COMM_WORLD);
  Bag bag(static_cast<unsigned>(rank_of(MPI_COMM_WORLD)));
  for (int i = 0; i < num_calls; ++i) {
    Start const s{
        .comm = comms[at(i % 3)],
        .ring = MPI_COMM_NULL,
        .step = static_cast<unsigned>(i),
        .count = 1 + i % 50,
        .root = i % p,
        .p = p,
        .rank = rank_of(comms[0]),
    };
    if (i % 2 == 0) {
      start_move(bag.add(), s, static_cast<unsigned>(i / 2 % 6));
    } else {
      start_reduction(bag.add(), s, static_cast<unsigned>(i / 2 % 5), MPI_SUM);
    }
  }
  while (bag.size() > 0) {
    bag.complete(500);
  }
  for (MPI_Comm& comm : comms) {
    MPI_Comm_free(&comm);
  }
}

void check_cancel() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  MPI_Request copy = request;
  int const code = MPI_Cancel(&copy);
  require(code != MPI_SUCCESS || size_of(comm) == 1, "a collective cannot be cancelled");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Status status;
  MPI_Wait(&request, &status);
  int is_cancelled = 1;
  MPI_Test_cancelled(&status, &is_cancelled);
  require(is_cancelled == 0, "a collective was not cancelled");
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  std::string const what = argc > 1 ? argv[1] : "random";
  if (what == "random") {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      Program program(seed);
      program.run(400);
      program.end();
    }
  } else if (what == "many") {
    check_many(3000);
  } else {
    check_cancel();
    Program program(5);
    program.run(60);
    program.end();
  }
  MPI_Finalize();
  return 0;
}
