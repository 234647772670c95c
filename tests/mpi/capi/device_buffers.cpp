// SPDX-License-Identifier: Apache-2.0

/// @file
/// Neighborhoods and grids whose buffers are in device memory on one rank: direct exchanges and
/// native collectives touch it in functions of MPI only, what forwards or combines is not taken,
/// and is an error on all ranks if the program asks for it.

#include <cstddef>
#include <string>
#include <vector>

#include "include/espalier.h"

#include <mpi.h>

#include "tests/mpi/capi/grid_support.hpp"
#include "tests/mpi/exec/support.hpp"
#include "tests/support/stand_in_devices.h"

namespace {

bool is_guarded = false;

/// The MPI library may touch what the processor may not.
class Unlocked {
public:
  Unlocked() {
    if (is_guarded) {
      stand_in_unlock();
    }
  }

  ~Unlocked() {
    if (is_guarded) {
      stand_in_lock();
    }
  }

  Unlocked(Unlocked const&) = delete;
  Unlocked& operator=(Unlocked const&) = delete;
  Unlocked(Unlocked&&) = delete;
  Unlocked& operator=(Unlocked&&) = delete;
};

/// While one lives, the processor faults where it touches device memory outside of MPI.
class Guarded {
public:
  Guarded() {
    stand_in_lock();
    is_guarded = true;
  }

  ~Guarded() {
    is_guarded = false;
    stand_in_unlock();
  }

  Guarded(Guarded const&) = delete;
  Guarded& operator=(Guarded const&) = delete;
  Guarded(Guarded&&) = delete;
  Guarded& operator=(Guarded&&) = delete;
};

}  // namespace

// What executors call.
extern "C" {

int PMPI_Isend(
    void const* from,
    int count,
    MPI_Datatype type,
    int to,
    int tag,
    MPI_Comm comm,
    MPI_Request* made
) {
  Unlocked const unlocked;
  return MPI_Isend(from, count, type, to, tag, comm, made);
}

int PMPI_Irecv(
    void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* made
) {
  Unlocked const unlocked;
  return MPI_Irecv(to, count, type, from, tag, comm, made);
}

int PMPI_Recv(
    void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status
) {
  Unlocked const unlocked;
  return MPI_Recv(to, count, type, from, tag, comm, status);
}

// NOLINTNEXTLINE(readability-function-size): as MPI has it
int PMPI_Sendrecv(
    void const* from,
    int num_sent,
    MPI_Datatype sent,
    int receiver,
    int sent_tag,
    void* to,
    int num_received,
    MPI_Datatype received,
    int sender,
    int received_tag,
    MPI_Comm comm,
    MPI_Status* status
) {
  Unlocked const unlocked;
  return MPI_Sendrecv(
      from,
      num_sent,
      sent,
      receiver,
      sent_tag,
      to,
      num_received,
      received,
      sender,
      received_tag,
      comm,
      status
  );
}

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  Unlocked const unlocked;
  return MPI_Wait(request, status);
}

int PMPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  Unlocked const unlocked;
  return MPI_Waitany(count, requests, index, status);
}

int PMPI_Test(MPI_Request* request, int* is_complete, MPI_Status* status) {
  Unlocked const unlocked;
  return MPI_Test(request, is_complete, status);
}

int PMPI_Testsome(
    int count, MPI_Request requests[], int* num_complete, int indices[], MPI_Status statuses[]
) {
  Unlocked const unlocked;
  return MPI_Testsome(count, requests, num_complete, indices, statuses);
}

}  // extern "C"

namespace espalier::test {
namespace {

/// Two buffers of this rank, in device memory or not.
class Buffers {
public:
  Buffers(std::size_t size, bool is_on_device) : ordinary_(2 * size), size_(size) {
    if (is_on_device) {
      on_device_ = static_cast<int*>(stand_in_allocate(2 * size * sizeof(int)));
    }
  }

  Buffers(Buffers const&) = delete;
  Buffers& operator=(Buffers const&) = delete;
  Buffers(Buffers&&) = delete;
  Buffers& operator=(Buffers&&) = delete;

