// SPDX-License-Identifier: Apache-2.0

/// @file
/// Between start and wait some ranks wait in MPI for others that wait for the request first: the
/// MPI library has to move it on. Without that each of these cases hangs.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>

#include "include/espalier.h"
#include "include/espalier_grid.h"
#include "include/espalier_planned.h"

#include <mpi.h>

#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

constexpr int num_turns = 5;

struct Freed {
  void operator()(espalier_request* request) const { espalier_request_free(&request); }

  void operator()(espalier_neighborhood* around) const { espalier_neighborhood_free(&around); }

  void operator()(espalier_grid* grid) const { espalier_grid_free(&grid); }
};

using Request = std::unique_ptr<espalier_request, Freed>;

struct World {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0;
  int num_ranks = 1;
};

World world() {
  World result;
  MPI_Comm_rank(result.comm, &result.rank);
  MPI_Comm_size(result.comm, &result.num_ranks);
  return result;
}

/// What waits for other ranks, with the start of a request before it.
struct Between {
  char const* name;
  void (*wait)(World const&);
};

/// Each even rank hears of its successor, which sends when its request is complete.
void receive_from_next(World const& w) {
  int word = 0;
  if (w.rank % 2 == 0 && w.rank + 1 < w.num_ranks) {
    MPI_Recv(&word, 1, MPI_INT, w.rank + 1, 0, w.comm, MPI_STATUS_IGNORE);
  } else if (w.rank % 2 == 1) {
    MPI_Send(&word, 1, MPI_INT, w.rank - 1, 0, w.comm);
  }
}

void enter_barrier(World const& w) {
  MPI_Barrier(w.comm);
}

void duplicate(World const& w) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(w.comm, &made);
  MPI_Comm_free(&made);
}

/// The first request of a communicator makes one of ours, and agrees on tags.
void plan_another(World const& w) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(w.comm, 0, w.rank, &made);
  espalier_request* request = nullptr;
  espalier_barrier_init(made, nullptr, &request);
  espalier_request_free(&request);
  MPI_Comm_free(&made);
}

void make_grid(World const& w) {
  espalier_grid* grid = nullptr;
  int const extent = w.num_ranks;
  espalier_grid_create(w.comm, 1, &extent, nullptr, nullptr, &grid);
  espalier_grid_free(&grid);
}

constexpr Between things_between[] = {
    {.name = "receive", .wait = receive_from_next},
    {.name = "barrier", .wait = enter_barrier},
    {.name = "dup", .wait = duplicate},
    {.name = "init", .wait = plan_another},
    {.name = "grid", .wait = make_grid},
};

/// Even ranks wait for others before they wait for the request, and odd ones after it.
void cross(World const& w, espalier_request* request, Between const& between) {
  espalier_request_start(request);
  if (w.rank % 2 == 1) {
    espalier_request_wait(request);
  }
  between.wait(w);
  espalier_request_wait(request);
}

/// Every rank but the root hands the message on.
void try_planned(Checks& checks, World const& w, Between const& between) {
  int word = 0;
  espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
  options.algorithm = "chain";
  espalier_request* made = nullptr;
  espalier_bcast_init(&word, 1, MPI_INT, 0, w.comm, &options, &made);
  Request const request(made);
  for (int turn = 1; turn <= num_turns; ++turn) {
    word = w.rank == 0 ? turn : 0;
    cross(w, request.get(), between);
    checks.expect(word == turn, std::string("bcast, ") + between.name);
  }
}

void try_neighborhood(Checks& checks, World const& w, Between const& between) {
  int const is_periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(w.comm, 1, &w.num_ranks, &is_periodic, 0, &ring);
  int const offsets[] = {-3, -2, -1, 1, 2, 3};
  espalier_neighbor_options options = ESPALIER_NEIGHBOR_OPTIONS_INIT;
  options.algorithm = "combining";
  espalier_neighborhood* around_made = nullptr;
  espalier_neighborhood_create(ring, 6, offsets, &options, &around_made);
  std::unique_ptr<espalier_neighborhood, Freed> const around(around_made);
  int const sent[] = {w.rank, w.rank, w.rank, w.rank, w.rank, w.rank};
  int received[std::size(offsets)];
  espalier_request* made = nullptr;
  espalier_neighbor_alltoall_init(sent, 1, MPI_INT, received, 1, MPI_INT, around.get(), &made);
  Request request(made);
  for (int turn = 0; turn < num_turns; ++turn) {
    std::ranges::fill(received, -1);
    cross(w, request.get(), between);
    for (std::size_t i = 0; i < std::size(offsets); ++i) {
      int const from = (w.rank - offsets[i] + 3 * w.num_ranks) % w.num_ranks;
      checks.expect(received[i] == from, std::string("neighborhood, ") + between.name);
    }
  }
  request.reset();
  MPI_Comm_free(&ring);
}

void try_grid(Checks& checks, World const& w, Between const& between) {
  int const num_rows = w.num_ranks % 2 == 0 ? 2 : 1;
  int const extents[] = {num_rows, w.num_ranks / num_rows};
  espalier_grid_options options = ESPALIER_GRID_OPTIONS_INIT;
  options.algorithm = "pipeline";
  espalier_grid* grid_made = nullptr;
  espalier_grid_create(w.comm, 2, extents, nullptr, &options, &grid_made);
  std::unique_ptr<espalier_grid, Freed> const grid(grid_made);
  int words[] = {0, 0};
  void* const buffers[] = {&words[0], &words[1]};
  int const counts[] = {1, 1};
  int const roots[] = {0, 0};
  MPI_Datatype const types[] = {MPI_INT, MPI_INT};
  espalier_request* made = nullptr;
  espalier_grid_bcast_init(grid.get(), buffers, counts, types, roots, &made);
  Request const request(made);
  int const coordinates[] = {w.rank / extents[1], w.rank % extents[1]};
  for (int turn = 1; turn <= num_turns; ++turn) {
    for (int d = 0; d < 2; ++d) {
      words[d] = coordinates[d] == 0 ? turn : 0;
    }
    cross(w, request.get(), between);
    checks.expect(words[0] == turn && words[1] == turn, std::string("grid, ") + between.name);
  }
}

int run() {
  Checks checks;
  World const w = world();
  for (Between const& between : things_between) {
    try_planned(checks, w, between);
    try_neighborhood(checks, w, between);
    try_grid(checks, w, between);
  }
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
