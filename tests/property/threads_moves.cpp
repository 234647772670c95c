// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/property/threads_checks.hpp"

namespace espalier::exec {
namespace {

using schedule::Collective;

constexpr std::int64_t moved_extent = 3;

std::byte payload(int block, std::int64_t position) {
  return static_cast<std::byte>(1 + (block * 31 + position * 7) % 100);
}

RankMemory scatter_memory(Case const& the, Parts const& of, int rank, int num_blocks) {
  RankMemory result{.output = guarded(of.own), .expected = {}, .sizes = of.all};
  if (rank == the.root) {
    result.input = filled(of.all, payload);
  }
  if (the.is_in_place_on(rank)) {
    result.output = nothing(num_blocks, moved_extent);
    result.expected = result.output.memory;
  } else {
    result.expected = filled(of.own, payload).memory;
  }
  return result;
}

RankMemory gather_memory(Case const& the, Parts const& of, int rank, int num_blocks) {
  bool const gets_all = the.collective == Collective::allgather || rank == the.root;
  RankMemory result{
      .output = gets_all ? guarded(of.all) : nothing(num_blocks, moved_extent),
      .expected = {},
      .sizes = of.all,
  };
  result.expected = gets_all ? filled(of.all, payload).memory : result.output.memory;
  if (!the.is_in_place_on(rank)) {
    Layout const own =
        Layout::uniform(1, of.own.num_elements(), moved_extent).divided(of.own_run.size);
    result.input = filled(own, [&](int block, std::int64_t byte) {
      return payload(of.own_run.begin + block, byte);
    });
  } else {
    for (int block = of.own_run.begin; block < of.own_run.begin + of.own_run.size; ++block) {
      fill(result.output, block, payload);
    }
  }
  return result;
}

/// Elements from one rank to another; the same in both directions, so that it works in place.
int exchanged(Shape const& shape, int from, int to) {
  return shape.is_equal() ? shape.counts.front()
                          : shape.counts[static_cast<std::size_t>(
                                (from + to) % static_cast<int>(shape.counts.size())
                            )];
}

}  // namespace

void check_parts(Case const& the, Shape const& shape) {
  run(the, [&](int rank, int num_blocks) {
    Parts const of = parts(shape.counts, shape.displacements, rank, num_blocks, moved_extent);
    return the.collective == Collective::scatter ? scatter_memory(the, of, rank, num_blocks)
                                                 : gather_memory(the, of, rank, num_blocks);
  });
}

void check_bcast(Case const& the, std::int64_t num_elements) {
  run(the, [&](int rank, int num_blocks) {
    Layout const layout = Layout::pieces(num_elements, num_blocks, 2);
    Place const full = filled(layout, payload);
    return RankMemory{
        .output = rank == the.root ? full : guarded(layout),
        .expected = full.memory,
        .sizes = layout,
    };
  });
}

void check_barrier(Case const& the) {
  run(the, [](int, int) {
    Layout const layout = Layout::uniform(0, 0, 1);
    return RankMemory{
        .output = guarded(layout), .expected = guarded(layout).memory, .sizes = layout
    };
  });
}

void check_alltoall(Case const& the, Shape const& shape) {
  run(the, [&](int rank, int) {
    std::vector<int> counts;
    for (int i = 0; i < the.num_ranks; ++i) {
      counts.push_back(exchanged(shape, i, rank));
    }
    Shape const received = reversed(packed("", counts, 1));
    Shape const sent = packed("", counts, 2);
    bool const is_equal = shape.is_equal();
    Layout const output =
        is_equal ? Layout::uniform(the.num_ranks, counts.front(), moved_extent)
                 : Layout::varying(received.counts, received.displacements, moved_extent);
    auto const to = [&](int block, std::int64_t byte) {
      return payload(rank * the.num_ranks + block, byte);
    };
    auto const from = [&](int block, std::int64_t byte) {
      return payload(block * the.num_ranks + rank, byte);
    };
    RankMemory result{
        .output = the.is_in_place ? filled(output, to) : guarded(output),
        .expected = filled(output, from).memory,
        .sizes = output,
    };
    if (!the.is_in_place) {
      result.input = filled(Layout::varying(sent.counts, sent.displacements, moved_extent), to);
    }
    return result;
  });
}

}  // namespace espalier::exec
