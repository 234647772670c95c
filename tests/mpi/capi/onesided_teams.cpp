// SPDX-License-Identifier: Apache-2.0

/// @file
/// Teams of espalier_onesided.h: overlapping, with many collectives underway at the same time, made
/// while others work, and made again from the scratch space of those that were freed.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "include/espalier_onesided.h"
#include "include/espalier_order.h"
#include "include/espalier_planned.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_support.hpp"

namespace {

using namespace espalier::test;

constexpr std::uint64_t segment_bytes = std::uint64_t{1} << 18U;

/// The result of MPI_Comm_split.
MPI_Comm split(int color, int key = 0) {
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
  return comm;
}

/// A part of MPI_COMM_WORLD, which it frees, and the team of it.
class SplitTeam {
public:
  SplitTeam(
      Checks& checks,
      World const& world,
      MPI_Comm comm,
      std::uint64_t scratch_bytes = std::uint64_t{1} << 16U
  )
      : checks_(&checks), comm_(comm) {
    int const code = espalier_team_create(world.conduit, comm_, scratch_bytes, &team);
    checks.expect(code == MPI_SUCCESS, "a team: " + text_of(code));
    checks.expect(espalier_team_rank(team) == test_rank(comm_), "rank in a team");
    checks.expect(espalier_team_size(team) == test_size(comm_), "size of a team");
    check_ranks();
  }

  SplitTeam(SplitTeam const&) = delete;
  SplitTeam& operator=(SplitTeam const&) = delete;
  SplitTeam(SplitTeam&&) = delete;
  SplitTeam& operator=(SplitTeam&&) = delete;

  ~SplitTeam() {
    int const code = espalier_team_free(&team);
    checks_->expect(code == MPI_SUCCESS && team == nullptr, "free a team: " + text_of(code));
    PMPI_Comm_free(&comm_);
  }

  espalier_team* team = nullptr;

private:
  /// Both directions, as MPI translates them between groups.
  void check_ranks() {
    int const p = test_size(MPI_COMM_WORLD);
    std::vector<int> ranks(static_cast<std::size_t>(p));
    std::iota(ranks.begin(), ranks.end(), 0);
    std::vector<int> in_team(ranks.size());
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group members = MPI_GROUP_NULL;
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Comm_group(comm_, &members);
    PMPI_Group_translate_ranks(all, p, ranks.data(), members, in_team.data());
    PMPI_Group_free(&all);
    PMPI_Group_free(&members);
    for (int const rank : ranks) {
      int const expected = in_team[static_cast<std::size_t>(rank)];
      int found = -1;
      checks_->expect(espalier_team_rank_of(team, rank, &found) == MPI_SUCCESS, "translate a rank");
      checks_->expect(found == expected, "rank in the team of rank " + std::to_string(rank));
      if (expected != MPI_UNDEFINED) {
        espalier_team_conduit_rank(team, expected, &found);
        checks_->expect(found == rank, "rank on the conduit of a member");
      }
    }
  }

  Checks* checks_;
  MPI_Comm comm_;
};

/// A sum of numbers of the members, anywhere in memory.
class Sum {
public:
  Sum(Checks& checks, espalier_team* team, espalier_sync sync) : checks_(&checks), team_(team) {
    espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
    options.in = sync;
    options.out = sync;
    options.addresses = ESPALIER_ADDRESSES_LOCAL;
    int const code = espalier_team_allreduce_init(
        in_.data(), out_.data(), size, MPI_INT64_T, MPI_SUM, team, &options, &request
    );
    checks.expect(code == MPI_SUCCESS, "plan a sum: " + text_of(code));
  }

  Sum(Sum const&) = delete;
  Sum& operator=(Sum const&) = delete;
  Sum(Sum&&) = delete;
  Sum& operator=(Sum&&) = delete;

  ~Sum() { checks_->expect(espalier_request_free(&request) == MPI_SUCCESS, "free a sum"); }

  void start(std::int64_t use) {
    use_ = use;
    for (std::size_t i = 0; i < size; ++i) {
      in_[i] = contribution(espalier_team_rank(team_), i);
      out_[i] = -1;
    }
    checks_->expect(espalier_request_start(request) == MPI_SUCCESS, "start a sum");
  }

