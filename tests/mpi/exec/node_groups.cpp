// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the ranks of a job agree on about the memory of their nodes, and who gets which group.

#include <memory>

#include <mpi.h>

#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using exec::node::Group;
using exec::node::Node;

constexpr int far_too_many = 1 << 20;

bool is_same_everywhere(bool value) {
  int least = value ? 1 : 0;
  int most = least;
  PMPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return least == most;
}

int size_of_world() {
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Nodes of different sizes have room for different numbers of communicators.
void check_what_is_served(Checks& checks, Node const& node, bool is_everybody_alone) {
  checks.expect(!node.is_missing_somewhere(), "memory on all nodes");
  checks.expect(node.serves(0), "MPI_COMM_WORLD has a part of it");
  checks.expect(
      node.serves(far_too_many) == is_everybody_alone, "not all communicators, or no need for it"
  );
  for (int context = 0; context < 64; ++context) {
    checks.expect(is_same_everywhere(node.serves(context)), "the same on all ranks");
  }
}

/// A channel has one link at a time, however many ask for it.
void check_groups(Checks& checks, Node& node) {
  int const num_ranks = size_of_world();
  std::shared_ptr<Group> const first = node.group(0, {}, num_ranks);
  checks.expect((first != nullptr) == node.is_shared(), "a group where memory is shared");
  checks.expect(node.group(0, {}, num_ranks) == first, "the same group while it is held");
  if (node.is_shared()) {
    checks.expect(node.group(1, {}, num_ranks) != first, "another communicator, another group");
  }
  checks.expect(node.group(far_too_many, {}, num_ranks) == nullptr, "no room for so many");
}

int run() {
  Checks checks;
  {
    fake_nodes::node_of = nullptr;
    Node one_node(MPI_COMM_WORLD);
    check_what_is_served(checks, one_node, size_of_world() == 1);
    check_groups(checks, one_node);
  }
  {
    fake_nodes::node_of = fake_nodes::pairs;
    Node pairs(MPI_COMM_WORLD);
    check_what_is_served(checks, pairs, size_of_world() == 1);
    check_groups(checks, pairs);
  }
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
