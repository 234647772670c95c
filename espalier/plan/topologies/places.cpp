// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/places.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/machine/job/discovery.hpp"
#include "espalier/machine/job/mpi_observation.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/plan/topologies/described_machine.hpp"

namespace espalier::plan {
namespace {

using mpi::OwnCommunicator;

using mapping::Places;

FoundSeats without_description(machine::Discovery const& found) {
  return {.seated = {.machine = found.machine, .core_of_rank = found.core_of_rank}, .warnings = {}};
}

FoundSeats combine(machine::JobView const& job, MachineText const& described) {
  machine::Discovery const found = machine::discover(job);
  if (described.text.empty()) {
    return without_description(found);
  }
  try {
    machine::MachineFile const file = machine::read_file(described.text, described.origin);
    return {.seated = complete(found, file), .warnings = {}};
  } catch (Error const& error) {
    if (described.misfit == MachineText::Misfit::error) {
      throw Error(error.code(), described.origin + ": " + error.what());
    }
    FoundSeats result = without_description(found);
    result.warnings.push_back(
        described.origin + ": " + error.what() + "; using what the job shows of its machine"
    );
    return result;
  }
}

FoundPlaces places_of_seats(FoundSeats found) {
  return {
      .places = mapping::places_of(found.seated.machine, found.seated.core_of_rank),
      .warnings = std::move(found.warnings),
  };
}

/// What rank 0 makes of all that the ranks see; nothing on the others. Collective.
template <typename Result, typename Make>
std::optional<Result> at_root(MPI_Comm comm, Make const& make) {
  OwnCommunicator const own = OwnCommunicator::duplicate(comm);
  std::optional<machine::JobView> const job =
      machine::observe_at_root(comm, machine::Surroundings::by_kernel());
  std::optional<Result> result;
  own.run_at_root([&] { result = make(*job); });
  return result;
}

/// Levels as numbers: of each level the groups of all ranks.
std::vector<int> groups_of(Places const& places) {
  std::vector<int> groups;
  for (int level = 0; level < places.num_levels(); ++level) {
    auto const& of_rank = places.groups(level).group_of_rank;
    groups.insert(groups.end(), of_rank.begin(), of_rank.end());
  }
  return groups;
}

/// Names of levels and, bit by bit, their costs.
std::string names_of(Places const& places) {
  std::string text;
  for (int level = 0; level < places.num_levels(); ++level) {
    double const cost = places.groups(level).cost;
    text.append(reinterpret_cast<char const*>(&cost), sizeof cost);
    text += places.groups(level).name + '\n';
  }
  return text;
}

Places places_from(std::string_view names, std::vector<int> const& groups, int num_ranks) {
  std::vector<Places::LevelGroups> levels;
  for (auto begin = groups.begin(); begin != groups.end(); begin += num_ranks) {
    Places::LevelGroups& level = levels.emplace_back();
    std::size_t const end = names.find('\n', sizeof level.cost);
    names.copy(reinterpret_cast<char*>(&level.cost), sizeof level.cost);
    level.name = names.substr(sizeof level.cost, end - sizeof level.cost);
    level.group_of_rank.assign(begin, begin + num_ranks);
    names.remove_prefix(end + 1);
  }
  return Places(std::move(levels));
}

}  // namespace

std::optional<FoundSeats> find_seats_at_root(MPI_Comm comm, MachineText const& described) {
  return at_root<FoundSeats>(comm, [&](machine::JobView const& job) {
    return combine(job, described);
  });
}

std::optional<FoundPlaces> find_places_at_root(MPI_Comm comm, MachineText const& described) {
  return at_root<FoundPlaces>(comm, [&](machine::JobView const& job) {
    return places_of_seats(combine(job, described));
  });
}

FoundPlaces find_places(MPI_Comm comm, MachineText const& described) {
  std::optional<FoundPlaces> found = find_places_at_root(comm, described);
  OwnCommunicator const own = OwnCommunicator::duplicate(comm);
  std::string const names = own.from_root(found ? names_of(found->places) : std::string());
  std::vector<int> const groups =
      own.from_root(found ? groups_of(found->places) : std::vector<int>());
  return found ? std::move(*found) : FoundPlaces{.places = places_from(names, groups, own.size())};
}

}  // namespace espalier::plan