  void check() {
    bool is_right = true;
    for (std::size_t i = 0; i < size; ++i) {
      std::int64_t expected = 0;
      for (int rank = 0; rank < espalier_team_size(team_); ++rank) {
        expected += contribution(rank, i);
      }
      is_right = is_right && out_[i] == expected;
    }
    checks_->expect(is_right, "a sum");
  }

  void wait() {
    checks_->expect(espalier_request_wait(request) == MPI_SUCCESS, "wait for a sum");
    check();
  }

  espalier_request* request = nullptr;

private:
  static constexpr int size = 11;

  [[nodiscard]] std::int64_t contribution(int rank, std::size_t place) const {
    return (rank + 1) * 1009 + use_ * 7919 + static_cast<std::int64_t>(place);
  }

  Checks* checks_;
  espalier_team* team_;
  std::int64_t use_ = 0;
  std::vector<std::int64_t> in_ = std::vector<std::int64_t>(size);
  std::vector<std::int64_t> out_ = std::vector<std::int64_t>(size);
};

/// Rows, columns and all in the reverse order: sums of all of them are underway at the same time.
void overlap(Checks& checks, World const& world) {
  int const rank = test_rank(MPI_COMM_WORLD);
  SplitTeam const row(checks, world, split(rank / 3));
  SplitTeam const column(checks, world, split(rank % 3));
  SplitTeam const all(checks, world, split(0, -rank));
  Sum in_row(checks, row.team, ESPALIER_MYSYNC);
  Sum in_column(checks, column.team, ESPALIER_ALLSYNC);
  Sum in_all(checks, all.team, ESPALIER_MYSYNC);
  for (int round = 0; round < 8; ++round) {
    in_all.start(round);
    in_row.start(round + 1);
    in_column.start(round + 2);
    in_column.wait();
    in_row.wait();
    in_all.wait();
  }
}

/// More than the scratch space of a team holds at once; half of the ranks wait in reverse.
void fly_many(Checks& checks, World const& world) {
  constexpr std::size_t num_underway = 40;
  SplitTeam const all(checks, world, split(0), 8192);
  std::vector<std::unique_ptr<Sum>> sums;
  for (std::size_t i = 0; i < num_underway; ++i) {
    sums.push_back(std::make_unique<Sum>(checks, all.team, ESPALIER_MYSYNC));
  }
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < num_underway; ++i) {
      sums[i]->start(static_cast<std::int64_t>(i) + round);
    }
    for (std::size_t i = 0; i < num_underway; ++i) {
      bool const is_forward = test_rank(MPI_COMM_WORLD) % 2 == 0;
      sums[is_forward ? i : num_underway - 1 - i]->wait();
    }
  }
}

void fence(Checks& checks, World const& world) {
  SplitTeam const all(checks, world, split(0));
  Sum first(checks, all.team, ESPALIER_MYSYNC);
  Sum second(checks, all.team, ESPALIER_ALLSYNC);
  first.start(1);
  second.start(2);
  checks.expect(espalier_team_fence(all.team) == MPI_SUCCESS, "fence");
  int is_complete = 0;
  checks.expect(espalier_request_test(first.request, &is_complete) == MPI_SUCCESS, "test");
  checks.expect(is_complete != 0, "complete after a fence");
  first.check();
  second.check();
  checks.expect(espalier_team_fence(all.team) == MPI_SUCCESS, "fence of nothing");
}

void test_until_complete(Checks& checks, World const& world) {
  SplitTeam const all(checks, world, split(0));
  Sum sum(checks, all.team, ESPALIER_ALLSYNC);
  sum.start(5);
  int is_complete = 0;
  while (is_complete == 0) {
    checks.expect(espalier_request_test(sum.request, &is_complete) == MPI_SUCCESS, "test");
  }
  sum.check();
  std::string const name = espalier_request_algorithm(sum.request);
  checks.expect(name.starts_with("allreduce/"), "the algorithm is told: " + name);
  std::string const mechanism = espalier_request_mechanism(sum.request);
  checks.expect(mechanism == "eager", "the mechanism is told: " + mechanism);
  char text[256] = "";
  espalier_explain(sum.request, text, static_cast<int>(sizeof text));
  checks.expect(text == name + ", by " + mechanism, std::string("explained as ") + text);
}

