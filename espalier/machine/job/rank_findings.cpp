// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/counted.hpp"
#include "espalier/machine/job/findings.hpp"
#include "espalier/machine/text/phrases.hpp"

namespace espalier::machine {
namespace {

RankView const& view_of(JobView const& job, int rank) {
  return job.ranks[static_cast<std::size_t>(rank)];
}

void note_missing_names(JobView const& job, std::vector<Finding>& findings) {
  std::vector<int> nameless;
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    if (job.ranks[rank].processor_name.empty()) {
      nameless.push_back(static_cast<int>(rank));
    }
  }
  if (!nameless.empty()) {
    findings.push_back(
        {"no_name",
         "there is no processor name on " + ranks_text(nameless, job.ranks.size()) +
             ": nodes are told apart by shared memory alone, and cannot be found in a machine file "
             "by name"}
    );
  }
}

void note_same_names(
    JobView const& job, std::vector<Site> const& sites, std::vector<Finding>& all
) {
  std::map<std::string, std::vector<int>> first_ranks;
  for (Site const& site : sites) {
    int const first = site.ranks.front();
    first_ranks[view_of(job, first).processor_name].push_back(first);
  }
  for (auto const& [name, ranks] : first_ranks) {
    if (ranks.size() > 1 && !name.empty()) {
      all.push_back(
          {"same_name",
           ranks_text(ranks, 0) + " have the same processor name '" + name +
               "' but share no memory: they count as being on different nodes, since their "
               "messages do not go through memory"}
      );
    }
  }
}

void note_several_names(JobView const& job, Site const& site, std::vector<Finding>& findings) {
  std::set<std::string> names;
  for (int const rank : site.ranks) {
    names.insert("'" + view_of(job, rank).processor_name + "'");
  }
  if (names.size() > 1) {
    findings.push_back(
        {"several_names",
         ranks_text(site.ranks, 0) + " share memory but have the processor names " +
             listed({names.begin(), names.end()}) +
             ": they count as being on one node, since memory cannot be shared across nodes"}
    );
  }
}

/// A launcher may know more ranks than the communicator has, but not fewer.
bool is_contradicted(JobView const& job, Site const& site, RankView const& view) {
  auto const num_here = static_cast<int>(site.ranks.size());
  bool const is_whole_job = view.num_ranks == static_cast<int>(job.ranks.size());
  return view.num_local &&
         (is_whole_job ? *view.num_local != num_here : *view.num_local < num_here);
}

void note_launcher(JobView const& job, std::vector<Site> const& sites, std::vector<Finding>& all) {
  for (Site const& site : sites) {
    RankView const& view = view_of(job, site.ranks.front());
    if (is_contradicted(job, site, view)) {
      all.push_back(
          {"launcher",
           view.launcher + " says that " + counted(*view.num_local, "rank") +
               " run on the node of rank " + std::to_string(site.ranks.front()) + ", " +
               std::to_string(site.ranks.size()) +
               " share its memory: shared memory is believed, since messages go by it"}
      );
      return;
    }
  }
}

void note_warnings(JobView const& job, std::vector<Finding>& findings) {
  std::map<std::string, std::vector<int>> ranks_of;
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    if (!job.ranks[rank].warning.empty()) {
      ranks_of[job.ranks[rank].warning].push_back(static_cast<int>(rank));
    }
  }
  for (auto const& [warning, ranks] : ranks_of) {
    findings.push_back({"warning", ranks_text(ranks, job.ranks.size()) + ": " + warning});
  }
}

}  // namespace

std::vector<Finding> findings_about_ranks(JobView const& job, std::vector<Site> const& sites) {
  std::vector<Finding> findings;
  if (job.is_simulated) {
    findings.push_back(
        {"simulated",
         "ranks are simulated: nodes are what the simulated MPI calls so, each with a "
         "core for each rank, and levels inside nodes are not known"}
    );
  }
  if (job.ranks.size() == 1) {
    findings.push_back(
        {"one_rank", "there is one rank only: nothing between ranks can be measured; start more"}
    );
  }
  note_missing_names(job, findings);
  note_same_names(job, sites, findings);
  for (Site const& site : sites) {
    note_several_names(job, site, findings);
  }
  note_launcher(job, sites, findings);
  note_warnings(job, findings);
  return findings;
}

}  // namespace espalier::machine