  ~Buffers() {
    if (on_device_ != nullptr) {
      stand_in_free(on_device_);
    }
  }

  [[nodiscard]] int* input() { return on_device_ != nullptr ? on_device_ : ordinary_.data(); }

  [[nodiscard]] int* output() { return input() + size_; }

private:
  std::vector<int> ordinary_;
  std::size_t size_;
  int* on_device_ = nullptr;
};

MPI_Comm periodic(std::vector<int> const& extents) {
  std::vector<int> const periods(extents.size(), 1);
  MPI_Comm comm = MPI_COMM_NULL;
  int const ndims = static_cast<int>(extents.size());
  MPI_Cart_create(MPI_COMM_WORLD, ndims, extents.data(), periods.data(), 0, &comm);
  return comm;
}

/// Neighbours on a ring: the rank itself, the next one, and the one before.
constexpr int offsets_of_ring[] = {0, 1, -1};
constexpr int num_offsets = 3;

int number(int from, int block) {
  return 100 * (from + 1) + block;
}

/// Blocks come from where they should, by a call that is blocking or by a request.
void check_exchange(Checks& checks, espalier_neighborhood* ring, bool is_on_device) {
  Buffers buffers(num_offsets, is_on_device && world_rank == 0);
  for (bool const is_blocking : {true, false}) {
    for (int block = 0; block < num_offsets; ++block) {
      buffers.input()[block] = number(world_rank, block);
      buffers.output()[block] = -1;
    }
    int code = MPI_SUCCESS;
    if (is_blocking) {
      Guarded const guarded;
      code = espalier_neighbor_alltoall(
          buffers.input(), 1, MPI_INT, buffers.output(), 1, MPI_INT, ring
      );
    } else {
      espalier_request* request = nullptr;
      code = espalier_neighbor_alltoall_init(
          buffers.input(), 1, MPI_INT, buffers.output(), 1, MPI_INT, ring, &request
      );
      Guarded const guarded;
      espalier_request_start(request);
      espalier_request_wait(request);
      espalier_request_free(&request);
    }
    checks.expect(code == MPI_SUCCESS, "an exchange with device memory");
    int const before = (world_rank + world_size - 1) % world_size;
    int const next = (world_rank + 1) % world_size;
    bool const is_right = buffers.output()[0] == number(world_rank, 0) &&
                          buffers.output()[1] == number(before, 1) &&
                          buffers.output()[2] == number(next, 2);
    checks.expect(is_right, is_blocking ? "blocks of a call" : "blocks of a request");
  }
}

espalier_neighborhood* ring_of(MPI_Comm comm, char const* algorithm) {
  espalier_neighbor_options options = ESPALIER_NEIGHBOR_OPTIONS_INIT;
  options.algorithm = algorithm;
  espalier_neighborhood* ring = nullptr;
  espalier_neighborhood_create(comm, num_offsets, offsets_of_ring, &options, &ring);
  return ring;
}

void check_neighborhoods(Checks& checks) {
  MPI_Comm comm = periodic({world_size});
  espalier_neighborhood* direct = ring_of(comm, nullptr);
  check_exchange(checks, direct, false);
  check_exchange(checks, direct, true);
  espalier_neighborhood_free(&direct);
  espalier_neighborhood* combining = ring_of(comm, "combining");
  check_exchange(checks, combining, false);
  Buffers buffers(num_offsets, world_rank == 0);
  int code = espalier_neighbor_alltoall(
      buffers.input(), 1, MPI_INT, buffers.output(), 1, MPI_INT, combining
  );
  checks.expect(class_of(code) == MPI_ERR_OTHER, "a call that forwards device memory");
  espalier_request* request = nullptr;
  code = espalier_neighbor_alltoall_init(
      buffers.input(), 1, MPI_INT, buffers.output(), 1, MPI_INT, combining, &request
  );
  checks.expect(class_of(code) == MPI_ERR_OTHER, "a request that forwards device memory");
  checks.expect(request == nullptr, "nothing is planned");
  espalier_neighborhood_free(&combining);
  MPI_Comm_free(&comm);
}

/// On 2 x 2 ranks blocks for all eight neighbours are worth combining, and are not in device
/// memory.
void check_prediction(Checks& checks) {
  MPI_Comm comm = periodic({2, 2});
  int const offsets[] = {-1, -1, -1, 0, -1, 1, 0, -1, 0, 1, 1, -1, 1, 0, 1, 1};
  espalier_neighbor_options options = ESPALIER_NEIGHBOR_OPTIONS_INIT;
  options.latency_us = 100;
  options.bandwidth_gib_s = 1;
  espalier_neighborhood* all8 = nullptr;
  espalier_neighborhood_create(comm, 8, offsets, &options, &all8);
  for (bool const is_on_device : {false, true}) {
    Buffers buffers(8, is_on_device && world_rank == 1);
    espalier_request* request = nullptr;
    espalier_neighbor_alltoall_init(
        buffers.input(), 1, MPI_INT, buffers.output(), 1, MPI_INT, all8, &request
    );
    std::string const name = espalier_request_algorithm(request);
    std::string const expected = is_on_device ? "direct" : "combining";
    checks.expect(
        name == "neighbor_alltoall/" + expected, "expected " + expected + ", got " + name
    );
    espalier_request_free(&request);
  }
  espalier_neighborhood_free(&all8);
  MPI_Comm_free(&comm);
}

/// The code of a sum along a ring of all ranks, as a call or planned.
int reduce(espalier_grid* grid, Buffers& buffers, bool is_blocking) {
  void const* const inputs[] = {buffers.input()};
  void* const outputs[] = {buffers.output()};
  int const counts[] = {1};
  int const roots[] = {0};
  MPI_Datatype const types[] = {MPI_INT};
  MPI_Op const ops[] = {MPI_SUM};
  if (is_blocking) {
    return espalier_grid_reduce(grid, inputs, outputs, counts, types, ops, roots);
  }
  espalier_request* request = nullptr;
  int const code =
      espalier_grid_reduce_init(grid, inputs, outputs, counts, types, ops, roots, &request);
  if (code != MPI_SUCCESS) {
    return code;
  }
  espalier_request_start(request);
  espalier_request_wait(request);
  espalier_request_free(&request);
  return MPI_SUCCESS;
}

/// The device memory is not guarded: the library's own collectives touch it.
void check_grid(Checks& checks, char const* algorithm) {
  espalier_grid_options options = ESPALIER_GRID_OPTIONS_INIT;
  options.algorithm = algorithm;
  espalier_grid* grid = nullptr;
  espalier_grid_create(MPI_COMM_WORLD, 1, &world_size, nullptr, &options, &grid);
  bool const is_native = std::string(algorithm) == "native";
  for (bool const is_blocking : {true, false}) {
    for (bool const is_on_device : {false, true}) {
      Buffers buffers(1, is_on_device && world_rank == world_size - 1);
      *buffers.input() = 1;
      int const code = reduce(grid, buffers, is_blocking);
      int const expected = is_on_device && !is_native ? MPI_ERR_OTHER : MPI_SUCCESS;
      checks.expect(class_of(code) == expected, std::string("a grid, ") + algorithm);
      int own = 0;
      MPI_Comm comm = MPI_COMM_NULL;
      espalier_grid_comm(grid, &comm);
      MPI_Comm_rank(comm, &own);
      bool const is_right = own != 0 || *buffers.output() == world_size;
      checks.expect(expected != MPI_SUCCESS || is_right, std::string("a sum, ") + algorithm);
    }
  }
  espalier_grid_free(&grid);
}

int run() {
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Checks checks;
  check_neighborhoods(checks);
  if (world_size == 4) {
    check_prediction(checks);
  }
  for (char const* const algorithm : {"native", "binomial", "pipeline"}) {
    check_grid(checks, algorithm);
  }
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
