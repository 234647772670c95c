// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/job/mpi_discovery.hpp"

#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/machine/sources/cgroup.hpp"
#include "espalier/machine/sources/hwloc.hpp"
#include "espalier/machine/sources/sysfs.hpp"

namespace espalier::machine {
namespace {

NodeTree read_tree_here() {
  NodeTree tree;
  try {
    tree = read_hwloc_here();
  } catch (Error const&) {
    return read_sysfs();
  }
  Confinement const confinement = read_confinement();
  tree.cpu_quota = confinement.cpu_quota;
  tree.is_container = confinement.is_container;
  return tree;
}

}  // namespace

Surroundings Surroundings::here(Environment environment) {
  Surroundings result = by_kernel(std::move(environment));
  result.read_tree = read_tree_here;
  return result;
}

Discovery discover(MPI_Comm comm, Surroundings const& surroundings, Network const& network) {
  return discover(observe(comm, surroundings), network);
}

}  // namespace espalier::machine
