// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "tests/mpi/fake_nodes.hpp"
#include "tests/shim/topology.hpp"

namespace shim_test {
namespace {

struct Grid {
  std::vector<int> extents;
  std::vector<int> periods;

  [[nodiscard]] int num_dimensions() const { return static_cast<int>(extents.size()); }

  [[nodiscard]] int num_positions() const {
    return std::accumulate(extents.begin(), extents.end(), 1, std::multiplies<>());
  }
};

MPI_Comm create(MPI_Comm comm, Grid const& grid, int reorder) {
  MPI_Comm made = MPI_COMM_NULL;
  int const code = MPI_Cart_create(
      comm, grid.num_dimensions(), grid.extents.data(), grid.periods.data(), reorder, &made
  );
  require(code == MPI_SUCCESS, "MPI_Cart_create succeeds");
  return made;
}

/// Messages to nearest neighbours that leave their node, of the whole grid.
int cut_of(MPI_Comm cart, Grid const& grid) {
  std::vector<int> const old_ranks = all_of(cart, rank_of(MPI_COMM_WORLD));
  int cut = 0;
  for (int dimension = 0; dimension < grid.num_dimensions(); ++dimension) {
    std::array<int, 2> neighbors{};
    MPI_Cart_shift(cart, dimension, 1, &neighbors[0], &neighbors[1]);
    for (int const neighbor : neighbors) {
      if (neighbor != MPI_PROC_NULL) {
        int const other = old_ranks[static_cast<std::size_t>(neighbor)];
        cut += fake_nodes::node_of(other) != fake_nodes::node_of(rank_of(MPI_COMM_WORLD)) ? 1 : 0;
      }
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &cut, 1, MPI_INT, MPI_SUM, cart);
  return cut;
}

void check_topology(MPI_Comm cart, Grid const& grid) {
  int status = MPI_UNDEFINED;
  MPI_Topo_test(cart, &status);
  require(status == MPI_CART, "a Cartesian communicator");
  int const ndims = grid.num_dimensions();
  std::vector<int> extents(grid.extents.size());
  std::vector<int> periods(extents.size());
  std::vector<int> coordinates(extents.size());
  MPI_Cart_get(cart, ndims, extents.data(), periods.data(), coordinates.data());
  require(extents == grid.extents, "the extents asked for");
  require(periods == grid.periods, "the periods asked for");
  int rank = 0;
  for (int dimension = 0; dimension < ndims; ++dimension) {
    auto const place = static_cast<std::size_t>(dimension);
    rank = rank * extents[place] + coordinates[place];
  }
  require(rank == rank_of(cart), "ranks run fastest along the last dimension");
}

/// A message to the next one along each dimension comes from the previous one.
void check_messages(MPI_Comm cart, Grid const& grid) {
  for (int dimension = 0; dimension < grid.num_dimensions(); ++dimension) {
    int before = MPI_PROC_NULL;
    int after = MPI_PROC_NULL;
    MPI_Cart_shift(cart, dimension, 1, &before, &after);
    int const sent = rank_of(cart);
    int received = MPI_PROC_NULL;
    MPI_Sendrecv(
        &sent, 1, MPI_INT, after, 0, &received, 1, MPI_INT, before, 0, cart, MPI_STATUS_IGNORE
    );
    require(received == before, "a message from the neighbour");
  }
}

/// Every rank below the number of positions is there once, all others are not.
void check_members(MPI_Comm cart, Grid const& grid) {
  bool const is_in = rank_of(MPI_COMM_WORLD) < grid.num_positions();
  require((cart != MPI_COMM_NULL) == is_in, "MPI_COMM_NULL on the ranks that are too many");
  if (is_in) {
    require(size_of(cart) == grid.num_positions(), "as many ranks as positions");
    std::vector<int> old_ranks = all_of(cart, rank_of(MPI_COMM_WORLD));
    bool const is_same_order = std::ranges::is_sorted(old_ranks);
    require(is_mapped || is_same_order, "ranks as they were");
    std::ranges::sort(old_ranks);
    require(std::ranges::adjacent_find(old_ranks) == old_ranks.end(), "every rank once");
  }
}

void check_grid(Grid const& grid) {
  if (grid.num_positions() > size_of(MPI_COMM_WORLD)) {
    return;
  }
  MPI_Comm plain = create(MPI_COMM_WORLD, grid, 0);
  MPI_Comm mapped = create(MPI_COMM_WORLD, grid, 1);
  check_members(mapped, grid);
  if (mapped != MPI_COMM_NULL) {
    check_topology(mapped, grid);
    check_messages(mapped, grid);
    require(cut_of(mapped, grid) <= cut_of(plain, grid), "never more messages between nodes");
    MPI_Comm_free(&mapped);
    MPI_Comm_free(&plain);
  }
}

/// 2 x 4 on two nodes that ranks were dealt to in turn: each row of four is split 1 0 1 0.
void check_known_gain() {
  Grid const grid{{2, 4}, {0, 0}};
  if (size_of(MPI_COMM_WORLD) != 8 || fake_nodes::node_of != fake_nodes::cyclic_on_2) {
    return;
  }
  MPI_Comm plain = create(MPI_COMM_WORLD, grid, 0);
  MPI_Comm mapped = create(MPI_COMM_WORLD, grid, 1);
  require(cut_of(plain, grid) == 12, "12 messages between nodes without reordering");
  require(cut_of(mapped, grid) == (is_mapped ? 4 : 12), "4 messages between nodes when mapped");
  MPI_Comm_free(&plain);
  MPI_Comm_free(&mapped);
}

int copies = 0;

int count_copy(MPI_Comm, int, void*, void*, void* out, int* flag) {
  ++copies;
  *static_cast<void**>(out) = nullptr;
  *flag = 1;
  return MPI_SUCCESS;
}

/// Error handlers, attributes and names come as they do without reordering.
void check_inheritance() {
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(count_copy, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm comm = forgiving();
  MPI_Comm_set_attr(comm, keyval, &copies);
  Grid const grid{{size_of(comm)}, {1}};
  std::array<MPI_Errhandler, 2> handlers{};
  std::array<int, 2> has_attribute{};
  for (int reorder = 0; reorder < 2; ++reorder) {
    auto const place = static_cast<std::size_t>(reorder);
    MPI_Comm made = create(comm, grid, reorder);
    void* value = nullptr;
    MPI_Comm_get_attr(made, keyval, static_cast<void*>(&value), &has_attribute[place]);
    MPI_Comm_get_errhandler(made, &handlers[place]);
    MPI_Comm_free(&made);
  }
  require(handlers[0] == handlers[1], "the error handler of the old communicator");
  require(handlers[1] == MPI_ERRORS_RETURN, "errors are returned");
  require(has_attribute[0] == has_attribute[1], "attributes as without reordering");
  require(copies == 0, "no copies of attributes, which MPI_Cart_create does not make");
  MPI_Comm_delete_attr(comm, keyval);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&keyval);
}

/// It does not survive a grid whose number of positions is too large for an int.
bool is_open_mpi_5() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int size = 0;
  MPI_Get_library_version(text.data(), &size);
  return std::string_view(text.data()).starts_with("Open MPI v5");
}

void check_wrong_grids() {
  MPI_Comm comm = forgiving();
  int const size = size_of(comm);
  std::vector<Grid> wrong{{{size + 1}, {0}}, {{-1, 1}, {0, 0}}, {{size, 0}, {0, 0}}};
  if (!is_open_mpi_5()) {
    wrong.push_back({{1 << 16, 1 << 16}, {0, 0}});
  }
  for (Grid const& grid : wrong) {
    std::array<int, 2> codes{};
    for (int reorder = 0; reorder < 2; ++reorder) {
      MPI_Comm made = MPI_COMM_NULL;
      codes[static_cast<std::size_t>(reorder)] = error_class(MPI_Cart_create(
          comm, grid.num_dimensions(), grid.extents.data(), grid.periods.data(), reorder, &made
      ));
    }
    require(codes[0] == codes[1], "the same error with and without reordering");
  }
  MPI_Comm_free(&comm);
}

/// Grids without a dimension have one position.
void check_zero_dimensions() {
  std::array<MPI_Comm, 2> made{MPI_COMM_NULL, MPI_COMM_NULL};
  for (int reorder = 0; reorder < 2; ++reorder) {
    int const nothing = 0;
    MPI_Cart_create(
        MPI_COMM_WORLD, 0, &nothing, &nothing, reorder, &made[static_cast<std::size_t>(reorder)]
    );
  }
  require((made[0] == MPI_COMM_NULL) == (made[1] == MPI_COMM_NULL), "a grid of one position");
  for (MPI_Comm& comm : made) {
    if (comm != MPI_COMM_NULL) {
      MPI_Comm_free(&comm);
    }
  }
}

void check_intercommunicator() {
  int const rank = rank_of(MPI_COMM_WORLD);
  if (size_of(MPI_COMM_WORLD) < 2) {
    return;
  }
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, rank, &half);
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 7, &inter);
  // Open MPI complains to MPI_COMM_WORLD.
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int const one = 1;
  MPI_Comm made = MPI_COMM_NULL;
  require(
      MPI_Cart_create(inter, 1, &one, &one, 1, &made) != MPI_SUCCESS,
      "no grid on an intercommunicator"
  );
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

}  // namespace

void check_grids() {
  int const size = size_of(MPI_COMM_WORLD);
  check_grid({{size}, {0}});
  check_grid({{size}, {1}});
  check_grid({{1, size}, {1, 0}});
  check_grid({{2, (size + 1) / 2}, {1, 1}});
  check_grid({{2, 2, 2}, {0, 1, 0}});
  check_grid({{2, 3}, {0, 1}});
  check_known_gain();
}

void check_odd_grids() {
  check_inheritance();
  check_wrong_grids();
  check_zero_dimensions();
  check_intercommunicator();
}

}  // namespace shim_test
