// SPDX-License-Identifier: Apache-2.0

/// @file
/// espalier_grid.h: requests of collectives along all dimensions, in every way, many under way in
/// another order on each rank, dimension after dimension, from C++, and what is refused.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "include/espalier.h"
#include "include/espalier_grid.h"
#include "include/espalier_planned.hpp"

#include <mpi.h>

#include "tests/mpi/capi/grid_support.hpp"
#include "tests/mpi/counted_allocations.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

constexpr Call calls[] = {Call::bcast, Call::gather, Call::scatter, Call::reduce};

int plan(espalier_grid* grid, Arrays const& a, Call call, espalier_request** request) {
  int const* const n = a.counts.data();
  int const* const at_root = a.root_counts.data();
  int const* const roots = a.roots.data();
  MPI_Datatype const* const types = a.types.data();
  switch (call) {
  case Call::bcast:
    return espalier_grid_bcast_init(grid, a.outputs.data(), n, types, roots, request);
  case Call::gather:
    return espalier_grid_gather_init(
        grid, a.inputs.data(), n, types, a.outputs.data(), at_root, types, roots, request
    );
  case Call::scatter:
    return espalier_grid_scatter_init(
        grid, a.inputs.data(), at_root, types, a.outputs.data(), n, types, roots, request
    );
  case Call::reduce:
    return espalier_grid_reduce_init(
        grid, a.inputs.data(), a.outputs.data(), n, types, a.ops.data(), roots, request
    );
  }
  return MPI_ERR_OTHER;
}

espalier_grid* grid_of(Shape const& shape, Way const& way) {
  espalier_grid_options options = ESPALIER_GRID_OPTIONS_INIT;
  options.algorithm = way.algorithm;
  options.is_overlapped = way.is_overlapped;
  options.segment_bytes = 256;
  int const ndims = static_cast<int>(shape.size());
  espalier_grid* grid = nullptr;
  espalier_grid_create(MPI_COMM_WORLD, ndims, shape.data(), nullptr, &options, &grid);
  return grid;
}

bool serves(Way const& way, Call call) {
  return std::string(way.algorithm) != "pipeline" || call == Call::bcast || call == Call::reduce;
}

/// A request with its lines, and what MPI makes of them.
class Job {
public:
  Job(espalier_grid* grid, Shape const& shape, Call call) {
    MPI_Comm cart = MPI_COMM_NULL;
    espalier_grid_comm(grid, &cart);
    for (std::size_t dimension = 0; dimension < shape.size(); ++dimension) {
      lines_.push_back(line_of(cart, shape, dimension));
      run_native(lines_.back(), call);
    }
    arrays_ = arrays_of(lines_);
    for (Line& line : lines_) {
      MPI_Comm_free(&line.native);
    }
    plan(grid, arrays_, call, &request_);
  }

  Job(Job const&) = delete;
  Job& operator=(Job const&) = delete;
  Job(Job&&) = delete;
  Job& operator=(Job&&) = delete;

  ~Job() { espalier_request_free(&request_); }

  [[nodiscard]] espalier_request* request() const { return request_; }

  void forget() {
    for (Line& line : lines_) {
      line.found.assign(line.found.size(), -1 - world_rank);
    }
  }

  [[nodiscard]] bool is_right() const {
    return std::ranges::all_of(lines_, [](Line const& line) {
      return line.found == line.expected;
    });
  }

private:
  std::vector<Line> lines_;
  Arrays arrays_;
  espalier_request* request_ = nullptr;
};

void check_call(Checks& checks, espalier_grid* grid, Shape const& shape, Call call) {
  Job job(grid, shape, call);
  std::string const name = espalier_request_algorithm(job.request());
  checks.expect(!name.empty(), "an algorithm is told");
  for (int turn = 0; turn < 3; ++turn) {
    job.forget();
    long const before = num_allocations;
    int const code = espalier_request_start(job.request());
    bool const is_frugal = num_allocations == before;
    checks.expect(code == MPI_SUCCESS, "a start of " + name);
    checks.expect(is_frugal, "a start of " + name + " allocates nothing");
    if (turn == 1) {
      for (int is_complete = 0; is_complete == 0;) {
        checks.expect(
            espalier_request_test(job.request(), &is_complete) == MPI_SUCCESS, "a test of " + name
        );
      }
    }
    checks.expect(espalier_request_wait(job.request()) == MPI_SUCCESS, "a wait for " + name);
    checks.expect(job.is_right(), "another result of " + name);
  }
}

