// SPDX-License-Identifier: Apache-2.0

#include "shim/startup.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/base/drawn_name.hpp"
#include "espalier/mpi/broadcast.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/devices/loaded_library.hpp"
#include "espalier/plan/progress/progress.hpp"
#include "espalier/watch/board.hpp"
#include "shim/environment.hpp"
#include "shim/forward.hpp"
#include "shim/memory.hpp"
#include "shim/progress.hpp"
#include "shim/report.hpp"
#include "shim/second_library.hpp"
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

/// The same for the ranks of a node. Containers of one machine have names of their own, and
/// machines of one name have kernels of their own. MPI_Comm_split_type would say it, too, but by a
/// communicator, which takes several reductions over all ranks.
std::uint64_t key_of_node(machine::ProcessorsOfRank const& processors) {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  require_success(PMPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  std::string const text(name.data(), static_cast<std::size_t>(length));
  return std::hash<std::string>{}(std::to_string(processors.kernel) + ' ' + text);
}

/// Whether this process has Fortran functions that write into requests of neighborhood collectives.
/// MPI_INEIGHBOR_ALLTOALLV of Open MPI 5.0 calls the C function and then notes in the request which
/// arrays go when it is over. Ours is a generalized request, which has no place for that.
bool writes_into_requests(std::string_view library_version) {
  return library_version.starts_with("Open MPI v5") &&
         plan::LoadedLibrary::has_any("libmpi_mpifh.so");
}

/// Of one rank. What any rank has concerns all of them.
enum Trait : unsigned {
  no_progress = 1U << 0U,          ///< nonblocking calls cannot be ours
  some_devices = 1U << 1U,         ///< buffers may be in memory of devices
  writing_of_requests = 1U << 2U,  ///< as World::writes_into_requests
  no_thread = 1U << 3U,            ///< there can be no progress thread
  concurrent_calls = 1U << 4U,     ///< as World::has_concurrent_calls
};

unsigned own_traits(plan::Session::World const& world, std::string_view library_version) {
  return (plan::can_follow_progress() ? 0U : no_progress) |
         (world.devices.is_present() ? some_devices : 0U) |
         (writes_into_requests(library_version) ? writing_of_requests : 0U) |
         (may_have_thread() ? 0U : no_thread);
}

/// Takes over where all ranks are, and who shares processors with them. Collective.
/// @return what any rank has
unsigned share_nodes(plan::Session::World& world, unsigned own) {
  struct Word {
    std::uint64_t node;
    machine::ProcessorsOfRank processors;
    unsigned traits;
  };

  machine::ProcessorsOfRank const own_processors = processors();
  Word const mine{
      .node = key_of_node(own_processors),
      .processors = own_processors,
      .traits = own,
  };
  std::vector<Word> words(static_cast<std::size_t>(world.num_ranks));
  Handle const type = to_handle(MPI_BYTE);
  require_success(
      forward.allgather(
          &mine, sizeof mine, type, words.data(), sizeof mine, type, to_handle(MPI_COMM_WORLD)
      ),
      "MPI_Allgather"
  );
  unsigned traits = 0;
  std::map<std::uint64_t, int> first_ranks;
  std::vector<machine::ProcessorsOfRank> processors_of_ranks;
  for (Word const& word : words) {
    auto const rank = static_cast<int>(world.node_of_rank.size());
    world.node_of_rank.push_back(first_ranks.emplace(word.node, rank).first->second);
    traits |= word.traits;
    processors_of_ranks.push_back(word.processors);
  }
  world.occupancy = machine::fullest(processors_of_ranks);
  return traits;
}

/// @return what any rank has. Collective.
unsigned share_traits(unsigned own) {
  require_success(
      forward.allreduce(
          MPI_IN_PLACE,
          &own,
          1,
          to_handle(MPI_UNSIGNED),
          to_handle(MPI_BOR),
          to_handle(MPI_COMM_WORLD)
      ),
      "MPI_Allreduce"
  );
  return own;
}

/// Whoever calls with handles of the second library is handed over to the first, as without us.
void require_one_library(plan::SettingsText& text, std::string const& library) {
  if (text.is_off) {
    return;
  }
  if (std::string const second = second_library(library); !second.empty()) {
    print_line(
        "expected one MPI library in this process, found " + second +
        " beside the one of the calls, " + library +
        " (all calls are handed over to it); LD_DEBUG=files says who loads the other"
    );
    text.is_off = true;
  }
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
share_settings(std::optional<plan::SettingsText> read, MpiLibrary const& library) {
  std::string bytes;
  if (world_rank() == 0) {
    plan::SettingsText text = read ? std::move(*read) : read_settings(library.version);
    require_one_library(text, library.file);
    separate_spawned(text);
    prepare_watch(text);
    text.run = text.statistics.empty() ? "" : drawn_name();
    name_program(text);
    if (may_rest()) {
      text.rest(draw());
    }
    bytes = text.to_bytes();
  }
  return plan::SettingsText::from_bytes(mpi::broadcast(MPI_COMM_WORLD, std::move(bytes), 0));
}

plan::Session::World describe_world(Questions const& asked, std::string const& library_version) {
  plan::Session::World world{.rank = world_rank()};
  require_success(PMPI_Comm_size(MPI_COMM_WORLD, &world.num_ranks), "MPI_Comm_size");
  if (asked.devices) {
    world.devices = plan::DeviceMemory::of_process();
  }
  unsigned traits = may_call_concurrently() ? concurrent_calls : 0U;
  traits |= asked.traits ? own_traits(world, library_version) : 0U;
  if (asked.nodes) {
    traits = share_nodes(world, traits);
  } else if (asked.traits) {
    traits = share_traits(traits);
  }
  bool const is_shared = asked.nodes || asked.traits;
  world.can_follow_progress = plan::can_follow_progress();
  world.has_concurrent_calls = !is_shared || (traits & concurrent_calls) != 0;
  world.writes_into_requests = (traits & writing_of_requests) != 0;
  world.may_have_progress_thread = asked.traits && (traits & no_thread) == 0;
  world.has_devices = (traits & some_devices) != 0;
  if (asked.traits && (traits & (no_progress | some_devices)) == 0) {
    world.follow_progress = plan::follow_progress;
  }
  return world;
}

}  // namespace espalier::shim
