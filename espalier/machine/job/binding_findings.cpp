// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "espalier/base/counted.hpp"
#include "espalier/machine/job/findings.hpp"
#include "espalier/machine/text/phrases.hpp"

namespace espalier::machine {
namespace {

std::set<int> cores_of(Site const& site, Reach const& reach) {
  std::set<int> cores;
  for (int const processor : reach.processors) {
    cores.insert(site.tree.processors[static_cast<std::size_t>(processor)].core);
  }
  return cores;
}

std::size_t num_objects(NodeTree const& tree, Inner level) {
  std::set<int> objects;
  for (Processor const& processor : tree.processors) {
    objects.insert(object_of(processor, level));
  }
  return objects.size();
}

/// Ranks by how their freedom spoils what is known about them.
struct Loose {
  std::vector<int> unbound;  ///< may run everywhere on their node
  std::vector<int> mixed;    ///< may run on several cores, some of which others may use too
  std::vector<int> wide;     ///< reach across objects of a level, alone
};

void sort_out(Site const& site, Reaches const& reaches, Loose& loose) {
  std::size_t const num_cores = num_objects(site.tree, Inner::core);
  std::map<int, int> num_users;
  for (int const rank : site.ranks) {
    for (int const core : cores_of(site, reaches.of(rank))) {
      ++num_users[core];
    }
  }
  for (int const rank : site.ranks) {
    Reach const& reach = reaches.of(rank);
    std::set<int> const cores = cores_of(site, reach);
    bool const is_mixed = std::ranges::any_of(cores, [&](int core) { return num_users[core] > 1; });
    if (cores.size() == 1) {
      continue;
    }
    if (cores.size() == num_cores || !reach.is_known) {
      loose.unbound.push_back(rank);
    } else if (is_mixed) {
      loose.mixed.push_back(rank);
    } else if (!reach.stays_in(Inner::l3) || !reach.stays_in(Inner::numa)) {
      loose.wide.push_back(rank);
    }
  }
}

/// What becomes of levels that not every rank stays in.
std::string effect_on_levels(std::vector<Site> const& sites, Reaches const& reaches) {
  std::vector<std::string> unused;
  for (Inner const level : {Inner::package, Inner::numa, Inner::l3}) {
    bool const exists = std::ranges::any_of(sites, [&](Site const& site) {
      return num_objects(site.tree, level) > 1;
    });
    if (exists && !reaches.all_stay_in(level)) {
      unused.emplace_back(name_of(level));
    }
  }
  if (unused.empty()) {
    return "which core a rank has is a guess";
  }
  return (unused.size() == 1 ? "level " : "levels ") + listed(unused) +
         (unused.size() == 1 ? " is not used" : " are not used");
}

void note_loose(
    std::string const& kind,
    std::vector<int> const& ranks,
    std::string const& text,
    std::vector<Finding>& findings
) {
  if (!ranks.empty()) {
    findings.push_back({kind, text});
  }
}

/// Nodes whose ranks share cores: because there are more of them than cores, or nevertheless.
struct Crowd {
  std::vector<std::string> full;
  std::vector<std::string> careless;
};

Crowd crowd_of(std::vector<Site> const& sites, Seating const& seating) {
  std::vector<std::map<int, int>> ranks_on(sites.size());
  for (Seat const& seat : seating.seats) {
    if (seat.rank >= 0) {
      ++ranks_on[static_cast<std::size_t>(seat.site)][seat.processor];
    }
  }
  Crowd crowd;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    bool const is_shared =
        std::ranges::any_of(ranks_on[i], [](auto const& entry) { return entry.second > 1; });
    std::size_t const num_cores = num_objects(sites[i].tree, Inner::core);
    if (is_shared && sites[i].ranks.size() > num_cores) {
      crowd.full.push_back(
          sites[i].name + " (" + counted(static_cast<long>(sites[i].ranks.size()), "rank") +
          " on " + counted(static_cast<long>(num_cores), "core") + ")"
      );
    } else if (is_shared) {
      crowd.careless.push_back(sites[i].name);
    }
  }
  return crowd;
}

}  // namespace

std::vector<Finding> findings_about_binding(
    std::vector<Site> const& sites, Reaches const& reaches, Seating const& seating
) {
  Loose loose;
  std::size_t num_ranks = 0;
  for (Site const& site : sites) {
    num_ranks += site.ranks.size();
    if (!site.tree.is_made_up()) {
      sort_out(site, reaches, loose);
    }
  }
  std::string const effect = effect_on_levels(sites, reaches);
  std::vector<Finding> findings;
  note_loose(
      "unbound",
      loose.unbound,
      ranks_text(loose.unbound, num_ranks) + " may run on every core of the node: " + effect +
          "; bind ranks, as with mpirun --bind-to core",
      findings
  );
  note_loose(
      "loosely_bound",
      loose.mixed,
      ranks_text(loose.mixed, num_ranks) +
          " may run on several cores that other ranks may use too: " + effect +
          "; bind ranks to cores of their own",
      findings
  );
  note_loose(
      "wide",
      loose.wide,
      ranks_text(loose.wide, num_ranks) +
          " may run on several NUMA nodes or caches, though no other rank is there: " + effect,
      findings
  );
  Crowd const crowd = crowd_of(sites, seating);
  constexpr auto consequence =
      ": each rank has a place of its own in level thread, and times include waiting for a core";
  if (!crowd.full.empty()) {
    findings.push_back(
        {"oversubscribed",
         "there are more ranks than cores on " + nodes_text(crowd.full) + consequence}
    );
  }
  if (!crowd.careless.empty()) {
    findings.push_back(
        {"same_core",
         "ranks on " + nodes_text(crowd.careless) +
             " are bound to the same core although others are free" + consequence +
             "; look at the binding"}
    );
  }
  return findings;
}

}  // namespace espalier::machine