/// Whoever makes or frees a team, or waits for a counter, moves on what a rank waits for that comes
/// later than all others.
void make_meanwhile(Checks& checks, World const& world, int last) {
  int const rank = test_rank(MPI_COMM_WORLD);
  SplitTeam const all(checks, world, split(0));
  Sum sum(checks, all.team, ESPALIER_ALLSYNC);
  auto const wait_on = [&](bool is_mine) {
    if (is_mine) {
      sum.wait();
    }
  };
  espalier_team* later = nullptr;
  sum.start(9);
  wait_on(rank == last);
  int code = espalier_team_create(world.conduit, MPI_COMM_WORLD, 0, &later);
  checks.expect(code == MPI_SUCCESS, "make a team meanwhile: " + text_of(code));
  wait_on(rank != last);
  sum.start(10);
  wait_on(rank == last);
  if (rank == last) {
    espalier_signal({.rank = 0, .offset = 0}, 1, world.conduit);
  }
  if (rank == 0) {
    checks.expect(espalier_await(world.conduit, 0, 1) == MPI_SUCCESS, "await meanwhile");
  }
  wait_on(rank != last);
  sum.start(11);
  wait_on(rank == last);
  code = espalier_team_free(&later);
  checks.expect(code == MPI_SUCCESS, "free a team meanwhile: " + text_of(code));
  wait_on(rank != last);
}

/// Scratch space comes back: teams are made from it again and again, in other sizes.
void make_again(Checks& checks, World const& world) {
  int const rank = test_rank(MPI_COMM_WORLD);
  for (int i = 0; i < 12; ++i) {
    std::uint64_t const scratch_bytes = std::uint64_t{4096} << static_cast<unsigned>(i % 9);
    SplitTeam const half(checks, world, split(rank % 2, i), scratch_bytes);
    SplitTeam const all(checks, world, split(0, -rank * i), scratch_bytes / 2);
    Sum in_half(checks, half.team, ESPALIER_MYSYNC);
    Sum in_all(checks, all.team, ESPALIER_MYSYNC);
    for (int round = 0; round < 3; ++round) {
      in_half.start(round);
      in_all.start(round);
      in_all.wait();
      in_half.wait();
    }
  }
}

/// All of the scratch space goes to teams, then none is left, on all members alike.
void exhaust(Checks& checks, World const& world) {
  std::vector<espalier_team*> teams;
  espalier_team* team = nullptr;
  while (espalier_team_create(world.conduit, MPI_COMM_WORLD, 1U << 20U, &team) == MPI_SUCCESS) {
    teams.push_back(team);
    team = nullptr;
  }
  checks.expect(teams.size() == 4, "teams: " + std::to_string(teams.size()));
  checks.expect(team == nullptr, "no team is left over");
  std::string const text = last_text();
  checks.expect(text.find("scratch_bytes") != std::string::npos, "what is missing: " + text);
  for (espalier_team*& each : teams) {
    checks.expect(espalier_team_free(&each) == MPI_SUCCESS, "free a team");
  }
  SplitTeam const all(checks, world, split(0), std::uint64_t{4} << 20U);
  Sum sum(checks, all.team, ESPALIER_ALLSYNC);
  sum.start(3);
  sum.wait();
}

/// The processes of a node, as MPI finds them, in the reverse order.
void share_a_node(Checks& checks, World const& world) {
  MPI_Comm node = MPI_COMM_NULL;
  int const key = -test_rank(MPI_COMM_WORLD);
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, &node);
  SplitTeam const on_node(checks, world, node);
  Sum sum(checks, on_node.team, ESPALIER_MYSYNC);
  for (int round = 0; round < 3; ++round) {
    sum.start(round);
    sum.wait();
  }
}

