// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/job/discovery.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

#include "espalier/machine/job/reach.hpp"
#include "espalier/machine/job/seating.hpp"
#include "espalier/machine/job/site.hpp"
#include "espalier/machine/text/phrases.hpp"
#include "espalier/machine/tree/nesting.hpp"
#include "espalier/machine/tree/placement.hpp"

namespace espalier::machine {
namespace {

void append(std::vector<Finding>& all, std::vector<Finding> const& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// What the ranks themselves know about switches.
Network network_of_ranks(JobView const& job, std::vector<Site> const& sites) {
  std::vector<NodePath> paths;
  for (Site const& site : sites) {
    paths.emplace_back(site.name, job.ranks[static_cast<std::size_t>(site.ranks.front())].switches);
  }
  return network_of(paths);
}

/// The levels above nodes; none, and a finding, where the network does not know the nodes or they
/// cannot be told apart.
std::vector<Division> network_divisions(
    Network const& network, std::vector<std::string> const& names, std::vector<Finding>& findings
) {
  if (network.levels.empty()) {
    return {};
  }
  std::vector<std::string> unknown;
  for (std::string const& name : std::set(names.begin(), names.end())) {
    if (!network.levels.front().object_of_node.contains(name)) {
      unknown.push_back(name);
    }
  }
  if (unknown.empty()) {
    return divisions_of(network, names);
  }
  findings.push_back(
      {"unknown_nodes",
       "the description of the network has no " + nodes_text(unknown) +
           ": switch levels are not used"}
  );
  return {};
}

std::vector<std::string> node_of_seats(Seating const& seating, std::vector<Site> const& sites) {
  std::vector<std::string> names;
  for (Seat const& seat : seating.seats) {
    names.push_back(sites[static_cast<std::size_t>(seat.site)].name);
  }
  return names;
}

void place_ranks(
    Seating const& seating,
    std::vector<int> const& seat_of_core,
    std::vector<Site> const& sites,
    Discovery& discovery
) {
  int last = -1;
  for (std::size_t core = 0; core < seat_of_core.size(); ++core) {
    Seat const& seat = seating.seats[static_cast<std::size_t>(seat_of_core[core])];
    if (seat.rank >= 0) {
      discovery.core_of_rank[static_cast<std::size_t>(seat.rank)] = static_cast<int>(core);
    }
    if (seat.site != last) {
      discovery.node_names.push_back(sites[static_cast<std::size_t>(seat.site)].name);
    }
    last = seat.site;
  }
}

std::string recognised(Machine const& machine, std::vector<int> const& core_of_rank) {
  int const level = machine.node_level();
  std::vector<int> node_of_rank;
  for (int const core : core_of_rank) {
    node_of_rank.push_back(machine.object_of(level, core));
  }
  return recognise(node_of_rank).placement;
}

}  // namespace

Discovery discover(JobView const& job, Network const& network) {
  std::vector<Site> const sites = sites_of(job);
  Reaches const reaches(job, sites);
  Seating const seating = seat(sites, reaches);
  std::vector<Finding> findings = findings_about_ranks(job, sites);
  append(findings, findings_about_nodes(sites));
  append(findings, findings_about_binding(sites, reaches, seating));

  Network const known = network.levels.empty() ? network_of_ranks(job, sites) : network;
  std::vector<Division> divisions =
      network_divisions(known, node_of_seats(seating, sites), findings);
  std::ranges::move(divisions_of(seating, sites, reaches), std::back_inserter(divisions));
  Nesting nesting = nest(std::move(divisions));
  Discovery discovery{
      .machine = Machine(std::move(nesting.levels)),
      .core_of_rank = std::vector<int>(job.ranks.size()),
      .node_names = {},
      .placement = {},
      .findings = std::move(findings),
  };
  place_ranks(seating, nesting.unit_of_core, sites, discovery);
  discovery.placement = recognised(discovery.machine, discovery.core_of_rank);
  return discovery;
}

}  // namespace espalier::machine
