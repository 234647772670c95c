// SPDX-License-Identifier: Apache-2.0

/// @file
/// Communicators in a mapped order, with made-up places, given orders and wrong requests; and what
/// is left behind when the MPI library fails: the program counts communicators, and makes calls
/// fail, by functions in place of the library's.

#include "espalier/plan/topologies/cartesian.hpp"

#include <algorithm>
#include <cstddef>
#include <dlfcn.h>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/plan/topologies/dist_graph.hpp"
#include "espalier/plan/topologies/places.hpp"
#include "tests/mpi/exec/support.hpp"
#include "tests/mpi/fake_nodes.hpp"

namespace {

int num_alive = 0;
std::string failing;

/// The function of the library behind this program, and how many communicators there are then.
template <typename Function, typename... Arguments>
int create(char const* name, MPI_Comm* made, Function* /*type*/, Arguments... arguments) {
  if (failing == name) {
    return MPI_ERR_NO_MEM;
  }
  auto* const real = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  int const code = real(arguments...);
  num_alive += code == MPI_SUCCESS && *made != MPI_COMM_NULL ? 1 : 0;
  return code;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  return create("PMPI_Comm_create", made, PMPI_Comm_create, comm, group, made);
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return create("PMPI_Comm_split", made, PMPI_Comm_split, comm, color, key, made);
}

int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  if (fake_nodes::node_of != nullptr) {
    return fake_nodes::split_type(comm, type, key, info, made);
  }
  return create("PMPI_Comm_split_type", made, PMPI_Comm_split_type, comm, type, key, info, made);
}

int PMPI_Cart_create(
    MPI_Comm comm, int ndims, int const* dims, int const* periods, int reorder, MPI_Comm* made
) {
  return create(
      "PMPI_Cart_create", made, PMPI_Cart_create, comm, ndims, dims, periods, reorder, made
  );
}

int PMPI_Comm_free(MPI_Comm* comm) {
  using Function = int (*)(MPI_Comm*);
  --num_alive;
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, "PMPI_Comm_free"))(comm);
}
}

// NOLINTEND(readability-identifier-naming)

