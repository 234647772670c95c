// SPDX-License-Identifier: Apache-2.0

/// @file
/// The functions of espalier_mpix.h and espalier_cart_create: communicators are Cartesian, whole,
/// and laid out as levels say.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "include/espalier.h"
#include "include/espalier_mpix.h"

#include <mpi.h>

#include "espalier/mapping/dims/dims.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using Dims = std::vector<int>;
using Weights = std::vector<double>;

int world_rank = 0;
int world_size = 0;

int product(Dims const& dims) {
  return std::accumulate(dims.begin(), dims.end(), 1, std::multiplies());
}

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

/// World ranks in the order of a communicator.
Dims world_ranks(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  Dims ranks(index(size));
  MPI_Allgather(&world_rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm);
  return ranks;
}

/// What every Cartesian communicator of ours promises; frees it.
/// @return world ranks in its order; empty on ranks that are not in it.
Dims check_cart(Checks& checks, MPI_Comm comm, Dims const& dims, Dims const& periods) {
  if (comm == MPI_COMM_NULL) {
    checks.expect(product(dims) < world_size, "all ranks are in a full grid");
    return {};
  }
  int topology = MPI_UNDEFINED;
  MPI_Topo_test(comm, &topology);
  checks.expect(topology == MPI_CART, "the topology is Cartesian");
  int const ndims = static_cast<int>(dims.size());
  Dims got(dims.size());
  Dims wraps(dims.size());
  Dims coordinates(dims.size());
  MPI_Cart_get(comm, ndims, got.data(), wraps.data(), coordinates.data());
  checks.expect(got == dims, "dims of the communicator are those returned");
  for (std::size_t i = 0; i < dims.size(); ++i) {
    checks.expect((wraps[i] != 0) == (periods[i] != 0), "periods are kept");
  }
  Dims const ranks = world_ranks(comm);
  checks.expect(static_cast<int>(ranks.size()) == product(dims), "the grid is full");
  Dims sorted = ranks;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    checks.expect(sorted[i] == static_cast<int>(i), "the first ranks have the positions");
  }
  MPI_Comm_free(&comm);
  return ranks;
}

void check_weighted(Checks& checks) {
  for (Weights const& weights : {Weights{1, 1}, Weights{1, 8}, Weights{1, 0, 2}, Weights{0.3}}) {
    Dims dims(weights.size(), 0);
    Dims const periods(weights.size(), 1);
    int const ndims = static_cast<int>(weights.size());
    MPI_Comm comm = MPI_COMM_NULL;
    int const code = MPIX_Cart_weighted_create(
        MPI_COMM_WORLD, ndims, weights.data(), periods.data(), MPI_INFO_NULL, dims.data(), &comm
    );
    checks.expect(code == MPI_SUCCESS, "weighted_create");
    checks.expect(product(dims) == world_size, "free dims use all ranks");
    int num_levels = 0;
    char algorithm[ESPALIER_NAME_LEN] = {};
    espalier_cart_level levels[16];
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    checks.expect(
        espalier_cart_report(comm, 16, levels, &num_levels, algorithm) == MPI_SUCCESS, "report"
    );
    checks.expect(num_levels >= 1 && levels[0].num_groups == 1, "this is one node");
    checks.expect(algorithm[0] != '\0', "the algorithm has a name");
    check_cart(checks, comm, dims, periods);
  }
}

void check_partial(Checks& checks) {
  if (world_size < 3) {
    return;
  }
  Dims dims{world_size - 1, 1};
  Dims const periods{0, 1};
  MPI_Comm comm = MPI_COMM_NULL;
  MPIX_Cart_weighted_create(
      MPI_COMM_WORLD, 2, MPIX_WEIGHTS_EQUAL, periods.data(), MPI_INFO_NULL, dims.data(), &comm
  );
  checks.expect((comm == MPI_COMM_NULL) == (world_rank == world_size - 1), "the last is left out");
  check_cart(checks, comm, dims, periods);
  comm = MPI_COMM_NULL;
  espalier_cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), nullptr, &comm);
  checks.expect((comm == MPI_COMM_NULL) == (world_rank == world_size - 1), "here too");
  check_cart(checks, comm, dims, periods);
}

/// Ranks of `size / parts` that follow each other, or every parts-th one.
MPI_Comm split(int parts, bool is_cyclic) {
  int const color = is_cyclic ? world_rank % parts : world_rank / (world_size / parts);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, color, world_rank, &comm);
  return comm;
}

