// SPDX-License-Identifier: Apache-2.0

/// @file
/// Every algorithm of the catalog, run by threads on real memory. The whole memory is compared
/// afterwards, so that a byte written between or around the blocks shows.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/exec/thread_executor.hpp"
#include "espalier/exec/unwrap.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::exec {
namespace {

using algorithms::Choice;
using algorithms::Collective;

constexpr std::byte guard{0xA5};
constexpr std::int64_t guard_bytes = 64;
/// Some of the messages are large enough to be cut where they wrap.
constexpr std::int64_t smallest_cut_bytes = 12;

std::byte payload(int block, std::int64_t position) {
  return static_cast<std::byte>(1 + (block * 31 + position * 7) % 100);
}

/// Counts and displacements of one kind, in elements.
struct Shape {
  std::string name;
  std::vector<int> counts;
  std::vector<int> displacements;
};

Shape packed(std::string name, std::vector<int> counts, int gap) {
  Shape shape{.name = std::move(name), .counts = std::move(counts), .displacements = {}};
  int end = 0;
  for (int const count : shape.counts) {
    shape.displacements.push_back(end);
    end += count + gap;
  }
  return shape;
}

Shape reversed(Shape shape) {
  int end = 0;
  for (std::size_t i = shape.counts.size(); i-- > 0;) {
    shape.displacements[i] = end;
    end += shape.counts[i] + 1;
  }
  shape.name += "_reversed";
  return shape;
}

std::vector<Shape> shapes(int p) {
  std::vector<int> uneven;
  std::vector<int> one_only;
  for (int i = 0; i < p; ++i) {
    uneven.push_back(i * 5 % 4);
    one_only.push_back(i == p / 2 ? 9 : 0);
  }
  auto const size = static_cast<std::size_t>(p);
  return {
      packed("empty", std::vector<int>(size, 0), 0),
      packed("one", std::vector<int>(size, 1), 0),
      packed("odd_gapped", std::vector<int>(size, 7), 3),
      packed("uneven", uneven, 0),
      packed("uneven_gapped", uneven, 2),
      reversed(packed("uneven", uneven, 0)),
      reversed(packed("equal", std::vector<int>(size, 3), 0)),
      packed("one_only", one_only, 1),
  };
}

/// Memory of one rank with guard bytes on both sides.
std::vector<std::byte> guarded(std::int64_t num_bytes) {
  return std::vector<std::byte>(static_cast<std::size_t>(num_bytes + 2 * guard_bytes), guard);
}

void fill(std::vector<std::byte>& memory, Extent const& place, int block, std::int64_t extent) {
  for (std::int64_t i = 0; i < place.num_elements * extent; ++i) {
    memory[static_cast<std::size_t>(guard_bytes + place.offset_bytes + i)] = payload(block, i);
  }
}

std::int64_t end_of(Layout const& layout) {
  std::int64_t end = 0;
  for (int b = 0; b < layout.num_blocks(); ++b) {
    Extent const place = layout.block(b);
    end = std::max(end, place.offset_bytes + place.num_elements * layout.element_extent_bytes());
  }
  return end;
}

/// All ranks of one case.
struct Group {
  std::vector<std::vector<std::byte>> inputs;
  std::vector<std::vector<std::byte>> outputs;
  std::vector<std::byte> expected;
  std::vector<ThreadRank> ranks;
};

void run(Group& group, SendMode mode) {
  for (std::size_t r = 0; r < group.ranks.size(); ++r) {
    group.ranks[r].output = group.outputs[r].data() + guard_bytes;
    if (!group.inputs.empty()) {
      group.ranks[r].input = group.inputs[r].data() + guard_bytes;
    }
  }
  ASSERT_NO_THROW(run_threads(group.ranks, {.mode = mode}));
  for (std::size_t r = 0; r < group.ranks.size(); ++r) {
    EXPECT_TRUE(group.outputs[r] == group.expected) << "on rank " << r;
  }
}

void check_allgather(
    Choice const& choice, int p, Layout const& layout, bool is_in_place, SendMode mode
) {
  Group group;
  group.expected = guarded(end_of(layout));
  std::int64_t const extent = layout.element_extent_bytes();
  for (int r = 0; r < p; ++r) {
    fill(group.expected, layout.block(r), r, extent);
    schedule::RankProgram program = unwrap(choice.generate(p, 0, r), layout, 1, smallest_cut_bytes);
    auto& output = group.outputs.emplace_back(guarded(end_of(layout)));
    if (is_in_place) {
      fill(output, layout.block(r), r, extent);
    } else {
      program = schedule::from_input(std::move(program), r);
      Extent const own{.offset_bytes = 0, .num_elements = layout.block(r).num_elements};
      fill(group.inputs.emplace_back(guarded(own.num_elements * extent)), own, r, extent);
    }
    group.ranks.push_back({.program = bind(program, layout)});
  }
  run(group, mode);
}

void check_bcast(Choice const& choice, int p, int root, std::int64_t num_elements, SendMode mode) {
  Group group;
  for (int r = 0; r < p; ++r) {
    schedule::RankProgram const program = choice.generate(p, root, r);
    Layout const layout = Layout::pieces(num_elements, program.frame.num_output_blocks, 2);
    auto& output = group.outputs.emplace_back(guarded(2 * num_elements));
    if (r == root) {
      fill(output, {.offset_bytes = 0, .num_elements = num_elements}, 0, 2);
      group.expected = output;
    }
    group.ranks.push_back({.program = bind(program, layout)});
  }
  run(group, mode);
}

SendMode mode_of(std::size_t number) {
  return number % 2 == 0 ? SendMode::rendezvous : SendMode::buffered;
}

class Threads : public testing::TestWithParam<int> {};

// Shapes, places and modes take turns: each variant meets every shape and both modes, and over the
// numbers of ranks every combination.
TEST_P(Threads, AllgatherGivesEveryBlockToEveryRank) {
  int const p = GetParam();
  std::size_t turn = static_cast<std::size_t>(p);
  for (Choice const& choice : algorithms::variants(Collective::allgather, p)) {
    for (Shape const& shape : shapes(p)) {
      SCOPED_TRACE(choice.text() + " " + shape.name);
      Layout const layout = Layout::varying(shape.counts, shape.displacements, 3);
      check_allgather(choice, p, layout, turn / 2 % 2 == 0, mode_of(turn));
      ++turn;
    }
    SCOPED_TRACE(choice.text() + " equal blocks");
    check_allgather(choice, p, Layout::uniform(p, 5, 1), turn % 2 == 0, mode_of(turn / 2));
    ++turn;
  }
}

TEST_P(Threads, BcastGivesTheMessageToEveryRank) {
  int const p = GetParam();
  std::size_t turn = static_cast<std::size_t>(p);
  for (Choice const& choice : algorithms::variants(Collective::bcast, p)) {
    for (int const root : {0, p / 2, p - 1}) {
      if (!choice.refuses(p, root).empty()) {
        continue;
      }
      for (std::int64_t const num_elements : {0, 1, 13, 500}) {
        SCOPED_TRACE(
            choice.text() + " root " + std::to_string(root) + ", " + std::to_string(num_elements) +
            " elements"
        );
        check_bcast(choice, p, root, num_elements, mode_of(turn++));
      }
      ++turn;
    }
  }
}

TEST_P(Threads, SegmentedBcastGivesTheMessageToEveryRank) {
  int const p = GetParam();
  for (algorithms::Algorithm const* algorithm : algorithms::catalog()) {
    if (algorithm->segment_period == nullptr || algorithm->collective != Collective::bcast) {
      continue;
    }
    for (int const num_segments : {2, 5, 40}) {
      Choice const choice = Choice::parse(
          Collective::bcast,
          std::string(algorithm->name) + "[segments=" + std::to_string(num_segments) + "]"
      );
      if (!choice.refuses(p, p - 1).empty()) {
        continue;
      }
      SCOPED_TRACE(choice.text());
      check_bcast(choice, p, p - 1, 333, mode_of(static_cast<std::size_t>(num_segments)));
    }
  }
}

#ifdef ESPALIER_FEW_RANKS
auto const rank_counts = testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17);
#else
auto const rank_counts =
    testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 24, 31, 32);
#endif

INSTANTIATE_TEST_SUITE_P(Ranks, Threads, rank_counts, [](auto const& ranks) {
  return "p" + std::to_string(ranks.param);
});

}  // namespace
}  // namespace espalier::exec
