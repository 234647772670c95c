// SPDX-License-Identifier: Apache-2.0

/// @file
/// When node-aware exchange pays: all algorithms on 16 nodes of 2 to 16 ranks, replayed on machines
/// whose messages inside nodes are cheaper than those between them, or not. Needs no MPI.
///
/// Usage: node_sweep
///
/// Prints a line for each machine, neighborhood, number of ranks of a node and block size: what one
/// exchange sends between nodes directly and by nodes (messages and blocks), how many messages the
/// busiest rank sends and receives of both, and microseconds until the last rank has finished. A
/// dash stands for an algorithm that does not serve the neighborhood.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/cost/replay/replay.hpp"
#include "espalier/neighborhood/catalog.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier {
namespace {

using neighborhood::Algorithm;
using neighborhood::Collective;
using neighborhood::Neighborhood;
using neighborhood::Request;
using Programs = std::vector<schedule::RankProgram>;

constexpr int num_nodes = 16;

struct Fabric {
  char const* name;
  machine::Link between;
  machine::Link within;
};

/// Bandwidths are the same, so that only what a message costs differs.
constexpr double per_byte = 1e-10;

std::vector<Fabric> const fabrics{
    {.name = "equal",
     .between =
         {.latency = 1e-6, .overhead_send = 4e-7, .overhead_receive = 4e-7, .per_byte = per_byte},
     .within =
         {.latency = 3e-7, .overhead_send = 4e-7, .overhead_receive = 4e-7, .per_byte = per_byte}},
    {.name = "cheap_inside",
     .between =
         {.latency = 1e-6, .overhead_send = 4e-7, .overhead_receive = 4e-7, .per_byte = per_byte},
     .within =
         {.latency = 3e-7, .overhead_send = 1e-7, .overhead_receive = 1e-7, .per_byte = per_byte}},
    {.name = "sockets",
     .between =
         {.latency = 2e-5, .overhead_send = 5e-6, .overhead_receive = 5e-6, .per_byte = 8e-10},
     .within =
         {.latency = 3e-7, .overhead_send = 2e-7, .overhead_receive = 2e-7, .per_byte = per_byte}},
};

/// All neighbours on a whole grid.
Neighborhood stencil(std::vector<int> const& extents) {
  std::vector<std::vector<int>> offsets{{}};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    std::vector<std::vector<int>> longer;
    for (std::vector<int> const& offset : offsets) {
      for (int const way : {-1, 0, 1}) {
        longer.push_back(offset);
        longer.back().push_back(way);
      }
    }
    offsets = std::move(longer);
  }
  std::erase(offsets, std::vector<int>(extents.size(), 0));
  return Neighborhood::of_stencil(
      mapping::CartesianGrid(extents, std::vector<bool>(extents.size(), true)), std::move(offsets)
  );
}

/// Each rank sends to as many others, whichever.
Neighborhood random_graph(int num_ranks, int degree) {
  std::mt19937 random(1);
  std::vector<std::vector<int>> sources(static_cast<std::size_t>(num_ranks));
  std::vector<std::vector<int>> destinations(sources.size());
  for (int rank = 0; rank < num_ranks; ++rank) {
    std::vector<int>& peers = destinations[static_cast<std::size_t>(rank)];
    while (std::ssize(peers) < degree) {
      int const peer = static_cast<int>(random() % static_cast<unsigned>(num_ranks));
      if (peer != rank && std::ranges::find(peers, peer) == peers.end()) {
        peers.push_back(peer);
        sources[static_cast<std::size_t>(peer)].push_back(rank);
      }
    }
  }
  return Neighborhood::of_lists(sources, destinations);
}

struct Case {
  char const* name;
  Neighborhood neighborhood;
};

/// Of num_nodes nodes; ranks are numbered row by row, node by node.
std::vector<Case> cases(int ranks_per_node) {
  struct Grids {
    int ranks_per_node;
    std::vector<int> plane;
    std::vector<int> space;
  };

  std::vector<Grids> const all{
      {2, {4, 8}, {4, 4, 2}},
      {4, {8, 8}, {4, 4, 4}},
      {8, {8, 16}, {8, 4, 4}},
      {16, {16, 16}, {8, 8, 4}},
  };
  Grids const& grids = *std::ranges::find(all, ranks_per_node, &Grids::ranks_per_node);
  return {
      {"9-point", stencil(grids.plane)},
      {"27-point", stencil(grids.space)},
      {"random", random_graph(num_nodes * ranks_per_node, std::min(24, 8 * ranks_per_node))},
  };
}

