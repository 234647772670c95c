// SPDX-License-Identifier: Apache-2.0

/// @file
/// Every algorithm for neighborhood collectives, run by threads on real memory, with gaps between
/// blocks. The whole memory is compared afterwards: blocks of absent ends and what lies between
/// blocks stay as they were.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/exec/threads/thread_executor.hpp"
#include "espalier/neighborhood/catalog.hpp"
#include "tests/support/neighborhoods.hpp"

namespace espalier::neighborhood {
namespace {

using exec::Layout;

constexpr std::byte guard{0xA5};
constexpr std::int64_t extent_bytes = 3;

using Memory = std::vector<std::byte>;

/// Elements of what a rank puts on an edge.
std::int64_t num_elements(Request const& request, int sender, int k) {
  switch (request.sizes) {
  case BlockSizes::equal:
    return 2;
  case BlockSizes::by_offset:
    return request.collective == Collective::neighbor_alltoall ? k % 3 : 2;
  case BlockSizes::by_edge:
    return request.collective == Collective::neighbor_alltoall ? (sender + k) % 4 : sender % 3;
  }
  return 0;
}

std::byte payload(int sender, int k, std::int64_t byte) {
  return static_cast<std::byte>(1 + (sender * 31 + k * 17 + byte * 7) % 100);
}

/// Blocks one after another with a gap of one element.
Layout layout_of(std::vector<std::int64_t> const& counts) {
  std::vector<std::int64_t> displacements;
  std::int64_t end = 1;
  for (std::int64_t const count : counts) {
    displacements.push_back(end);
    end += count + 1;
  }
  return Layout::varying(counts, displacements, extent_bytes);
}

Memory guarded(Layout const& layout) {
  std::int64_t const num = layout.num_elements() + layout.num_blocks() + 1;
  return Memory(static_cast<std::size_t>(num * extent_bytes), guard);
}

void fill(Memory& memory, Layout const& layout, int block, int sender, int k) {
  exec::Extent const place = layout.block(block);
  for (std::int64_t i = 0; i < place.num_elements * extent_bytes; ++i) {
    memory[static_cast<std::size_t>(place.offset_bytes + i)] = payload(sender, k, i);
  }
}

/// What one rank has.
struct RankMemory {
  Layout input_layout = layout_of({});
  Layout output_layout = layout_of({});
  Memory input;
  Memory output;
  Memory expected;
};

RankMemory memory_of(Request const& request, int rank) {
  bool const is_alltoall = request.collective == Collective::neighbor_alltoall;
  std::size_t const num_inputs =
      is_alltoall ? request.neighborhood.out_edges(rank).size() : std::size_t{1};
  std::vector<std::int64_t> sent;
  for (std::size_t k = 0; k < num_inputs; ++k) {
    sent.push_back(num_elements(request, rank, static_cast<int>(k)));
  }
  std::vector<End> const in = request.neighborhood.in_edges(rank);
  std::vector<std::int64_t> received;
  for (End const& from : in) {
    received.push_back(from.is_absent() ? 2 : num_elements(request, from.peer, from.index));
  }
  RankMemory memory{.input_layout = layout_of(sent), .output_layout = layout_of(received)};
  memory.input = guarded(memory.input_layout);
  memory.output = guarded(memory.output_layout);
  memory.expected = memory.output;
  for (std::size_t k = 0; k < num_inputs; ++k) {
    int const block = static_cast<int>(k);
    fill(memory.input, memory.input_layout, block, rank, block);
  }
  int j = 0;
  for (End const& from : in) {
    if (!from.is_absent()) {
      fill(memory.expected, memory.output_layout, j, from.peer, is_alltoall ? from.index : 0);
    }
    ++j;
  }
  return memory;
}

/// Elements of scratch blocks: what their labels say, see BlockSizes.
std::vector<std::int64_t> scratch_sizes(Request const& request, schedule::Frame const& frame) {
  std::vector<std::int64_t> sizes;
  for (int const label : frame.scratch_like) {
    bool const is_by_edge = request.sizes == BlockSizes::by_edge;
    int const sender = is_by_edge ? label % frame.num_ranks : 0;
    int const k = is_by_edge ? label / frame.num_ranks : label;
    sizes.push_back(num_elements(request, sender, k));
  }
  return sizes;
}

void run(Algorithm const& algorithm, Request const& request, exec::SendMode mode) {
  std::vector<RankMemory> memories;
  std::vector<exec::ThreadRank> ranks;
  for (int rank = 0; rank < request.neighborhood.num_ranks(); ++rank) {
    memories.push_back(memory_of(request, rank));
    schedule::RankProgram const program = generate(algorithm, request, rank);
    std::vector<std::int64_t> const sizes = scratch_sizes(request, program.frame);
    ranks.push_back(
        {.program = bind(
             program,
             memories.back().output_layout,
             {.input = &memories.back().input_layout, .scratch_sizes = sizes}
         )}
    );
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[rank].input = memories[rank].input.data();
    ranks[rank].output = memories[rank].output.data();
  }
  EXPECT_NO_THROW(run_threads(ranks, {.mode = mode, .combine = {}}));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    EXPECT_TRUE(memories[rank].output == memories[rank].expected) << "on rank " << rank;
  }
}

void run_all(Neighborhood const& all, std::string const& name, std::vector<int> const& nodes) {
  for (Algorithm const* algorithm : catalog()) {
    for (BlockSizes const sizes : {BlockSizes::equal, BlockSizes::by_offset, BlockSizes::by_edge}) {
      Request const request{
          .collective = algorithm->collective,
          .neighborhood = all,
          .node_of_rank = nodes,
          .sizes = sizes,
      };
      if (refuses(*algorithm, request).empty()) {
        SCOPED_TRACE(full_name(*algorithm) + " on " + name);
        run(*algorithm,
            request,
            sizes == BlockSizes::equal ? exec::SendMode::buffered : exec::SendMode::rendezvous);
      }
    }
  }
}

void run_grid(std::vector<int> const& extents, unsigned periods) {
  for (test::NamedNeighborhood const& the : test::on_grid(extents, periods)) {
    run_all(the.neighborhood, the.name, test::placements(the.neighborhood.num_ranks())[1]);
  }
}

TEST(ThreadsNeighborhood, MoveDataOnGrids) {
  run_grid({1}, 1);
  run_grid({2}, 1);
  run_grid({5}, 0);
  run_grid({3, 2}, 1);
  run_grid({2, 2, 2}, 5);
#ifndef ESPALIER_FEW_RANKS
  run_grid({3, 3}, 3);
  run_grid({4, 3}, 2);
  run_grid({1, 2, 2, 3}, 9);
#endif
}

TEST(ThreadsNeighborhood, MoveDataOnGraphsInWhichAStencilIsRecognised) {
  std::vector<std::vector<int>> grids{{2}, {5}, {3, 2}, {2, 2, 2}};
#ifndef ESPALIER_FEW_RANKS
  grids.insert(grids.end(), {{3, 3}, {4, 3}, {2, 2, 2, 2}});
#endif
  int num_graphs = 0;
  for (std::vector<int> const& extents : grids) {
    for (unsigned const periods : {0U, 1U, 15U}) {
      for (test::NamedNeighborhood const& the : test::recognised_on_grid(extents, periods)) {
        run_all(the.neighborhood, the.name, test::placements(the.neighborhood.num_ranks())[1]);
        ++num_graphs;
      }
    }
  }
  EXPECT_GT(num_graphs, 20);
}

TEST(ThreadsNeighborhood, MoveDataOnGraphs) {
  for (int const p : {1, 2, 5, 8}) {
    run_all(test::random_graph(p, 3 * p, 11), "graph", test::placements(p)[2]);
  }
}

}  // namespace
}  // namespace espalier::neighborhood
