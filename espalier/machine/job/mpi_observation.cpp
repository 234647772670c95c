// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/job/mpi_observation.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"
#include "espalier/base/json_text.hpp"
#include "espalier/machine/sources/launcher.hpp"
#include "espalier/machine/sources/slurm.hpp"
#include "espalier/machine/sources/sysfs.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::machine {
namespace {

using mpi::OwnCommunicator;
using nlohmann::json;

/// The simulator gets groups of duplicates wrong, and offers its correction under MPI's own name.
MPI_Comm sharing_memory(MPI_Comm comm, int rank) {
  MPI_Comm node = MPI_COMM_NULL;
#ifdef SMPI_H
  mpi::require_success(
      MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node),
      "MPI_Comm_split_type"
  );
#else
  mpi::require_success(
      PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node),
      "MPI_Comm_split_type"
  );
#endif
  return node;
}

/// The lowest rank of comm that shares memory with this one.
int shared_group(MPI_Comm comm, int rank, std::optional<int> color) {
  MPI_Comm raw = MPI_COMM_NULL;
  if (color) {
    mpi::require_success(PMPI_Comm_split(comm, *color, rank, &raw), "MPI_Comm_split");
  } else {
    raw = sharing_memory(comm, rank);
  }
  OwnCommunicator const node(raw);
  int lowest = rank;
  mpi::require_success(
      PMPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, node.get()), "MPI_Allreduce"
  );
  return lowest;
}

/// FNV-1a of 64 bits.
std::string key_of(std::string const& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char const letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return std::to_string(hash);
}

void add_warning(RankView& view, std::string const& text) {
  view.warning += (view.warning.empty() ? "" : "; ") + text;
}

void ask_launcher(Environment const& environment, RankView& view) {
  try {
    Launcher const launcher = launcher_of(environment);
    view.launcher = launcher.name;
    view.num_ranks = launcher.num_ranks;
    view.num_local = launcher.num_local;
    view.switches = switches_of_address(environment);
  } catch (Error const& error) {
    add_warning(view, std::string("the environment is not understood: ") + error.what());
  }
}

/// The tree of this node as text; empty if it cannot be read.
std::string tree_text(Surroundings const& surroundings, RankView& view) {
  if (surroundings.is_simulated || !surroundings.read_tree) {
    return "";
  }
  try {
    return json_text(to_json(surroundings.read_tree()));
  } catch (std::exception const& error) {
    add_warning(view, std::string("the processors of its node cannot be read: ") + error.what());
    return "";
  }
}

/// Which ranks have a tree that no lower rank has; on rank 0.
std::vector<int> first_owners(std::vector<RankView> const& views) {
  std::map<std::string, std::size_t> owner_of;
  std::vector<int> is_owner(views.size());
  for (std::size_t rank = 0; rank < views.size(); ++rank) {
    bool const is_first =
        !views[rank].tree.empty() && owner_of.try_emplace(views[rank].tree, rank).second;
    is_owner[rank] = is_first ? 1 : 0;
  }
  return is_owner;
}

/// Trees by key, each from the first rank that has it; on rank 0.
std::map<std::string, NodeTree> gather_trees(
    OwnCommunicator const& comm, std::vector<RankView> const& views, std::string const& own
) {
  std::vector<int> const is_owner = first_owners(views);
  int is_mine = 0;
  mpi::require_success(
      PMPI_Scatter(is_owner.data(), 1, MPI_INT, &is_mine, 1, MPI_INT, 0, comm.get()), "MPI_Scatter"
  );
  std::vector<std::string> const texts = comm.at_root(is_mine != 0 ? own : "");
  std::map<std::string, NodeTree> trees;
  for (std::size_t rank = 0; rank < views.size(); ++rank) {
    if (is_owner[rank] != 0) {
      trees.emplace(
          views[rank].tree, node_tree_from_json(parse_json(texts[rank], "the tree of a node"))
      );
    }
  }
  return trees;
}

std::string processor_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  mpi::require_success(PMPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return {name.data(), static_cast<std::size_t>(length)};
}

}  // namespace

Surroundings Surroundings::by_kernel(Environment environment) {
  Surroundings result{
      .processor_name = machine::processor_name(),
      .allowed = {},
      .environment = std::move(environment),
      .read_tree = [] { return read_sysfs(); },
  };
#ifdef SMPI_H
  result.is_simulated = true;
#else
  result.allowed = CpuSet::allowed_here();
#endif
  return result;
}

std::optional<JobView> observe_at_root(MPI_Comm original, Surroundings const& surroundings) {
  OwnCommunicator const comm = OwnCommunicator::duplicate(original);
  RankView view{
      .processor_name = surroundings.processor_name,
      .shared_group = shared_group(original, comm.rank(), surroundings.shared_color),
      .allowed = surroundings.allowed,
  };
  ask_launcher(surroundings.environment, view);
  bool const is_leader = view.shared_group == comm.rank();
  std::string const tree = is_leader ? tree_text(surroundings, view) : "";
  view.tree = tree.empty() ? "" : key_of(tree);

  JobView job{.ranks = {}, .trees = {}, .is_simulated = surroundings.is_simulated};
  for (std::string const& text : comm.at_root(json_text(to_json(view)))) {
    job.ranks.push_back(rank_view_from_json(parse_json(text, "the view of a rank")));
  }
  job.trees = gather_trees(comm, job.ranks, tree);
  return comm.rank() == 0 ? std::optional(std::move(job)) : std::nullopt;
}

JobView observe(MPI_Comm comm, Surroundings const& surroundings) {
  std::optional<JobView> const job = observe_at_root(comm, surroundings);
  OwnCommunicator const own = OwnCommunicator::duplicate(comm);
  return job_view_from_json(parse_json(
      own.from_root(job ? json_text(to_json(*job)) : std::string()), "the view of rank 0"
  ));
}

}  // namespace espalier::machine