/// Every part is a block of the grid that multi_level_dims() says, ranks ascending inside.
void check_parts(Checks& checks, int parts, bool is_cyclic) {
  MPI_Comm levels[] = {MPI_COMM_WORLD, split(parts, is_cyclic)};
  for (Weights const& weights : {Weights{1, 1}, Weights{1, 3}, Weights{4, 1, 2}}) {
    Dims const sizes{parts, world_size / parts};
    mapping::MultiLevelDims const dims_ml = mapping::multi_level_dims(sizes, weights);
    Dims dims(weights.size(), 0);
    Dims const periods(weights.size(), 0);
    MPI_Comm comm = MPI_COMM_NULL;
    MPIX_Cart_ml_create_from_comms(
        2,
        levels,
        static_cast<int>(weights.size()),
        weights.data(),
        periods.data(),
        MPI_INFO_NULL,
        dims.data(),
        &comm
    );
    checks.expect(dims == mapping::extents(dims_ml), "dims of level communicators");
    Dims const ranks = check_cart(checks, comm, dims, periods);
    Dims const order = mapping::multi_level_order(dims_ml);
    int const inside = world_size / parts;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      int const part = order[i] / inside;
      int const member = order[i] % inside;
      int const expected = is_cyclic ? member * parts + part : order[i];
      checks.expect(ranks[i] == expected, "each part is a block");
    }
  }
  MPI_Comm_free(&levels[1]);
}

void check_types(Checks& checks) {
  int const types[] = {MPI_COMM_TYPE_SHARED};
  Dims const periods{0, 0, 0};
  for (int num_types : {0, 1}) {
    Dims dims{0, 0, 0};
    MPI_Comm comm = MPI_COMM_NULL;
    int const code = MPIX_Cart_ml_create_from_types(
        MPI_COMM_WORLD,
        3,
        MPIX_WEIGHTS_EQUAL,
        periods.data(),
        num_types,
        types,
        MPI_INFO_NULL,
        dims.data(),
        &comm
    );
    checks.expect(code == MPI_SUCCESS, "from_types");
    // One node: the ranks are the only level that splits.
    checks.expect(dims == mapping::weighted_dims(world_size, Weights{1, 1, 1}, {0, 0, 0}), "dims");
    check_cart(checks, comm, dims, periods);
  }
}

void check_ml_create(Checks& checks) {
  for (int parts = 1; parts <= world_size; ++parts) {
    if (world_size % parts != 0) {
      continue;
    }
    int const inside = world_size / parts;
    int const dims_ml[2][2] = {{1, inside}, {parts, 1}};
    Dims dims{-7, -7};
    Dims const periods{1, 0};
    MPI_Comm comm = MPI_COMM_NULL;
    MPIX_Cart_ml_create(
        MPI_COMM_WORLD, 2, periods.data(), 2, &dims_ml[0][0], MPI_INFO_NULL, dims.data(), &comm
    );
    checks.expect(dims == Dims{inside, parts}, "dims of dims_ml");
    Dims const ranks = check_cart(checks, comm, dims, periods);
    for (int x = 0; x < inside; ++x) {
      for (int y = 0; y < parts; ++y) {
        checks.expect(ranks[index(x * parts + y)] == y * inside + x, "parts are columns");
      }
    }
  }
}

void check_options(Checks& checks) {
  int const offsets[] = {1, 0, -1, 0, 1, 1, -1, -1};
  double const weights[] = {1, 1, 2.5, 2.5};
  double const costs[] = {4, 2};
  espalier_cart_options options = ESPALIER_CART_OPTIONS_INIT;
  options.num_neighbors = 4;
  options.offsets = offsets;
  options.weights = weights;
  options.num_level_costs = 2;
  options.level_costs = costs;
  for (char const* const objective : {"balanced", "total", "worst"}) {
    Dims dims{0, 0};
    Dims const periods{1, 1};
    options.objective = objective;
    MPI_Comm comm = MPI_COMM_NULL;
    int const code =
        espalier_cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), &options, &comm);
    checks.expect(code == MPI_SUCCESS, "cart_create with options");
    espalier_cart_level levels[1] = {};
    int num_levels = 0;
    espalier_cart_report(comm, 1, levels, &num_levels, nullptr);
    checks.expect(levels[0].cost == 4, "costs are those given");
    check_cart(checks, comm, dims, periods);
  }
}

/// Errors are those of comm_old, and so is the handler of what is made.
void check_handler(Checks& checks) {
  MPI_Comm const own = private_comm();
  Dims dims{0};
  Dims const periods{0};
  MPI_Comm comm = MPI_COMM_NULL;
  MPIX_Cart_weighted_create(
      own, 1, MPIX_WEIGHTS_EQUAL, periods.data(), MPI_INFO_NULL, dims.data(), &comm
  );
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &handler);
  checks.expect(handler == MPI_ERRORS_RETURN, "the error handler is inherited");
  MPI_Comm_free(&comm);
  MPI_Comm freed = own;
  MPI_Comm_free(&freed);
}

int run() {
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  Checks checks;
  check_weighted(checks);
  check_partial(checks);
  for (int parts = 1; parts <= world_size; ++parts) {
    if (world_size % parts == 0) {
      check_parts(checks, parts, false);
      check_parts(checks, parts, true);
    }
  }
  check_types(checks);
  check_ml_create(checks);
  check_options(checks);
  check_handler(checks);
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