/// Who has MPI_COMM_NULL is told so, waits for nobody, and may use the conduit meanwhile.
void leave_out(Checks& checks, World const& world) {
  bool const is_member = test_rank(MPI_COMM_WORLD) % 3 != 1;
  MPI_Comm const comm = split(is_member ? 0 : MPI_UNDEFINED);
  if (comm != MPI_COMM_NULL) {
    SplitTeam const some(checks, world, comm);
    Sum sum(checks, some.team, ESPALIER_ALLSYNC);
    for (int round = 0; round < 3; ++round) {
      sum.start(round);
      sum.wait();
    }
  } else {
    espalier_team* none = nullptr;
    int const code = espalier_team_create(world.conduit, comm, 0, &none);
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(code, &error_class);
    checks.expect(error_class == MPI_ERR_COMM, "no communicator: " + text_of(code));
    checks.expect(none == nullptr, "no team without a communicator");
  }
  checks.expect(is_member == (comm != MPI_COMM_NULL), "who is in the team");
  checks.expect(espalier_conduit_barrier(world.conduit) == MPI_SUCCESS, "all meet");
  SplitTeam const all(checks, world, split(0));
  Sum sum(checks, all.team, ESPALIER_MYSYNC);
  sum.start(4);
  sum.wait();
}

/// Members in the order of a tree: roots go by the communicator that espalier_order_create() made.
void follow_an_order(Checks& checks, World const& world) {
  int const last = test_size(MPI_COMM_WORLD) - 1;
  bool const is_last = test_rank(MPI_COMM_WORLD) == last;
  espalier_order_options order = ESPALIER_ORDER_OPTIONS_INIT;
  order.order = "random";
  order.memory = "off";
  order.measure_seconds = 0.001;
  MPI_Comm ordered = MPI_COMM_NULL;
  int code = espalier_order_create(MPI_COMM_WORLD, "bcast", last, 8, &order, &ordered, nullptr);
  checks.expect(code == MPI_SUCCESS, "an order: " + text_of(code));
  espalier_team* team = nullptr;
  code = espalier_team_create(world.conduit, ordered, 0, &team);
  checks.expect(code == MPI_SUCCESS, "a team in order: " + text_of(code));
  checks.expect((espalier_team_rank(team) == 0) == is_last, "the root comes first");
  std::int64_t number = is_last ? 42 : 0;
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.addresses = ESPALIER_ADDRESSES_LOCAL;
  espalier_request* request = nullptr;
  code = espalier_team_bcast_init(&number, 1, MPI_INT64_T, 0, team, &options, &request);
  checks.expect(code == MPI_SUCCESS, "plan: " + text_of(code));
  espalier_request_start(request);
  checks.expect(espalier_request_wait(request) == MPI_SUCCESS, "wait");
  checks.expect(number == 42, "what the root of the order has");
  espalier_request_free(&request);
  checks.expect(espalier_team_free(&team) == MPI_SUCCESS, "free a team in order");
  PMPI_Comm_free(&ordered);
}

/// A start waits for nobody: its members may be in MPI, where they move nothing on. Each member of
/// the chain tells the one before it 32 times that it is ready.
void start_alone(Checks& checks, World const& world) {
  constexpr int count = 1 << 12;
  SplitTeam const all(checks, world, split(0));
  auto* const numbers = static_cast<double*>(espalier_conduit_segment(world.conduit));
  numbers[count - 1] = test_rank(MPI_COMM_WORLD) == 0 ? 7 : 0;
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.in = ESPALIER_MYSYNC;
  options.out = ESPALIER_MYSYNC;
  options.algorithm = "bcast/chain[segments=32]";
  espalier_request* request = nullptr;
  int const code =
      espalier_team_bcast_init(numbers, count, MPI_DOUBLE, 0, all.team, &options, &request);
  checks.expect(code == MPI_SUCCESS, "a chain: " + text_of(code));
  checks.expect(espalier_request_start(request) == MPI_SUCCESS, "start a chain");
  PMPI_Barrier(MPI_COMM_WORLD);
  checks.expect(espalier_request_wait(request) == MPI_SUCCESS, "wait for a chain");
  checks.expect(numbers[count - 1] == 7, "what went along the chain");
  espalier_request_free(&request);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Checks checks;
  for (char const* const transport : transports()) {
    World const world(checks, segment_bytes, transport);
    overlap(checks, world);
    fly_many(checks, world);
    fence(checks, world);
    test_until_complete(checks, world);
    for (int const late : {test_size(MPI_COMM_WORLD) - 1, 0}) {
      make_meanwhile(checks, world, late);
    }
    make_again(checks, world);
    start_alone(checks, world);
    exhaust(checks, world);
    share_a_node(checks, world);
    leave_out(checks, world);
    follow_an_order(checks, world);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
