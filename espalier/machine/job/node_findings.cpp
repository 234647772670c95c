// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/base/counted.hpp"
#include "espalier/machine/job/findings.hpp"
#include "espalier/machine/text/phrases.hpp"
#include "espalier/machine/text/text.hpp"

namespace espalier::machine {
namespace {

using Predicate = std::function<bool(Site const&)>;

std::vector<std::string> names_of(std::vector<Site> const& sites, Predicate const& is_one) {
  std::vector<std::string> names;
  for (Site const& site : sites) {
    if (is_one(site)) {
      names.push_back(site.name);
    }
  }
  return names;
}

/// Nodes for which a text is the same, with the text.
using Groups = std::map<std::string, std::vector<std::string>>;

Groups
grouped(std::vector<Site> const& sites, std::function<std::string(Site const&)> const& text_of) {
  Groups groups;
  for (Site const& site : sites) {
    std::string text = text_of(site);
    if (!text.empty()) {
      groups[std::move(text)].push_back(site.name);
    }
  }
  return groups;
}

std::string disallowed_text(Site const& site) {
  int const num_left_out = site.tree.num_disallowed;
  if (num_left_out == 0) {
    return "";
  }
  auto const num_all = num_left_out + static_cast<long>(site.tree.processors.size());
  return std::to_string(num_left_out) + " of " + counted(num_all, "processor") +
         " may not be used (cgroup): they are left out of the machine";
}

std::string quota_text(Site const& site) {
  double const quota = site.tree.cpu_quota;
  if (quota <= 0 || quota >= static_cast<double>(site.tree.processors.size())) {
    return "";
  }
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%.3g", quota);
  bool const is_exceeded = static_cast<double>(site.ranks.size()) > quota;
  return "a cgroup grants the time of " + std::string(number.data()) + " of " +
         counted(static_cast<long>(site.tree.processors.size()), "processor") + " to " +
         counted(static_cast<long>(site.ranks.size()), "rank") +
         (is_exceeded ? ": ranks are stopped now and then, and times scatter"
                      : ": enough for the ranks, but not for threads of theirs");
}

std::string kinds_text(Site const& site) {
  return site.tree.num_core_kinds == 1
             ? ""
             : "cores are of " + std::to_string(site.tree.num_core_kinds) +
                   " kinds that differ in speed: the machine takes them as equal";
}

void add_groups(std::string const& kind, Groups const& groups, std::vector<Finding>& findings) {
  for (auto const& [text, names] : groups) {
    findings.push_back({kind, "on " + nodes_text(names) + " " + text});
  }
}

/// What nodes are like: `2s x 8c`, without the node itself; empty if that is not known.
std::string shape_of(Site const& site) {
  if (site.tree.is_made_up()) {
    return "";
  }
  std::string const text = to_text(machine_of(site.tree).machine);
  constexpr std::string_view one_node = "1n x ";
  return text.starts_with(one_node) ? text.substr(one_node.size()) : text;
}

void note_differences(std::vector<Site> const& sites, std::vector<Finding>& findings) {
  Groups const shapes = grouped(sites, shape_of);
  if (shapes.size() > 1) {
    std::vector<std::string> parts;
    for (auto const& [shape, names] : shapes) {
      parts.push_back(nodes_text(names) + " " + shape);
    }
    findings.push_back(
        {"different_nodes",
         "nodes differ (" + listed(parts) +
             "): the machine is uneven, and formulas for equal nodes do not hold"}
    );
  }
  auto const [fewest, most] =
      std::ranges::minmax(sites, {}, [](Site const& site) { return site.ranks.size(); });
  if (fewest.ranks.size() != most.ranks.size()) {
    findings.push_back(
        {"uneven_ranks",
         "nodes have between " + std::to_string(fewest.ranks.size()) + " and " +
             counted(static_cast<long>(most.ranks.size()), "rank") +
             ": formulas for equal nodes do not hold"}
    );
  }
}

}  // namespace

std::vector<Finding> findings_about_nodes(std::vector<Site> const& sites) {
  std::vector<Finding> findings;
  auto const contained = names_of(sites, [](Site const& site) { return site.tree.is_container; });
  if (!contained.empty()) {
    findings.push_back(
        {"container",
         "ranks on " + nodes_text(contained) +
             " run in a container: names, processors and levels are those that it "
             "shows, which may be fewer than there are"}
    );
  }
  add_groups("disallowed", grouped(sites, disallowed_text), findings);
  add_groups("quota", grouped(sites, quota_text), findings);
  add_groups("core_kinds", grouped(sites, kinds_text), findings);
  auto const unknown =
      names_of(sites, [](Site const& site) { return site.tree.source == "count"; });
  if (!unknown.empty()) {
    findings.push_back(
        {"unknown_cores",
         "nothing is known about the cores of " + nodes_text(unknown) +
             ": each rank counts as a core, without levels inside the node"}
    );
  }
  note_differences(sites, findings);
  return findings;
}

}  // namespace espalier::machine
