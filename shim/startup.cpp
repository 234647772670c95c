// SPDX-License-Identifier: Apache-2.0

#include "shim/startup.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/mpi/success.hpp"
#include "espalier/plan/devices/loaded_library.hpp"
#include "espalier/plan/progress/progress.hpp"
#include "espalier/watch/board.hpp"
#include "shim/environment.hpp"
#include "shim/forward.hpp"
#include "shim/memory.hpp"
#include "shim/site.hpp"
#include "shim/surroundings.hpp"

namespace espalier::shim {
namespace {

using mpi::require_success;

int world_rank() {
  int rank = 0;
  require_success(PMPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  return rank;
}

void native_bcast(void* buffer, int count, MPI_Datatype type, MPI_Comm comm) {
  require_success(forward.bcast(buffer, count, to_handle(type), 0, to_handle(comm)), "MPI_Bcast");
}

/// Draws the name of the memory that the ranks of a node share.
void prepare_watch(plan::SettingsText& text) {
  if (!can_watch()) {
    text.watch.clear();
  } else if (!text.watch.empty()) {
    text.watch_board = watch::Board::draw_name();
  }
}

/// By chance: at least 0, less than 1.
double draw() {
  constexpr auto range = 1'000'003;
  auto const now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::nanoseconds(now).count() % range) / range;
}

/// A number that only the ranks of this node have: the smallest rank among them.
int node_number() {
  MPI_Comm node = MPI_COMM_NULL;
  require_success(
      PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
      "MPI_Comm_split_type"
  );
  int number = world_rank();
  native_bcast(&number, 1, MPI_INT, node);
  PMPI_Comm_free(&node);
  return number;
}

/// Whether this process has Fortran functions that write into requests of neighborhood collectives.
/// MPI_INEIGHBOR_ALLTOALLV of Open MPI 5.0 calls the C function and then notes in the request which
/// arrays go when it is over. Ours is a generalized request, which has no place for that.
bool writes_into_requests(std::string_view library_version) {
  return library_version.starts_with("Open MPI v5") &&
         plan::LoadedLibrary::has_any("libmpi_mpifh.so");
}

}  // namespace

plan::SettingsText read_settings(std::string const& library_version) {
  plan::SettingsText text = read_environment();
  bool const learns = !text.learn.empty() && text.learn != "off" && text.learn != "0";
  if (learns && !text.is_off) {
    read_site(text, library_version);
    read_memory(text, library_version);
  }
  return text;
}

plan::SettingsText
share_settings(std::optional<plan::SettingsText> read, std::string const& library_version) {
  std::string bytes;
  if (world_rank() == 0) {
    plan::SettingsText text = read ? std::move(*read) : read_settings(library_version);
    separate_spawned(text);
    prepare_watch(text);
    name_program(text);
    if (may_rest()) {
      text.rest(draw());
    }
    bytes = text.to_bytes();
  }
  auto size = static_cast<std::int64_t>(bytes.size());
  native_bcast(&size, 1, MPI_INT64_T, MPI_COMM_WORLD);
  bytes.resize(static_cast<std::size_t>(size));
  native_bcast(bytes.data(), static_cast<int>(size), MPI_BYTE, MPI_COMM_WORLD);
  return plan::SettingsText::from_bytes(bytes);
}

plan::Session::World describe_world(bool needs_nodes) {
  plan::Session::World world{.rank = world_rank(), .num_processors = num_processors()};
  require_success(PMPI_Comm_size(MPI_COMM_WORLD, &world.num_ranks), "MPI_Comm_size");
  if (needs_nodes) {
    int const number = node_number();
    world.node_of_rank.resize(static_cast<std::size_t>(world.num_ranks));
    require_success(
        forward.allgather(
            &number,
            1,
            to_handle(MPI_INT),
            world.node_of_rank.data(),
            1,
            to_handle(MPI_INT),
            to_handle(MPI_COMM_WORLD)
        ),
        "MPI_Allgather"
    );
  }
  return world;
}

void agree_on_abilities(plan::Session::World& world, std::string const& library_version) {
  std::array<int, 3> can{
      plan::can_follow_progress() ? 1 : 0,
      world.devices.is_present() ? 0 : 1,
      writes_into_requests(library_version) ? 0 : 1,
  };
  require_success(
      forward.allreduce(
          MPI_IN_PLACE,
          can.data(),
          can.size(),
          to_handle(MPI_INT),
          to_handle(MPI_MIN),
          to_handle(MPI_COMM_WORLD)
      ),
      "MPI_Allreduce"
  );
  auto const [follows_progress, has_no_devices, leaves_requests] = can;
  world.writes_into_requests = leaves_requests == 0;
  world.has_devices = has_no_devices == 0;
  if (follows_progress != 0 && !world.has_devices) {
    world.follow_progress = plan::follow_progress;
  }
}

}  // namespace espalier::shim