namespace espalier::test {
namespace {

using mapping::CartesianGrid;
using mapping::Places;
using plan::CartesianRequest;
using plan::MappedCommunicator;

int rank = 0;
int num_ranks = 0;

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

/// Ranks dealt to three nodes in turn, each with two halves.
Places cyclic_places(int size) {
  std::vector<int> nodes(index(size));
  std::vector<int> halves(index(size));
  for (int i = 0; i < size; ++i) {
    nodes[index(i)] = i % 3;
    halves[index(i)] = 2 * (i % 3) + i / 3 % 2;
  }
  return Places(
      {{.name = "node", .group_of_rank = nodes},
       {.name = "package", .group_of_rank = halves, .cost = Places::inner_cost}}
  );
}

std::vector<int> all_of(MPI_Comm comm, int value) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  std::vector<int> values(index(size));
  PMPI_Allgather(&value, 1, MPI_INT, values.data(), 1, MPI_INT, comm);
  return values;
}

/// What is thrown on every rank; empty if nothing is, `different` if not the same.
std::string thrown(std::function<void()> const& action) {
  std::string text;
  try {
    action();
  } catch (Error const& error) {
    text = error.what();
  }
  auto const hash = static_cast<int>(std::hash<std::string>()(text) & 0x7fffffffU);
  std::vector<int> const all = all_of(MPI_COMM_WORLD, hash);
  return std::ranges::count(all, hash) == num_ranks ? text : "different";
}

void check_order(Checks& checks, MappedCommunicator const& made, CartesianGrid const& grid) {
  bool const is_in = rank < grid.num_positions();
  checks.expect((made.comm != MPI_COMM_NULL) == is_in, "who is in the grid");
  if (!is_in) {
    return;
  }
  checks.expect(all_of(made.comm, rank) == made.mapping.rank_at, "rank_at tells the old ranks");
  int status = 0;
  PMPI_Topo_test(made.comm, &status);
  checks.expect(status == MPI_CART, "a Cartesian communicator");
  std::vector<int> dims(index(grid.num_dimensions()));
  std::vector<int> periods(dims.size());
  std::vector<int> coordinates(dims.size());
  PMPI_Cart_get(made.comm, grid.num_dimensions(), dims.data(), periods.data(), coordinates.data());
  checks.expect(dims == grid.extents(), "extents of the grid");
  int new_rank = 0;
  PMPI_Comm_rank(made.comm, &new_rank);
  for (int dimension = 0; dimension < grid.num_dimensions(); ++dimension) {
    checks.expect(
        coordinates[index(dimension)] == grid.coordinate(new_rank, dimension), "coordinates"
    );
    checks.expect((periods[index(dimension)] != 0) == grid.is_periodic(dimension), "periods");
  }
}

void check_root(Checks& checks, MappedCommunicator const& made, CartesianGrid const& grid) {
  if (rank != 0) {
    checks.expect(made.report.empty() && !made.places, "reports are on rank 0 only");
    return;
  }
  checks.expect(made.places->num_ranks() == grid.num_positions(), "places of the ranks in it");
  auto const graph = mapping::make_graph(grid, mapping::Stencil::nearest(grid.num_dimensions()));
  auto const score = mapping::score(graph, *made.places, made.mapping.rank_at);
  checks.expect(score == made.mapping.after, "the score reported is that of the order");
  checks.expect(score.objective <= made.mapping.before.objective, "never worse");
  checks.expect(!made.report.empty(), "a report");
}

void check_grids(Checks& checks, MPI_Comm comm) {
  std::vector<CartesianGrid> const grids{
      CartesianGrid({num_ranks}, {true}),
      CartesianGrid({1, num_ranks}),
      CartesianGrid({(num_ranks + 1) / 2, 1}),
      CartesianGrid({std::max(1, num_ranks / 2), num_ranks < 2 ? 1 : 2}, {false, true}),
  };
  for (CartesianGrid const& grid : grids) {
    int const before = num_alive;
    MappedCommunicator made =
        plan::create_cartesian(comm, {.grid = grid, .places = cyclic_places(num_ranks)});
    check_order(checks, made, grid);
    check_root(checks, made, grid);
    checks.expect(
        num_alive == before + (made.comm != MPI_COMM_NULL ? 1 : 0), "nothing else is left"
    );
    if (made.comm != MPI_COMM_NULL) {
      PMPI_Comm_free(&made.comm);
    }
  }
}

/// Places are found where none are given: here there is one node, of all that share memory.
void check_found_places(Checks& checks, MPI_Comm comm) {
  plan::FoundPlaces const found = plan::find_places(comm);
  checks.expect(found.places.num_ranks() == num_ranks, "a place for each rank");
  checks.expect(found.places.groups(0).name == "node", "nodes come first");
  checks.expect(found.places.sizes(0).size() == 1, "one node");
  checks.expect(found.warnings.empty(), "no warnings");
  fake_nodes::node_of = fake_nodes::cyclic_on_3;
  plan::FoundPlaces const faked = plan::find_places(comm);
  fake_nodes::node_of = nullptr;
  for (int i = 0; i < num_ranks; ++i) {
    checks.expect(faked.places.group_of(0, i) == i % 3, "nodes of all ranks on every rank");
  }
}

void check_descriptions(Checks& checks, MPI_Comm comm) {
  plan::FoundPlaces const wrong = plan::find_places(comm, {.text = "1n", .origin = "somebody"});
  bool const warns = rank == 0 && num_ranks > 1;
  checks.expect(!warns || wrong.warnings.size() == 1, "a warning if there are more ranks");
  checks.expect(!warns || wrong.warnings[0].starts_with("somebody: "), "it says who is wrong");
  checks.expect(rank == 0 || wrong.warnings.empty(), "warnings are on rank 0 only");
  // With more ranks than processors it is not known which of them are where.
  if (num_ranks <= static_cast<int>(std::thread::hardware_concurrency())) {
    return;
  }
  std::string const text = "1n x 2s x " + std::to_string((num_ranks + 1) / 2) + "c";
  plan::FoundPlaces const halves = plan::find_places(comm, {.text = text});
  checks.expect(halves.warnings.empty(), "a description that fits");
  checks.expect(halves.places.num_levels() == 2, "a level that cannot be seen");
  int const half = rank < (num_ranks + 1) / 2 ? 0 : 1;
  checks.expect(halves.places.group_of(1, rank) == half, "ranks in their order");
}

void check_given(Checks& checks, MPI_Comm comm) {
  CartesianGrid const grid({num_ranks});
  auto const order = mapping::random_order(num_ranks, num_ranks - 1, 3);
  MPI_Comm made = plan::create_cartesian(comm, grid, order);
  checks.expect(all_of(made, rank) == order, "the order given");
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(made, &handler);
  checks.expect(handler == MPI_ERRORS_RETURN, "the error handler of the old communicator");
  PMPI_Comm_free(&made);
  auto twice = order;
  twice.back() = twice.front();
  if (num_ranks > 1) {
    checks.expect(
        thrown([&] { static_cast<void>(plan::create_cartesian(comm, grid, twice)); }
        ).starts_with("expected " + std::to_string(num_ranks) + " different ranks"),
        "no rank twice"
    );
  }
}

void check_wrong(Checks& checks, MPI_Comm comm) {
  CartesianGrid const large({num_ranks + 1});
  CartesianGrid const line({num_ranks});
  auto const places = cyclic_places(num_ranks);
  auto const failure = [&](CartesianRequest const& request) {
    return thrown([&] { static_cast<void>(plan::create_cartesian(comm, request)); });
  };
  int const before = num_alive;
  checks.expect(failure({.grid = large}).starts_with("expected a grid of at most"), "too large");
  checks.expect(
      failure({.grid = line, .stencil = mapping::Stencil::nearest(2), .places = places})
              .find("dimension") != std::string::npos,
      "a stencil of other dimensions"
  );
  checks.expect(
      failure({.grid = line, .places = places, .options = {.algorithms = {"magic"}}}
      ).find("magic") != std::string::npos,
      "an unknown algorithm"
  );
  for (char const* name :
       {"PMPI_Comm_create", "PMPI_Comm_split", "PMPI_Cart_create", "PMPI_Comm_split_type"}) {
    failing = name;
    checks.expect(
        failure({.grid = line}).starts_with(std::string(name).substr(1) + " "),
        "a failure of " + failing
    );
  }
  failing.clear();
  checks.expect(num_alive == before, "nothing is left behind");
}

/// A ring against the order of ranks: every other one is a neighbour.
void check_graph(Checks& checks, MPI_Comm comm) {
  fake_nodes::node_of = fake_nodes::pairs;
  int const to = (rank + num_ranks / 2) % num_ranks;
  int const from = (rank + num_ranks - num_ranks / 2) % num_ranks;
  auto const made = plan::create_dist_graph(
      comm,
      plan::AdjacentGraph{
          .indegree = 1,
          .sources = &from,
          .source_weights = MPI_UNWEIGHTED,
          .outdegree = 1,
          .destinations = &to,
          .destination_weights = MPI_UNWEIGHTED,
      }
  );
  auto const wrong = plan::create_dist_graph(
      comm, plan::AdjacentGraph{.indegree = rank == num_ranks - 1 ? -1 : 0}
  );
  fake_nodes::node_of = nullptr;
  checks.expect(made.has_value(), "a graph");
  checks.expect(!wrong.has_value(), "one rank with wrong arguments is told to all");
  checks.expect(all_of(made->comm, rank) == made->mapping.rank_at, "rank_at tells the old ranks");
  MPI_Comm own = made->comm;
  PMPI_Comm_free(&own);
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  using namespace espalier::test;
  MPI_Init(&argc, &argv);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  MPI_Comm comm = private_comm();
  Checks checks;
  check_grids(checks, comm);
  check_found_places(checks, comm);
  check_descriptions(checks, comm);
  check_given(checks, comm);
  check_wrong(checks, comm);
  check_graph(checks, comm);
  PMPI_Comm_free(&comm);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
