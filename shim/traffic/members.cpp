// SPDX-License-Identifier: Apache-2.0

#include "shim/traffic/members.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <numeric>
#include <string_view>
#include <vector>

#include "espalier/mpi/own_communicator.hpp"
#include "espalier/mpi/success.hpp"
#include "shim/traffic/quietly.hpp"

namespace espalier::shim::traffic {
namespace {

using mpi::require_success;

int comm_key = MPI_KEYVAL_INVALID;
int window_key = MPI_KEYVAL_INVALID;
std::mutex making;

// Of different types, as handles are the same integers in one MPI.
struct Communicator {
  MPI_Comm comm;
};

struct Window {
  MPI_Win window;
};

template <typename Object>
int delete_members(Object /*object*/, int /*key*/, void* members, void* /*state*/) noexcept {
  delete static_cast<Members*>(members);
  return MPI_SUCCESS;
}

/// Takes the group over.
std::vector<int> world_ranks(MPI_Group group) {
  int size = 0;
  MPI_Group world = MPI_GROUP_NULL;
  require_success(PMPI_Group_size(group, &size), "MPI_Group_size");
  require_success(PMPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  std::vector<int> own(static_cast<std::size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  std::vector<int> result(own.size());
  int const code = PMPI_Group_translate_ranks(group, size, own.data(), world, result.data());
  PMPI_Group_free(&world);
  PMPI_Group_free(&group);
  require_success(code, "MPI_Group_translate_ranks");
  for (int& rank : result) {
    rank = rank == MPI_UNDEFINED ? outside : rank;
  }
  return result;
}

std::vector<int> cartesian_destinations(MPI_Comm comm) {
  int num_dimensions = 0;
  require_success(PMPI_Cartdim_get(comm, &num_dimensions), "MPI_Cartdim_get");
  std::vector<int> found;
  for (int dimension = 0; dimension < num_dimensions; ++dimension) {
    int below = MPI_PROC_NULL;
    int above = MPI_PROC_NULL;
    require_success(PMPI_Cart_shift(comm, dimension, 1, &below, &above), "MPI_Cart_shift");
    found.insert(found.end(), {below, above});
  }
  return found;
}

std::vector<int> graph_destinations(MPI_Comm comm) {
  int rank = 0;
  int degree = 0;
  require_success(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  require_success(PMPI_Graph_neighbors_count(comm, rank, &degree), "MPI_Graph_neighbors_count");
  std::vector<int> found(static_cast<std::size_t>(degree));
  require_success(PMPI_Graph_neighbors(comm, rank, degree, found.data()), "MPI_Graph_neighbors");
  return found;
}

std::vector<int> dist_graph_destinations(MPI_Comm comm) {
  int in = 0;
  int out = 0;
  int is_weighted = 0;
  require_success(
      PMPI_Dist_graph_neighbors_count(comm, &in, &out, &is_weighted),
      "MPI_Dist_graph_neighbors_count"
  );
  // One more: an MPI library may refuse null pointers.
  std::vector<int> sources(static_cast<std::size_t>(in) + 1);
  std::vector<int> weights(static_cast<std::size_t>(in > out ? in : out) + 1);
  std::vector<int> more_weights(weights.size());
  std::vector<int> found(static_cast<std::size_t>(out) + 1);
  require_success(
      PMPI_Dist_graph_neighbors(
          comm, in, sources.data(), weights.data(), out, found.data(), more_weights.data()
      ),
      "MPI_Dist_graph_neighbors"
  );
  found.resize(static_cast<std::size_t>(out));
  return found;
}

std::vector<int> destinations_of(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  require_success(PMPI_Topo_test(comm, &topology), "MPI_Topo_test");
  switch (topology) {
  case MPI_CART:
    return cartesian_destinations(comm);
  case MPI_GRAPH:
    return graph_destinations(comm);
  case MPI_DIST_GRAPH:
    return dist_graph_destinations(comm);
  default:
    return {};
  }
}

bool is_own(MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  require_success(PMPI_Comm_get_name(comm, name.data(), &length), "MPI_Comm_get_name");
  return std::string_view(name.data()) == mpi::own_name;
}

Members find(Communicator communicator) {
  MPI_Comm const comm = communicator.comm;
  int is_inter = 0;
  require_success(PMPI_Comm_test_inter(comm, &is_inter), "MPI_Comm_test_inter");
  MPI_Group group = MPI_GROUP_NULL;
  int const code =
      is_inter != 0 ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group);
  require_success(code, "MPI_Comm_group");
  Members members{.ranks = world_ranks(group), .is_own = is_own(comm)};
  if (is_inter == 0) {
    for (int const rank : destinations_of(comm)) {
      bool const is_rank = rank >= 0;
      members.destinations.push_back(
          is_rank ? members.ranks.at(static_cast<std::size_t>(rank)) : nobody
      );
    }
  }
  return members;
}

Members find(Window window) {
  MPI_Group group = MPI_GROUP_NULL;
  require_success(PMPI_Win_get_group(window.window, &group), "MPI_Win_get_group");
  return {.ranks = world_ranks(group)};
}

Members const* kept(Communicator communicator) noexcept {
  void* members = nullptr;
  int is_there = 0;
  int const code = PMPI_Comm_get_attr(communicator.comm, comm_key, &members, &is_there);
  return code == MPI_SUCCESS && is_there != 0 ? static_cast<Members*>(members) : nullptr;
}

Members const* kept(Window window) noexcept {
  void* members = nullptr;
  int is_there = 0;
  int const code = PMPI_Win_get_attr(window.window, window_key, &members, &is_there);
  return code == MPI_SUCCESS && is_there != 0 ? static_cast<Members*>(members) : nullptr;
}

void keep(Communicator communicator, Members* members) {
  require_success(PMPI_Comm_set_attr(communicator.comm, comm_key, members), "MPI_Comm_set_attr");
}

void keep(Window window, Members* members) {
  require_success(PMPI_Win_set_attr(window.window, window_key, members), "MPI_Win_set_attr");
}

template <typename Object> Members const* make(Object object) noexcept {
  Members const* result = nullptr;
  quietly([&] {
    // Two threads may come here with one communicator; the second finds what the first made.
    std::scoped_lock const lock(making);
    result = kept(object);
    if (result == nullptr) {
      auto members = std::make_unique<Members>(find(object));
      keep(object, members.get());
      result = members.release();
    }
  });
  return result;
}

}  // namespace

void prepare_members() {
  require_success(
      PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &delete_members<MPI_Comm>, &comm_key, nullptr),
      "MPI_Comm_create_keyval"
  );
  require_success(
      PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, &delete_members<MPI_Win>, &window_key, nullptr),
      "MPI_Win_create_keyval"
  );
}

Members const* members_of(MPI_Comm comm) noexcept {
  Members const* const members = kept(Communicator{comm});
  return members != nullptr ? members : make(Communicator{comm});
}

Members const* members_of_window(MPI_Win window) noexcept {
  Members const* const members = kept(Window{window});
  return members != nullptr ? members : make(Window{window});
}

}  // namespace espalier::shim::traffic
