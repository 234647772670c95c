// SPDX-License-Identifier: Apache-2.0

/// @file
/// Neighborhood collectives of the C interface against an oracle: all topologies, calls,
/// algorithms, blocking and persistent, with types with gaps, empty blocks and blocks in any order.

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "include/espalier_neighbor.h"
#include "include/espalier_planned.h"

#include <mpi.h>

#include "tests/mpi/capi/neighbor_blocks.hpp"
#include "tests/mpi/counted_allocations.hpp"
#include "tests/mpi/fake_nodes.hpp"

extern "C" int
PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return fake_nodes::split_type(comm, type, key, info, made);
}

namespace {

using namespace espalier::test;

constexpr char const* algorithms[] = {"direct", "combining", "node_aware"};

espalier_neighborhood* make(Topology const& topology, char const* algorithm) {
  espalier_neighbor_options options = ESPALIER_NEIGHBOR_OPTIONS_INIT;
  options.algorithm = algorithm;
  std::vector<int> rows;
  for (auto const& offset : topology.offsets) {
    rows.insert(rows.end(), offset.begin(), offset.end());
  }
  espalier_neighborhood* neighborhood = nullptr;
  auto const num_offsets = static_cast<int>(topology.offsets.size());
  int const code = rows.empty()
                       ? espalier_neighborhood_of(topology.comm, &options, &neighborhood)
                       : espalier_neighborhood_create(
                             topology.comm, num_offsets, rows.data(), &options, &neighborhood
                         );
  return code == MPI_SUCCESS ? neighborhood : nullptr;
}

int run_blocking(Job& job, espalier_neighborhood* neighborhood) {
  return job.call(
      espalier_neighbor_allgather,
      espalier_neighbor_allgatherv,
      espalier_neighbor_alltoall,
      espalier_neighbor_alltoallv,
      espalier_neighbor_alltoallw,
      neighborhood
  );
}

int plan(Job& job, espalier_neighborhood* neighborhood, espalier_request** request) {
  return job.call(
      espalier_neighbor_allgather_init,
      espalier_neighbor_allgatherv_init,
      espalier_neighbor_alltoall_init,
      espalier_neighbor_alltoallv_init,
      espalier_neighbor_alltoallw_init,
      neighborhood,
      request
  );
}

std::string error_text(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int size = 0;
  PMPI_Error_string(code, text, &size);
  return text;
}

/// Brings a started request to its end, by asking or by waiting.
void complete(Checks& checks, espalier_request* request, bool by_asking, std::string const& what) {
  int is_complete = 0;
  while (by_asking && is_complete == 0) {
    checks.expect(espalier_request_test(request, &is_complete) == MPI_SUCCESS, what + ": test");
  }
  checks.expect(espalier_request_wait(request) == MPI_SUCCESS, what + ": wait");
}

void check_persistent(
    Checks& checks, Job& job, espalier_neighborhood* neighborhood, std::string const& what
) {
  espalier_request* request = nullptr;
  checks.expect(plan(job, neighborhood, &request) == MPI_SUCCESS, what + ": init");
  if (request == nullptr) {
    return;
  }
  char text[256] = "";
  int const length = espalier_explain(request, text, static_cast<int>(sizeof text));
  std::string const begin = std::string(espalier_request_algorithm(request)) + "\nthis rank sends ";
  checks.expect(std::string(text).rfind(begin, 0) == 0 && length > 0, what + ": says " + text);
  espalier::test::Buffer const untouched = job.output;
  for (int i = 0; i < 3; ++i) {
    job.output = untouched;
    long const before = num_allocations;
    bool const is_started = espalier_request_start(request) == MPI_SUCCESS;
    if (i == 2) {
      checks.expect(espalier_request_wait(request) == MPI_SUCCESS, what);
      bool const is_frugal = num_allocations == before;
      checks.expect(is_frugal, what + ": allocates when it is started again");
    } else {
      complete(checks, request, i == 0, what);
    }
    checks.expect(is_started && job.is_right(), what + " " + std::to_string(i));
  }
  checks.expect(espalier_request_free(&request) == MPI_SUCCESS, what + ": free");
}

/// One neighborhood with one algorithm: every call, with blocks of another size and other types for
/// each, so that all of them are met on some topology.
void check_calls(
    Checks& checks,
    Topology const& topology,
    espalier_neighborhood* neighborhood,
    std::string const& name,
    std::size_t seed
) {
  for (Kind const kind : all_kinds) {
    for (int const scale : {std::array{1, 0, 700}[seed % 3]}) {
      std::string const what =
          name + " kind " + std::to_string(static_cast<int>(kind)) + " x" + std::to_string(scale);
      std::size_t const type_number = seed++;
      Job job(topology, kind, scale, type_number);
      espalier::test::Buffer const untouched = job.output;
      for (int i = 0; i < 2; ++i) {
        job.output = untouched;
        int const code = run_blocking(job, neighborhood);
        checks.expect(code == MPI_SUCCESS, what + ": " + error_text(code));
        checks.expect(job.is_right(), what + ": blocking");
      }
      job.output = untouched;
      check_persistent(checks, job, neighborhood, what + ": persistent");
    }
  }
}

/// Requests under way at the same time, begun and completed in different orders on different ranks.
void check_overlap(
    Checks& checks,
    Topology const& topology,
    espalier_neighborhood* neighborhood,
    std::string const& name
) {
  std::vector<Job> jobs;
  std::vector<espalier_request*> requests;
  for (Kind const kind : all_kinds) {
    jobs.emplace_back(topology, kind, 3, jobs.size());
  }
  for (Job& job : jobs) {
    requests.push_back(nullptr);
    checks.expect(plan(job, neighborhood, &requests.back()) == MPI_SUCCESS, name + ": init");
  }
  auto const rank = static_cast<std::size_t>(test_rank(topology.comm));
  std::size_t const n = requests.size();
  for (std::size_t i = 0; i < n; ++i) {
    checks.expect(espalier_request_start(requests[(i + rank) % n]) == MPI_SUCCESS, name);
  }
  for (std::size_t i = 0; i < n; ++i) {
    complete(checks, requests[(2 * i + rank) % n], rank % 2 == 0, name + ": overlapped");
  }
  for (std::size_t i = 0; i < n; ++i) {
    checks.expect(jobs[i].is_right(), name + ": overlapped " + std::to_string(i));
    espalier_request_free(&requests[i]);
  }
}

/// True if the algorithm serves the neighborhood: combining needs a grid, or the edges of one.
bool is_served(Topology const& topology, std::string const& algorithm) {
  return algorithm != "combining" || topology.is_grid || topology.is_stencil;
}

void check_refused(Checks& checks, Topology const& topology, espalier_neighborhood* neighborhood) {
  Job job(topology, Kind::alltoall, 1, 0);
  espalier_request* request = nullptr;
  std::string const what = topology.name + ": combining is refused";
  checks.expect(plan(job, neighborhood, &request) != MPI_SUCCESS && request == nullptr, what);
  checks.expect(run_blocking(job, neighborhood) != MPI_SUCCESS, what);
}

void check(Checks& checks, Topology const& topology, std::size_t seed) {
  PMPI_Comm_set_errhandler(topology.comm, MPI_ERRORS_RETURN);
  for (char const* const algorithm : algorithms) {
    std::string const name = topology.name + " " + algorithm;
    espalier_neighborhood* neighborhood = make(topology, algorithm);
    checks.expect(neighborhood != nullptr, name + ": neighborhood");
    if (neighborhood == nullptr) {
      continue;
    }
    if (is_served(topology, algorithm)) {
      check_calls(checks, topology, neighborhood, name, seed);
      check_overlap(checks, topology, neighborhood, name);
    } else {
      check_refused(checks, topology, neighborhood);
    }
    checks.expect(espalier_neighborhood_free(&neighborhood) == MPI_SUCCESS, name + ": free");
  }
}

/// Ranks without destinations may name 0 elements as what they send, and still forward what others
/// of their node get: 0 and 1 send to 2 and 3, on another node.
void check_sinks(Checks& checks) {
  int rank = 0;
  int num_ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  if (num_ranks < 4) {
    return;
  }
  bool const is_source = rank < 2;
  bool const is_sink = rank == 2 || rank == 3;
  std::array<int, 2> const sources{0, 1};
  std::array<int, 2> const sinks{2, 3};
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Dist_graph_create_adjacent(
      MPI_COMM_WORLD,
      is_sink ? 2 : 0,
      sources.data(),
      MPI_UNWEIGHTED,
      is_source ? 2 : 0,
      sinks.data(),
      MPI_UNWEIGHTED,
      MPI_INFO_NULL,
      0,
      &comm
  );
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  fake_nodes::node_of = fake_nodes::pairs;
  espalier_neighbor_options options = ESPALIER_NEIGHBOR_OPTIONS_INIT;
  options.algorithm = "node_aware";
  espalier_neighborhood* neighborhood = nullptr;
  checks.expect(
      espalier_neighborhood_of(comm, &options, &neighborhood) == MPI_SUCCESS, "a graph with sinks"
  );
  std::array<int, 3> const own{rank, 10 + rank, 20 + rank};
  std::array<int, 6> found{-1, -1, -1, -1, -1, -1};
  int const code = espalier_neighbor_allgather(
      own.data(), is_source ? 3 : 0, MPI_INT, found.data(), is_sink ? 3 : 0, MPI_INT, neighborhood
  );
  fake_nodes::node_of = nullptr;
  checks.expect(code == MPI_SUCCESS, "sinks that send 0 elements");
  std::array<int, 6> const expected{0, 10, 20, 1, 11, 21};
  checks.expect(!is_sink || found == expected, "what sinks get");
  espalier_neighborhood_free(&neighborhood);
  PMPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Checks checks;
  std::size_t seed = 0;
  for (Topology& topology : topologies()) {
    if (topology.comm != MPI_COMM_NULL) {
      check(checks, topology, seed);
      PMPI_Comm_free(&topology.comm);
    }
    ++seed;
  }
  check_sinks(checks);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
