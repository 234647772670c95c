// SPDX-License-Identifier: Apache-2.0

/// @file
/// Exchanges behind trials, on nodes that are only claimed: all ranks get the smallest numbers,
/// whichever comes last, and none returns before that one has come.

#include "espalier/plan/learning/exchange.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>

#include "espalier/plan/clock.hpp"
#include "espalier/plan/communicators/contexts.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using NodeOf = std::function<int(int world_rank)>;

/// A communicator and what its members are in MPI_COMM_WORLD.
struct Members {
  MPI_Comm comm = MPI_COMM_WORLD;
  std::vector<int> world_ranks;  ///< empty: the same
};

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

/// Every second rank of MPI_COMM_WORLD, from the last to the first.
Members every_second() {
  int const rank = rank_in(MPI_COMM_WORLD);
  Members members;
  PMPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &members.comm);
  members.world_ranks.resize(static_cast<std::size_t>(size_of(members.comm)));
  PMPI_Allgather(&rank, 1, MPI_INT, members.world_ranks.data(), 1, MPI_INT, members.comm);
  return members;
}

class Program {
public:
  Program(Checks& checks, plan::Contexts& contexts, Members const& members, NodeOf const& node_of)
      : checks_(&checks), members_(&members), rank_(rank_in(members.comm)),
        num_ranks_(size_of(members.comm)) {
    for (int rank = 0; rank < size_of(MPI_COMM_WORLD); ++rank) {
      node_of_rank_.push_back(node_of(rank));
    }
    number_ = contexts.claim(members.comm).value();
    exchange_.emplace(plan::Exchange::Ranks{
        .comm = members.comm,
        .rank = rank_,
        .num_ranks = num_ranks_,
        .num_nodes = num_nodes(),
        .world_ranks = members.world_ranks,
        .context = contexts.exchange_context(number_, members.world_ranks),
    });
  }

  [[nodiscard]] int number() const noexcept { return number_; }

  void run() {
    for (int turn = 0; turn < 3 * num_ranks_; ++turn) {
      find_least(turn);
    }
    for (int late = 0; late < num_ranks_; ++late) {
      wait_for(late);
    }
  }

private:
  [[nodiscard]] int num_nodes() const {
    std::set<int> nodes;
    for (int rank = 0; rank < num_ranks_; ++rank) {
      auto const index = static_cast<std::size_t>(rank);
      int const world_rank = members_->world_ranks.empty() ? rank : members_->world_ranks[index];
      nodes.insert(node_of_rank_[static_cast<std::size_t>(world_rank)]);
    }
    return static_cast<int>(nodes.size());
  }

  /// The numbers of two turns are different, so that a message of another turn would be seen.
  void find_least(int turn) {
    std::vector<double> numbers;
    for (int i = 0; i < 1 + turn % 12; ++i) {
      int const place = (rank_ + turn + i) % num_ranks_;
      numbers.push_back(100 * turn + i + place);
    }
    exchange_->find_least(numbers, node_of_rank_);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      checks_->expect(
          numbers[i] == 100.0 * turn + static_cast<double>(i),
          "turn " + std::to_string(turn) + ": the smallest number of all ranks"
      );
    }
  }

  /// All ranks of this test have one clock.
  void wait_for(int late) {
    if (rank_ == late) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::array<double, 1> number{1};
    double const came = seconds_now();
    exchange_->find_least(number, node_of_rank_);
    std::array<double, 2> times{seconds_now(), -came};
    PMPI_Allreduce(MPI_IN_PLACE, times.data(), 2, MPI_DOUBLE, MPI_MIN, members_->comm);
    checks_->expect(
        times[0] >= -times[1], "nobody leaves before rank " + std::to_string(late) + " has come"
    );
  }

  [[nodiscard]] static double seconds_now() {
    return std::chrono::duration<double>(plan::Clock::now().time_since_epoch()).count();
  }

  Checks* checks_;
  Members const* members_;
  int rank_;
  int num_ranks_;
  int number_ = 0;
  std::vector<int> node_of_rank_;
  std::optional<plan::Exchange> exchange_;
};

int run() {
  Checks checks;
  plan::Contexts contexts;
  contexts.open();
  Members const world;
  Members second = every_second();
  std::vector<NodeOf> const places{
      [](int) { return 0; },
      [](int rank) { return rank; },
      [](int rank) { return rank / 3; },
      [](int rank) { return 7 - rank % 2; },
      [](int rank) { return rank == 0 ? 5 : 1; },
  };
  for (NodeOf const& node_of : places) {
    for (Members const* members : {&world, static_cast<Members const*>(&second)}) {
      Program program(checks, contexts, *members, node_of);
      program.run();
      contexts.release(program.number());
    }
  }
  int const code = checks.finish();
  PMPI_Comm_free(&second.comm);
  contexts.close();
  return code;
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
