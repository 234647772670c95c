// SPDX-License-Identifier: Apache-2.0

/// @file
/// espalier_grid.h: collectives along all dimensions against MPI's own on communicators of
/// MPI_Cart_sub, in every way; mappings by trial; errors.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "include/espalier.h"
#include "include/espalier_grid.h"

#include <mpi.h>

#include "tests/mpi/capi/grid_support.hpp"
#include "tests/mpi/exec/support.hpp"
#include "tests/mpi/fake_nodes.hpp"

extern "C" int
PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return fake_nodes::split_type(comm, type, key, info, made);
}

namespace espalier::test {
namespace {

int run_ours(espalier_grid* grid, Arrays const& a, Call call) {
  int const* const n = a.counts.data();
  int const* const at_root = a.root_counts.data();
  int const* const roots = a.roots.data();
  MPI_Datatype const* const types = a.types.data();
  switch (call) {
  case Call::bcast:
    return espalier_grid_bcast(grid, a.outputs.data(), n, types, roots);
  case Call::gather:
    return espalier_grid_gather(
        grid, a.inputs.data(), n, types, a.outputs.data(), at_root, types, roots
    );
  case Call::scatter:
    return espalier_grid_scatter(
        grid, a.inputs.data(), at_root, types, a.outputs.data(), n, types, roots
    );
  case Call::reduce:
    return espalier_grid_reduce(
        grid, a.inputs.data(), a.outputs.data(), n, types, a.ops.data(), roots
    );
  }
  return MPI_ERR_OTHER;
}

void check_call(
    Checks& checks, espalier_grid* grid, Shape const& shape, Call call, std::string const& what
) {
  MPI_Comm cart = MPI_COMM_NULL;
  espalier_grid_comm(grid, &cart);
  std::vector<Line> lines;
  for (std::size_t dimension = 0; dimension < shape.size(); ++dimension) {
    lines.push_back(line_of(cart, shape, dimension));
    run_native(lines.back(), call);
  }
  for (int turn = 0; turn < 2; ++turn) {
    for (Line& line : lines) {
      line.found.assign(line.found.size(), -1 - world_rank);
    }
    int const code = run_ours(grid, arrays_of(lines), call);
    checks.expect(code == MPI_SUCCESS, "an error of" + what);
    for (Line const& line : lines) {
      checks.expect(line.found == line.expected, "another result of" + what);
    }
  }
  for (Line& line : lines) {
    MPI_Comm_free(&line.native);
  }
}

/// The communicators are those of MPI_Cart_sub.
void check_lines(Checks& checks, espalier_grid* grid, Shape const& shape) {
  MPI_Comm cart = MPI_COMM_NULL;
  espalier_grid_comm(grid, &cart);
  for (std::size_t dimension = 0; dimension < shape.size(); ++dimension) {
    Line line = line_of(cart, shape, dimension);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm again = MPI_COMM_NULL;
    espalier_grid_line(grid, static_cast<int>(dimension), &made);
    espalier_grid_line(grid, static_cast<int>(dimension), &again);
    int relation = MPI_UNEQUAL;
    MPI_Comm_compare(made, line.native, &relation);
    checks.expect(relation == MPI_CONGRUENT, "a line is that of MPI_Cart_sub");
    checks.expect(made == again, "a line is made once");
    MPI_Comm_free(&line.native);
  }
}

void check_way(Checks& checks, Shape const& shape, Way const& way) {
  espalier_grid_options options = ESPALIER_GRID_OPTIONS_INIT;
  options.algorithm = way.algorithm;
  options.is_overlapped = way.is_overlapped;
  options.segment_bytes = 256;
  int const ndims = static_cast<int>(shape.size());
  espalier_grid* grid = nullptr;
  espalier_grid_create(MPI_COMM_WORLD, ndims, shape.data(), nullptr, &options, &grid);
  std::string const name = std::string(" ") + way.algorithm;
  check_call(checks, grid, shape, Call::bcast, name + " bcast");
  check_call(checks, grid, shape, Call::reduce, name + " reduce");
  if (std::string(way.algorithm) != "pipeline") {
    check_call(checks, grid, shape, Call::gather, name + " gather");
    check_call(checks, grid, shape, Call::scatter, name + " scatter");
  }
  check_lines(checks, grid, shape);
  espalier_grid_free(&grid);
  checks.expect(grid == nullptr, "a freed grid is NULL");
}

/// 10 a + b of the first one, so that the order of operands is seen.
void append(void* from, void* to, int* length, MPI_Datatype* /*type*/) {
  for (int i = 0; i < *length; ++i) {
    int& value = static_cast<int*>(to)[i];
    value += 10 * static_cast<int const*>(from)[i] * (value < 10 ? 1 : 10);
  }
}

/// Operands stay in the order of the line, whatever the root.
void check_order(Checks& checks) {
  espalier_grid_options options = ESPALIER_GRID_OPTIONS_INIT;
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(append, 0, &op);
  int const shape[] = {world_size};
  int const length = std::min(world_size, 3);
  for (char const* const algorithm : {"binomial", "pipeline"}) {
    for (int root = 0; root < world_size && world_size <= 3; ++root) {
      options.algorithm = algorithm;
      espalier_grid* grid = nullptr;
      espalier_grid_create(MPI_COMM_WORLD, 1, shape, nullptr, &options, &grid);
      MPI_Comm cart = MPI_COMM_NULL;
      espalier_grid_comm(grid, &cart);
      int own = 0;
      MPI_Comm_rank(cart, &own);
      int const value = own + 1;
      int result = 0;
      void const* const inputs[] = {&value};
      void* const outputs[] = {&result};
      int const counts[] = {1};
      MPI_Datatype const types[] = {MPI_INT};
      MPI_Op const ops[] = {op};
      int const roots[] = {root};
      espalier_grid_reduce(grid, inputs, outputs, counts, types, ops, roots);
      int const expected = length == 1 ? 1 : length == 2 ? 12 : 123;
      checks.expect(own != root || result == expected, std::string("the order of ") + algorithm);
      espalier_grid_free(&grid);
    }
  }
  MPI_Op_free(&op);
}

/// Counts its calls and broadcasts along the grid.
int pattern(espalier_grid* grid, void* context) {
  ++*static_cast<int*>(context);
  int value = 1;
  int other = 2;
  void* const buffers[] = {&value, &other};
  int const counts[] = {1, 1};
  int const roots[] = {0, 0};
  MPI_Datatype const types[] = {MPI_INT, MPI_INT};
  return espalier_grid_bcast(grid, buffers, counts, types, roots);
}

void check_trial(Checks& checks) {
  espalier_grid_options options = ESPALIER_GRID_OPTIONS_INIT;
  int num_calls = 0;
  options.pattern = pattern;
  options.context = &num_calls;
  options.num_calls = 2;
  options.num_candidates = 3;
  Shape const shape{world_size, 1};
  espalier_grid* grid = nullptr;
  espalier_grid_create(MPI_COMM_WORLD, 2, shape.data(), nullptr, &options, &grid);
  checks.expect(num_calls % 3 == 0 && num_calls >= 3 && num_calls <= 9, "three calls a candidate");
  espalier_grid_overhead overhead{};
  char mapping[ESPALIER_NAME_LEN] = "";
  espalier_grid_report(grid, &overhead, mapping, ESPALIER_NAME_LEN);
  checks.expect(overhead.trial_us > 0 && overhead.create_us > 0, "trials take time");
  checks.expect(
      overhead.chosen_us > 0 && overhead.chosen_us <= overhead.standard_us,
      "nothing slower than the standard is taken"
  );
  bool const is_identity = std::string(mapping) == "identity";
  checks.expect(
      std::isinf(overhead.num_calls_to_pay) == is_identity, "what saves nothing never pays"
  );
  check_call(checks, grid, shape, Call::bcast, " a tried grid");
  espalier_grid_free(&grid);
}

/// Ranks of two nodes take turns, and columns of the grid are nodes: squares are better.
void check_mapping(Checks& checks) {
  fake_nodes::node_of = fake_nodes::cyclic_on_2;
  espalier_grid* grid = nullptr;
  Shape const shape{2, 4};
  espalier_grid_create(MPI_COMM_WORLD, 2, shape.data(), nullptr, nullptr, &grid);
  espalier_grid_overhead overhead{};
  char mapping[ESPALIER_NAME_LEN] = "";
  espalier_grid_report(grid, &overhead, mapping, ESPALIER_NAME_LEN);
  checks.expect(std::string(mapping) != "identity", "a mapping is found");
  checks.expect(overhead.create_us > 0 && overhead.trial_us == 0, "nothing is tried unasked");
  MPI_Comm line = MPI_COMM_NULL;
  espalier_grid_line(grid, 0, &line);
  int other = -1;
  int const mine = world_rank % 2;
  MPI_Allreduce(&mine, &other, 1, MPI_INT, MPI_SUM, line);
  checks.expect(other == 2 * mine, "a column lies in one node");
  check_call(checks, grid, shape, Call::gather, " a mapped grid");
  check_trial(checks);
  espalier_grid_free(&grid);
  fake_nodes::node_of = nullptr;
}

int create(Shape const& shape, espalier_grid_options const& options, espalier_grid** grid) {
  int const ndims = static_cast<int>(shape.size());
  return espalier_grid_create(MPI_COMM_WORLD, ndims, shape.data(), nullptr, &options, grid);
}

void check_create_errors(Checks& checks) {
  espalier_grid* grid = nullptr;
  espalier_grid_options options = ESPALIER_GRID_OPTIONS_INIT;
  checks.expect(
      class_of(create({world_size + 1, 1}, options, &grid)) == MPI_ERR_DIMS, "a grid too large"
  );
  options.algorithm = "fast";
  checks.expect(class_of(create({world_size}, options, &grid)) == MPI_ERR_ARG, "an algorithm");
  options.algorithm = nullptr;
  options.mapping = "spiral";
  checks.expect(create({world_size}, options, &grid) != MPI_SUCCESS, "an unknown mapping");
  options.pattern = pattern;
  checks.expect(class_of(create({world_size}, options, &grid)) == MPI_ERR_ARG, "map or pattern");
  checks.expect(grid == nullptr, "no grid after an error");
}

void check_call_errors(Checks& checks) {
  espalier_grid* grid = nullptr;
  espalier_grid_options options = ESPALIER_GRID_OPTIONS_INIT;
  options.algorithm = "pipeline";
  create({world_size}, options, &grid);
  MPI_Comm cart = MPI_COMM_NULL;
  espalier_grid_comm(grid, &cart);
  std::vector<Line> lines{line_of(cart, {world_size}, 0)};
  Arrays arrays = arrays_of(lines);
  checks.expect(run_ours(grid, arrays, Call::gather) != MPI_SUCCESS, "a pipeline of a gather");
  arrays.roots[0] = world_size;
  checks.expect(class_of(run_ours(grid, arrays, Call::bcast)) == MPI_ERR_ROOT, "a root");
  arrays.roots[0] = lines[0].root;
  arrays.counts[0] = -1;
  arrays.root_counts[0] = -1;
  for (Call const call : {Call::bcast, Call::scatter, Call::gather}) {
    checks.expect(class_of(run_ours(grid, arrays, call)) == MPI_ERR_COUNT, "a count");
  }
  MPI_Comm line = MPI_COMM_NULL;
  checks.expect(class_of(espalier_grid_line(grid, 1, &line)) == MPI_ERR_ARG, "a dimension");
  MPI_Comm_free(&lines[0].native);
  espalier_grid_free(&grid);
}

void check_left_out(Checks& checks) {
  espalier_grid* grid = nullptr;
  espalier_grid_options const options = ESPALIER_GRID_OPTIONS_INIT;
  checks.expect(create({world_size - 1, 1}, options, &grid) == MPI_SUCCESS, "a smaller grid");
  int const is_in = grid != nullptr ? 1 : 0;
  int num_in = 0;
  MPI_Allreduce(&is_in, &num_in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  checks.expect(num_in == world_size - 1, "one rank is left out");
  if (grid != nullptr) {
    check_call(checks, grid, {world_size - 1, 1}, Call::bcast, " a smaller grid");
    espalier_grid_free(&grid);
  }
}

int run() {
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  Checks checks;
  for (Shape const& shape : shapes()) {
    for (char const* algorithm : {"native", "pipeline", "binomial"}) {
      check_way(checks, shape, {algorithm, 0});
      check_way(checks, shape, {algorithm, 1});
    }
  }
  check_order(checks);
  check_trial(checks);
  check_create_errors(checks);
  check_call_errors(checks);
  if (world_size == 8) {
    check_mapping(checks);
  }
  if (world_size > 1) {
    check_left_out(checks);
  }
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
