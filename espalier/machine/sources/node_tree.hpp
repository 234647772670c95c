// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "espalier/machine/sources/cpu_set.hpp"
#include "espalier/machine/tree/machine.hpp"

namespace espalier::machine {

/// A processor as the operating system counts them (a hardware thread where cores have several),
/// and what it lies in. Numbers are those of the source, equal inside an object, different
/// between objects of a node; -1: the source does not say.
struct Processor {
  int os_number = 0;
  int package = -1;
  int numa = -1;
  int l3 = -1;
  int core = -1;

  friend bool operator==(Processor const&, Processor const&) = default;
};

/// The processors of one node that may be used, as one source describes them.
struct NodeTree {
  /// hwloc, sysfs; count or simulated where cores are made up, one for each rank.
  std::string source;
  std::vector<Processor> processors;
  int num_disallowed = 0;  ///< processors of the node that this job may not use (cgroup)
  int num_core_kinds = 1;  ///< kinds of cores that differ in speed
  double cpu_quota = 0;    ///< processors' worth of time a cgroup grants; 0: no limit known
  bool is_container = false;

  /// A node of which nothing but a number of cores is known: processors 0, 1, ...
  static NodeTree of_cores(int num_cores);

  [[nodiscard]] bool is_made_up() const { return source == "count" || source == "simulated"; }

  friend bool operator==(NodeTree const&, NodeTree const&) = default;
};

/// @throws Error argument if the tree has no processor, or one twice.
void check(NodeTree const& tree);

[[nodiscard]] nlohmann::json to_json(NodeTree const& tree);

/// The inverse of to_json().
/// @throws Error format
[[nodiscard]] NodeTree node_tree_from_json(nlohmann::json const& json);

/// One node as a machine, and which of its cores each processor is.
struct NodeMachine {
  Machine machine;
  std::vector<int> cpu_of_core;  ///< the operating system's number of each core (thread)
};

/// Levels node, package, numa, l3, core and thread, without those that add nothing: where every
/// object of the level above has exactly one of the level, or nothing is known of it. The node and
/// the last level stay: core, or thread if some core has several. Levels are ordered by how many
/// objects they have (an L3 cache may reach across NUMA nodes, or the reverse), and where one does
/// not lie inside the one above it is cut there.
/// @throws Error argument as check().
[[nodiscard]] NodeMachine machine_of(NodeTree const& tree);

}  // namespace espalier::machine