struct Counts {
  std::int64_t messages = 0;  ///< between nodes
  std::int64_t blocks = 0;
  std::int64_t busiest = 0;  ///< messages of a rank, sent and received
};

Counts count(Programs const& programs, std::vector<int> const& nodes) {
  Counts counts;
  for (schedule::RankProgram const& program : programs) {
    std::int64_t of_rank = 0;
    for (schedule::Operation const& operation : program.operations) {
      if (operation.peer < 0) {
        continue;
      }
      ++of_rank;
      bool const is_across = nodes[static_cast<std::size_t>(operation.peer)] !=
                             nodes[static_cast<std::size_t>(program.rank)];
      if (is_across && operation.kind == schedule::Kind::send) {
        ++counts.messages;
        counts.blocks += schedule::num_blocks(program.slots(operation));
      }
    }
    counts.busiest = std::max(counts.busiest, of_rank);
  }
  return counts;
}

/// Of all ranks; none if the algorithm does not serve the request.
Programs programs_of(std::string_view name, Request const& request) {
  Algorithm const& algorithm = neighborhood::find(request.collective, name);
  Programs programs;
  if (!refuses(algorithm, request).empty()) {
    return programs;
  }
  for (int rank = 0; rank < request.neighborhood.num_ranks(); ++rank) {
    programs.push_back(generate(algorithm, request, rank));
  }
  return programs;
}

std::string microseconds(Programs const& programs, cost::Setting const& setting, double bytes) {
  if (programs.empty()) {
    return "-";
  }
  // A block is one of as many pieces of one size as a frame with labels has room for.
  auto const num_ranks = static_cast<double>(programs.size());
  cost::Sizes const sizes(std::vector<double>{bytes * num_ranks * num_ranks});
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f", 1e6 * cost::replay(programs, setting, sizes).seconds());
  return text;
}

void sweep(Fabric const& fabric, Collective collective, int ranks_per_node) {
  for (Case const& the : cases(ranks_per_node)) {
    std::vector<int> nodes;
    for (int rank = 0; rank < the.neighborhood.num_ranks(); ++rank) {
      nodes.push_back(rank / ranks_per_node);
    }
    Request const request{
        .collective = collective, .neighborhood = the.neighborhood, .node_of_rank = nodes
    };
    Programs const direct = programs_of("direct", request);
    Programs const combining = programs_of("combining", request);
    Programs const node_aware = programs_of("node_aware", request);
    Counts const before = count(direct, nodes);
    Counts const after = count(node_aware, nodes);
    cost::Setting const setting = cost::on_nodes(fabric.between, fabric.within, nodes);
    for (double const bytes : {8.0, 128.0, 1024.0, 4096.0, 16384.0}) {
      std::printf(
          "%s %s %s ranks=%d bytes=%.0f between=%lld/%lld blocks=%lld/%lld busiest=%lld/%lld "
          "direct=%s combining=%s node_aware=%s\n",
          fabric.name,
          std::string(to_string(collective)).c_str(),
          the.name,
          ranks_per_node,
          bytes,
          static_cast<long long>(before.messages),
          static_cast<long long>(after.messages),
          static_cast<long long>(before.blocks),
          static_cast<long long>(after.blocks),
          static_cast<long long>(before.busiest),
          static_cast<long long>(after.busiest),
          microseconds(direct, setting, bytes).c_str(),
          microseconds(combining, setting, bytes).c_str(),
          microseconds(node_aware, setting, bytes).c_str()
      );
    }
  }
}

}  // namespace
}  // namespace espalier

int main() {
  using espalier::neighborhood::Collective;
  for (espalier::Fabric const& fabric : espalier::fabrics) {
    for (Collective const collective :
         {Collective::neighbor_alltoall, Collective::neighbor_allgather}) {
      for (int const ranks_per_node : {2, 4, 8, 16}) {
        espalier::sweep(fabric, collective, ranks_per_node);
      }
    }
  }
  return 0;
}
