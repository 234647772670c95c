// SPDX-License-Identifier: Apache-2.0

/// @file
/// One rank of an allgather on 8 ranks, with messages that complete at once: under callgrind it
/// shows the instructions that the executor, a planned collective of the C interface, or code
/// written by hand, adds to those of MPI.
///
/// Usage: instructions <schedule|planned|direct> <ring|bruck|sparbit> <num_calls>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "include/espalier_planned.h"

#include <mpi.h>

#include "benchmarks/exec/direct.hpp"
#include "espalier/algorithms/catalog.hpp"
#include "espalier/capi/planned/requests.hpp"
#include "espalier/exec/collectives/mpi_collectives.hpp"

// These stand for those of the MPI library; what they cost is not counted.
extern "C" {

int PMPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int PMPI_Isend(void const*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int PMPI_Recv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*) {
  return MPI_SUCCESS;
}

int PMPI_Wait(MPI_Request*, MPI_Status*) {
  return MPI_SUCCESS;
}

int PMPI_Waitall(int, MPI_Request*, MPI_Status*) {
  return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm, int* rank) {
  *rank = 3;
  return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm, int* size) {
  *size = 8;
  return MPI_SUCCESS;
}
}

namespace espalier::benchmarks {
namespace {

constexpr int block_bytes = 8;
constexpr int num_ranks = 8;
constexpr int rank = 3;

exec::MpiExecutor make_executor(std::string const& algorithm) {
  auto const program =
      algorithms::Choice::parse("allgather/" + algorithm).generate(num_ranks, 0, rank);
  exec::TypedCount const block{.type = MPI_BYTE, .count = block_bytes};
  return exec::allgather_executor(program, MPI_COMM_WORLD, block, block);
}

struct Buffers {
  std::vector<std::byte> input = std::vector<std::byte>(block_bytes);
  std::vector<std::byte> output = std::vector<std::byte>(num_ranks * block_bytes);
};

}  // namespace

/// Callgrind counts from here on.
[[gnu::noinline]] void
counted_schedule(exec::MpiExecutor& executor, Buffers& buffers, int num_calls) {
  for (int i = 0; i < num_calls; ++i) {
    executor.run(buffers.input.data(), buffers.output.data());
  }
}

/// Callgrind counts from here on.
[[gnu::noinline]] int counted_planned(espalier_request* request, int num_calls) {
  int code = MPI_SUCCESS;
  for (int i = 0; i < num_calls && code == MPI_SUCCESS; ++i) {
    code = espalier_request_start(request);
    code = code == MPI_SUCCESS ? espalier_request_wait(request) : code;
  }
  return code;
}

/// Callgrind counts from here on.
[[gnu::noinline]] void counted_direct(Direct& direct, std::string const& algorithm, int num_calls) {
  Buffers buffers;
  auto const call = algorithm == "ring"    ? &Direct::ring
                    : algorithm == "bruck" ? &Direct::bruck
                                           : &Direct::sparbit;
  for (int i = 0; i < num_calls; ++i) {
    (direct.*call)(buffers.input.data(), buffers.output.data());
  }
}

namespace {

/// Made without an initialisation, which other ranks would have to take part in.
int run_planned(std::string const& algorithm, int num_calls) {
  Buffers buffers;
  capi::PlannedParts parts{
      .user = std::make_shared<capi::UserCommunicator>(),
      .algorithm = algorithm,
      .explanation = {},
      .seat = plan::Seat(nullptr, 0),
  };
  plan::BoundCall bound{
      .executor = std::make_unique<exec::MpiExecutor>(make_executor(algorithm)),
      .input = buffers.input.data(),
      .output = buffers.output.data(),
  };
  capi::ScheduledCollective request(std::move(parts), std::move(bound));
  return counted_planned(&request, num_calls) == MPI_SUCCESS ? 0 : 1;
}

int run(std::string const& kind, std::string const& algorithm, int num_calls) {
  if (kind == "schedule") {
    exec::MpiExecutor executor = make_executor(algorithm);
    Buffers buffers;
    counted_schedule(executor, buffers, num_calls);
    return executor.is_broken() ? 1 : 0;
  }
  if (kind == "planned") {
    return run_planned(algorithm, num_calls);
  }
  Direct direct(MPI_COMM_WORLD, block_bytes);
  counted_direct(direct, algorithm, num_calls);
  return 0;
}

}  // namespace
}  // namespace espalier::benchmarks

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(
        stderr, "usage: instructions <schedule|planned|direct> <ring|bruck|sparbit> <num_calls>\n"
    );
    return 2;
  }
  MPI_Init(&argc, &argv);
  int const code = espalier::benchmarks::run(argv[1], argv[2], std::atoi(argv[3]));
  MPI_Finalize();
  return code;
}
