// SPDX-License-Identifier: Apache-2.0

/// @file
/// Discovery under MPI: what these ranks see here, and what they would see on clusters that are
/// put in their place. Every rank has to come to the same result, or the same error.

#include <algorithm>
#include <string>
#include <unistd.h>
#include <vector>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/machine/job/mpi_discovery.hpp"
#include "espalier/machine/text/text.hpp"
#include "tests/mpi/exec/support.hpp"
#include "tests/support/jobs.hpp"

namespace espalier::test {
namespace {

using machine::Discovery;
using machine::Finding;
using machine::NodeTree;
using machine::Surroundings;

int num_ranks = 0;
int rank = 0;

std::string whole_text(Discovery const& found) {
  std::string text = to_text(found.machine) + " " + found.placement;
  for (int const core : found.core_of_rank) {
    text += " " + std::to_string(core);
  }
  for (std::string const& name : found.node_names) {
    text += " " + name;
  }
  for (Finding const& finding : found.findings) {
    text += "\n" + finding.kind + ": " + finding.text;
  }
  return text;
}

/// Whether all ranks of a communicator have the text of its rank 0.
bool is_same_everywhere(MPI_Comm comm, std::string const& text) {
  std::string first = text;
  auto length = static_cast<int>(text.size());
  PMPI_Bcast(&length, 1, MPI_INT, 0, comm);
  first.resize(static_cast<std::size_t>(length));
  PMPI_Bcast(first.data(), length, MPI_CHAR, 0, comm);
  int is_same = first == text ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &is_same, 1, MPI_INT, MPI_MIN, comm);
  return is_same != 0;
}

bool has(Discovery const& found, std::string const& kind) {
  return std::ranges::count(found.findings, kind, &Finding::kind) > 0;
}

/// The discovery, or what was complained about.
std::string result_of(Surroundings const& surroundings, machine::Network const& network = {}) {
  try {
    return whole_text(machine::discover(MPI_COMM_WORLD, surroundings, network));
  } catch (Error const& error) {
    return error.what();
  }
}

/// Two nodes that ranks are dealt to, each rank bound to a core of its own.
Surroundings dealt() {
  int const core = rank / 2;
  return {
      .processor_name = "n" + std::to_string(rank % 2),
      .allowed = machine::CpuSet({core}),
      .environment = {},
      .read_tree = [] { return node_tree(2, 4); },
      .shared_color = rank % 2,
  };
}

void look_around_here(Checks& checks) {
  auto const surroundings = Surroundings::here(machine::environment_of(environ));
  Discovery const found = machine::discover(MPI_COMM_WORLD, surroundings);
  checks.expect(is_same_everywhere(MPI_COMM_WORLD, whole_text(found)), "one result here");
  checks.expect(found.node_names.size() == 1, "one node here");
  checks.expect(found.node_names[0] == surroundings.processor_name, "the name of the node");
  checks.expect(found.placement == "block", "placement here: " + found.placement);
  std::vector<int> cores = found.core_of_rank;
  std::ranges::sort(cores);
  checks.expect(static_cast<int>(cores.size()) == num_ranks, "a core for each rank");
  checks.expect(std::ranges::adjacent_find(cores) == cores.end(), "cores of their own");
  checks.expect(cores.back() < found.machine.num_cores(), "cores of the machine");
  checks.expect(has(found, "one_rank") == (num_ranks == 1), "one rank is told");
  checks.expect(!has(found, "unknown_cores"), "cores of this node are known");
  checks.expect(!has(found, "warning"), "nothing failed: " + whole_text(found));
  checks.expect(!has(found, "launcher"), "the launcher agrees: " + whole_text(found));
}

void see_the_launcher(Checks& checks) {
  auto const job =
      machine::observe(MPI_COMM_WORLD, Surroundings::here(machine::environment_of(environ)));
  std::string const expected = std::string(ESPALIER_MPI_VENDOR) == "openmpi" ? "openmpi" : "hydra";
  for (machine::RankView const& view : job.ranks) {
    checks.expect(view.launcher == expected, "launcher is " + view.launcher);
    checks.expect(view.num_ranks == num_ranks && view.num_local == num_ranks, "its ranks");
  }
}

void deal_to_two_nodes(Checks& checks) {
  auto const job = machine::observe(MPI_COMM_WORLD, dealt());
  checks.expect(job.trees.size() == 1, "equal trees travel once");
  Discovery const found = machine::discover(MPI_COMM_WORLD, dealt());
  checks.expect(is_same_everywhere(MPI_COMM_WORLD, whole_text(found)), "one result when dealt");
  std::string const text = num_ranks == 1 ? "1n x 2s x 2l x 2c" : "2n x 2s x 2l x 2c";
  checks.expect(to_text(found.machine) == text, "machine " + to_text(found.machine));
  for (int r = 0; r < num_ranks; ++r) {
    int const core = found.core_of_rank[static_cast<std::size_t>(r)];
    checks.expect(core == r % 2 * 8 + r / 2, "core of rank " + std::to_string(r));
  }
  std::string const placement = num_ranks <= 2 ? "block" : "cyclic";
  checks.expect(found.placement == placement, "placement " + found.placement);
}

void differ(Checks& checks) {
  Surroundings surroundings = dealt();
  surroundings.read_tree = [] { return rank % 2 == 0 ? node_tree(2, 4) : node_tree(1, 4); };
  Discovery const found = machine::discover(MPI_COMM_WORLD, surroundings);
  checks.expect(is_same_everywhere(MPI_COMM_WORLD, whole_text(found)), "one result on two kinds");
  checks.expect(has(found, "different_nodes") == (num_ranks > 1), "nodes differ");
  checks.expect(found.machine.num_cores() == (num_ranks > 1 ? 12 : 8), "cores of both kinds");
}

void fail_on_one_node(Checks& checks) {
  Surroundings surroundings = dealt();
  surroundings.read_tree = [] {
    if (rank == 0) {
      throw Error(ErrorCode::io, "it is dark");
    }
    return node_tree(2, 4);
  };
  Discovery const found = machine::discover(MPI_COMM_WORLD, surroundings);
  checks.expect(is_same_everywhere(MPI_COMM_WORLD, whole_text(found)), "one result in the dark");
  checks.expect(
      whole_text(found).find(
          "warning: rank 0: the processors of its node cannot be read: it is dark"
      ) != std::string::npos,
      "who failed: " + whole_text(found)
  );
}

void share_a_name(Checks& checks) {
  Surroundings surroundings = dealt();
  surroundings.processor_name = "strange \xff";
  Discovery const found = machine::discover(MPI_COMM_WORLD, surroundings);
  checks.expect(is_same_everywhere(MPI_COMM_WORLD, whole_text(found)), "one result with one name");
  checks.expect(has(found, "same_name") == (num_ranks > 1), "names are the same");
}

void hang_on_switches(Checks& checks) {
  Surroundings surroundings = dealt();
  surroundings.shared_color = rank;
  surroundings.processor_name = "n" + std::to_string(rank);
  surroundings.environment = {
      {"SLURM_TOPOLOGY_ADDR", "top.s" + std::to_string(rank % 2) + ".n"},
      {"SLURM_TOPOLOGY_ADDR_PATTERN", "switch.switch.node"},
  };
  Discovery const found = machine::discover(MPI_COMM_WORLD, surroundings);
  checks.expect(is_same_everywhere(MPI_COMM_WORLD, whole_text(found)), "one result on switches");
  checks.expect((found.machine.name(0) == "switch") == (num_ranks > 2), "switches above nodes");
  int const half = (num_ranks + 1) / 2;
  bool const is_grouped = num_ranks < 3 || found.node_names[static_cast<std::size_t>(half)] == "n1";
  checks.expect(is_grouped, "nodes of a switch together");
}

void complain_together(Checks& checks) {
  Surroundings surroundings = dealt();
  surroundings.read_tree = [] { return NodeTree{.source = "hwloc", .processors = {}}; };
  std::string const text = result_of(surroundings);
  checks.expect(
      text == "expected a node with at least one processor, got none", "complaint: " + text
  );
}

/// The ranks with odd numbers, backwards.
void serve_a_part(Checks& checks) {
  MPI_Comm part = MPI_COMM_NULL;
  PMPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
  auto const surroundings = Surroundings::here(machine::environment_of(environ));
  Discovery const found = machine::discover(part, surroundings);
  int size = 0;
  PMPI_Comm_size(part, &size);
  checks.expect(is_same_everywhere(part, whole_text(found)), "one result of a part");
  checks.expect(static_cast<int>(found.core_of_rank.size()) == size, "ranks of a part");
  checks.expect(!has(found, "launcher"), "a part of what the launcher knows");
  PMPI_Comm_free(&part);
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_size(MPI_COMM_WORLD, &espalier::test::num_ranks);
  PMPI_Comm_rank(MPI_COMM_WORLD, &espalier::test::rank);
  espalier::test::Checks checks;
  espalier::test::look_around_here(checks);
  espalier::test::see_the_launcher(checks);
  espalier::test::deal_to_two_nodes(checks);
  espalier::test::differ(checks);
  espalier::test::fail_on_one_node(checks);
  espalier::test::share_a_name(checks);
  espalier::test::hang_on_switches(checks);
  espalier::test::complain_together(checks);
  espalier::test::serve_a_part(checks);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