/// Ranks start and wait in orders of their own.
void check_many(Checks& checks, espalier_grid* grid, Shape const& shape, Way const& way) {
  std::vector<std::unique_ptr<Job>> jobs;
  for (int copy = 0; copy < 2; ++copy) {
    for (Call const call : calls) {
      if (serves(way, call)) {
        jobs.push_back(std::make_unique<Job>(grid, shape, call));
      }
    }
  }
  std::vector<std::size_t> order(jobs.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::rotate(
      order.begin(), order.begin() + world_rank % static_cast<int>(order.size()), order.end()
  );
  for (int turn = 0; turn < 2; ++turn) {
    for (std::size_t const i : order) {
      jobs[i]->forget();
      checks.expect(espalier_request_start(jobs[i]->request()) == MPI_SUCCESS, "one of many");
    }
    std::ranges::reverse(order);
    for (std::size_t const i : order) {
      checks.expect(espalier_request_wait(jobs[i]->request()) == MPI_SUCCESS, "one of many");
      checks.expect(jobs[i]->is_right(), std::string("another result of many, ") + way.algorithm);
    }
  }
}

/// What ranks give to all dimensions alike.
struct Same {
  std::vector<void*> buffers;
  std::vector<int> counts;
  std::vector<int> roots;
  std::vector<MPI_Datatype> types;

  Same(std::size_t num_dimensions, void* buffer, int count, MPI_Datatype type)
      : buffers(num_dimensions, buffer), counts(num_dimensions, count), roots(num_dimensions),
        types(num_dimensions, type) {}
};

/// Without overlap the result of one dimension is the contribution to the next: from one to all.
void check_in_turn(Checks& checks, espalier_grid* grid, Shape const& shape, Way const& way) {
  MPI_Comm cart = MPI_COMM_NULL;
  espalier_grid_comm(grid, &cart);
  int own = 0;
  MPI_Comm_rank(cart, &own);
  std::vector<int> values(300, -1);
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  Same const all(shape.size(), values.data(), 150, pair);
  espalier_request* request = nullptr;
  espalier_grid_bcast_init(
      grid, all.buffers.data(), all.counts.data(), all.types.data(), all.roots.data(), &request
  );
  MPI_Type_free(&pair);  // the request keeps what it needs
  for (int turn = 0; turn < 2; ++turn) {
    values.assign(values.size(), own == 0 ? 42 + turn : -1);
    espalier_request_start(request);
    espalier_request_wait(request);
    bool const has_come = std::ranges::count(values, 42 + turn) == std::ssize(values);
    checks.expect(has_come, std::string("dimension after dimension, ") + way.algorithm);
  }
  espalier_request_free(&request);
}

/// A blocking call moves on what is under way: others may wait for it before they make the call.
void check_blocking(Checks& checks, espalier_grid* grid, Shape const& shape) {
  std::vector<int> values(300, world_rank);
  int one = world_rank;
  Same const started(shape.size(), values.data(), 300, MPI_INT);
  Same const blocking(shape.size(), &one, 1, MPI_INT);
  espalier_request* request = nullptr;
  espalier_grid_bcast_init(
      grid,
      started.buffers.data(),
      started.counts.data(),
      started.types.data(),
      started.roots.data(),
      &request
  );
  auto const call = [&] {
    return espalier_grid_bcast(
        grid,
        blocking.buffers.data(),
        blocking.counts.data(),
        blocking.types.data(),
        blocking.roots.data()
    );
  };
  checks.expect(espalier_request_start(request) == MPI_SUCCESS, "a start before a call");
  if (world_rank % 2 == 0) {
    checks.expect(call() == MPI_SUCCESS, "a call between start and wait");
    checks.expect(espalier_request_wait(request) == MPI_SUCCESS, "a wait after a call");
  } else {
    checks.expect(espalier_request_wait(request) == MPI_SUCCESS, "a wait before a call");
    checks.expect(call() == MPI_SUCCESS, "a call after a wait");
  }
  bool const is_one = std::ranges::count(values, values.front()) == std::ssize(values);
  checks.expect(is_one && values.front() == one, "both results");
  espalier_request_free(&request);
}

void check_way(Checks& checks, Shape const& shape, Way const& way) {
  espalier_grid* grid = grid_of(shape, way);
  if (grid == nullptr) {
    return;
  }
  for (Call const call : calls) {
    if (serves(way, call)) {
      check_call(checks, grid, shape, call);
    }
  }
  check_many(checks, grid, shape, way);
  if (way.is_overlapped == 0) {
    check_in_turn(checks, grid, shape, way);
  }
  if (std::string(way.algorithm) != "native" && way.is_overlapped == 0) {
    check_blocking(checks, grid, shape);
  }
  espalier_grid_free(&grid);
}

/// All ranks get an error if one of them does something wrong.
void check_errors(Checks& checks) {
  espalier_grid* grid = grid_of({world_size}, {"pipeline", 0});
  std::vector<int> values(4);
  int const last = world_size - 1;
  void* const buffers[] = {values.data()};
  MPI_Datatype const types[] = {MPI_INT};
  int const counts[] = {world_rank == last ? -1 : 4};
  int const roots[] = {0};
  int const wrong_roots[] = {world_rank == last ? world_size : 0};
  espalier_request* request = nullptr;
  int code = espalier_grid_bcast_init(grid, buffers, counts, types, roots, &request);
  checks.expect(class_of(code) == MPI_ERR_COUNT && request == nullptr, "a count of one rank");
  int const right[] = {4};
  code = espalier_grid_bcast_init(grid, buffers, right, types, wrong_roots, &request);
  checks.expect(class_of(code) == MPI_ERR_ROOT && request == nullptr, "a root of one rank");
  code = espalier_grid_bcast_init(
      grid, world_rank == last ? nullptr : buffers, right, types, roots, &request
  );
  checks.expect(class_of(code) == MPI_ERR_ARG && request == nullptr, "buffers of one rank");
  code = espalier_grid_bcast_init(
      grid, buffers, right, types, roots, world_rank == last ? nullptr : &request
  );
  checks.expect(class_of(code) == MPI_ERR_ARG && request == nullptr, "no place for a request");
  void const* const inputs[] = {values.data()};
  code =
      espalier_grid_gather_init(grid, inputs, right, types, buffers, right, types, roots, &request);
  checks.expect(class_of(code) == MPI_ERR_OTHER && request == nullptr, "a pipeline of a gather");
  code = espalier_grid_bcast_init(nullptr, buffers, right, types, roots, &request);
  checks.expect(class_of(code) == MPI_ERR_ARG, "no grid");
  espalier_grid_free(&grid);
}

void check_view(Checks& checks) {
  espalier_grid* grid = grid_of({world_size}, {"binomial", 0});
  int value = world_rank;
  void* const buffers[] = {&value};
  int const counts[] = {1};
  int const roots[] = {world_size - 1};
  MPI_Datatype const types[] = {MPI_INT};
  {
    espalier::Request request =
        espalier::Request::planned(espalier_grid_bcast_init, grid, buffers, counts, types, roots);
    checks.expect(request.algorithm() == "bcast/binomial", request.algorithm());
    checks.expect(request.explain().find("message") != std::string::npos, request.explain());
    request.start();
    request.wait();
  }
  espalier_grid_free(&grid);
  int least = 0;
  MPI_Allreduce(&value, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  checks.expect(value == least, "a broadcast from C++");
}

/// Of this number of ranks, and one that leaves a rank out.
std::vector<Shape> more_shapes() {
  std::vector<Shape> result = shapes();
  if (world_size > 3 && world_size % 2 == 1) {
    result.push_back({2, world_size / 2});
  }
  return result;
}

int run() {
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  Checks checks;
  for (Shape const& shape : more_shapes()) {
    for (char const* algorithm : {"native", "pipeline", "binomial"}) {
      check_way(checks, shape, {algorithm, 0});
      check_way(checks, shape, {algorithm, 1});
    }
  }
  check_errors(checks);
  check_view(checks);
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
