// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/memory/binding.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::exec {
namespace {

using schedule::blocks;
using schedule::Buffer;
using schedule::Builder;
using schedule::Kind;
using schedule::RankProgram;

schedule::Frame frame(int num_blocks) {
  return {.num_ranks = 4, .num_output_blocks = num_blocks, .input_like = {}, .scratch_like = {}};
}

RankProgram one_send(int num_blocks, schedule::Slot slot) {
  return std::move(Builder(frame(num_blocks), 0).send(1, slot)).finish();
}

std::vector<Piece> pieces_of(RankProgram const& program, Layout const& layout) {
  BoundProgram const bound = bind(program, layout);
  auto const pieces = bound.pieces(bound.operations.front());
  return {pieces.begin(), pieces.end()};
}

TEST(Binding, AdjacentBlocksAreOnePiece) {
  auto const pieces = pieces_of(one_send(8, blocks(2, 3)), Layout::uniform(8, 5, 4));
  EXPECT_EQ(pieces, (std::vector<Piece>{{.offset_bytes = 40, .num_elements = 15}}));
}

TEST(Binding, RunThatWrapsIsTwoPieces) {
  auto const pieces = pieces_of(one_send(8, blocks(5, 5)), Layout::uniform(8, 1, 4));
  EXPECT_EQ(
      pieces,
      (std::vector<Piece>{
          {.offset_bytes = 20, .num_elements = 3}, {.offset_bytes = 0, .num_elements = 2}
      })
  );
}

TEST(Binding, CombOfEqualBlocksIsOnePieceThatRepeats) {
  int const num_blocks = 1 << 20;
  auto const pieces = pieces_of(
      one_send(num_blocks, blocks(1, num_blocks / 4, 4)), Layout::uniform(num_blocks, 2, 8)
  );
  EXPECT_EQ(
      pieces,
      (std::vector<Piece>{
          {.offset_bytes = 16, .num_elements = 2, .num_repeats = num_blocks / 4, .stride_bytes = 64}
      })
  );
}

TEST(Binding, BlocksOfDifferentSizesKeepTheirOrder) {
  std::vector<int> const counts{1, 2, 0, 2};
  std::vector<int> const displacements{9, 7, 0, 0};
  auto const pieces =
      pieces_of(one_send(4, blocks(0, 4)), Layout::varying(counts, displacements, 1));
  EXPECT_EQ(
      pieces,
      (std::vector<Piece>{
          {.offset_bytes = 9, .num_elements = 1},
          {.offset_bytes = 7, .num_elements = 2, .num_repeats = 2, .stride_bytes = -7},
      })
  );
}

TEST(Binding, MergingNeverChangesTheElementsOrTheirOrder) {
  std::vector<int> const counts{1, 1, 2, 2, 2, 1, 1, 3};
  for (std::vector<int> const& displacements : std::vector<std::vector<int>>{
           {0, 1, 2, 4, 6, 8, 9, 10},
           {20, 18, 14, 10, 12, 8, 7, 0},
           {0, 5, 10, 20, 22, 30, 31, 40},
       }) {
    for (int stride = 1; stride < 8; ++stride) {
      Layout const layout = Layout::varying(counts, displacements, 3);
      auto const pieces = pieces_of(one_send(8, blocks(3, 8, stride)), layout);
      std::vector<std::int64_t> found;
      for_each_run(pieces, [&](std::int64_t offset, std::int64_t num_elements) {
        for (std::int64_t i = 0; i < num_elements; ++i) {
          found.push_back(offset + 3 * i);
        }
      });
      std::vector<std::int64_t> expected;
      for (int i = 0; i < 8; ++i) {
        Extent const block = layout.block((3 + stride * i) % 8);
        for (std::int64_t e = 0; e < block.num_elements; ++e) {
          expected.push_back(block.offset_bytes + 3 * e);
        }
      }
      EXPECT_EQ(found, expected) << "stride " << stride;
    }
  }
}

TEST(Binding, MessageWithoutElementsIsEmptyAndKeepsItsPlace) {
  RankProgram const program =
      std::move(Builder(frame(4), 0).recv(3, blocks(3)).send(1, blocks(0)).recv(3, blocks(2)))
          .finish();
  std::vector<int> const counts{1, 1, 0, 1};
  std::vector<int> const displacements{0, 1, 2, 2};
  BoundProgram const bound = bind(program, Layout::varying(counts, displacements, 1));
  ASSERT_EQ(bound.operations.size(), 3U);
  EXPECT_EQ(bound.operations[0].num_elements, 1);
  EXPECT_EQ(bound.operations[2].num_elements, 0);
  EXPECT_TRUE(bound.pieces(bound.operations[2]).empty());
}

TEST(Binding, InputIsPackedUnlessItHasALayout) {
  RankProgram const program =
      schedule::from_input(one_send(4, blocks(0)), schedule::Collective::allgather, 0);
  Layout const layout = Layout::uniform(4, 6, 2);
  BoundProgram const packed = bind(program, layout);
  EXPECT_EQ(packed.operations[0].kind, Kind::copy);
  EXPECT_EQ(packed.operations[0].source, Buffer::input);
  EXPECT_EQ(packed.operations[0].num_elements, 6);
  std::vector<int> const count{6};
  std::vector<int> const displacement{10};
  Layout const input = Layout::varying(count, displacement, 2);
  BoundProgram const placed = bind(program, layout, {.input = &input});
  EXPECT_EQ(placed.sources(placed.operations[0])[0].offset_bytes, 20);
}

TEST(Binding, SignalHasNoElementsAndIsNotEmpty) {
  RankProgram const program =
      std::move(Builder(frame(1), 0).send_signal(1).next_round().send(2, blocks(0))).finish();
  BoundProgram const bound = bind(program, Layout::uniform(1, 0, 1));
  EXPECT_TRUE(bound.operations[0].is_signal);
  EXPECT_FALSE(bound.operations[0].is_empty());
  EXPECT_FALSE(bound.operations[1].is_signal);
  EXPECT_TRUE(bound.operations[1].is_empty());
}

TEST(Binding, WaitsForSendsAreKept) {
  RankProgram const program =
      std::move(Builder(frame(1), 0).send(1, blocks(0)).wait_for_sends().recv(1, blocks(0)))
          .finish();
  EXPECT_EQ(bind(program, Layout::uniform(1, 1, 1)).operations[1].after_sends, 1);
}

TEST(Binding, ScratchBlocksAreAsLargeAsTheBlocksTheyStandFor) {
  schedule::Frame with_scratch = frame(3);
  with_scratch.scratch_like = {2, 0, 2};
  schedule::Slot const all{.buffer = Buffer::scratch, .first = 0, .num_blocks = 3, .stride = 1};
  RankProgram const program = std::move(Builder(with_scratch, 0).recv(1, all)).finish();
  std::vector<int> const counts{10, 0, 17};
  std::vector<int> const displacements{0, 0, 10};
  BoundProgram const bound = bind(program, Layout::varying(counts, displacements, 8));
  EXPECT_EQ(bound.scratch_bytes, 384);
  EXPECT_EQ(bound.operations[0].num_elements, 44);
  EXPECT_EQ(bound.pieces(bound.operations[0]).size(), 1U);
}

TEST(Binding, ScratchHasRoomForLowerBoundsAndGaps) {
  schedule::Frame with_scratch = frame(1);
  with_scratch.scratch_like = {0};
  schedule::Slot const slot{.buffer = Buffer::scratch, .first = 0, .num_blocks = 1, .stride = 1};
  RankProgram const program = std::move(Builder(with_scratch, 0).recv(1, slot)).finish();
  BindOptions const options{.scratch = {.footprint = {.first_byte = -40, .num_bytes = 100}}};
  BoundProgram const bound = bind(program, Layout::uniform(1, 3, 4), options);
  EXPECT_EQ(bound.pieces(bound.operations[0])[0].offset_bytes, 40);
  EXPECT_GE(bound.scratch_bytes, 2 * 4 + 100);
}

TEST(Binding, ElementsThatReachOutOfTheirExtentAreKeptApart) {
  schedule::Frame with_scratch = frame(1);
  with_scratch.scratch_like = {0, 0};
  schedule::Slot const both{.buffer = Buffer::scratch, .first = 0, .num_blocks = 2, .stride = 1};
  RankProgram const program = std::move(Builder(with_scratch, 0).recv(1, both)).finish();
  BindOptions const options{.scratch = {.footprint = {.first_byte = 0, .num_bytes = 100}}};
  BoundProgram const bound = bind(program, Layout::uniform(1, 1, 4), options);
  EXPECT_EQ(bound.pieces(bound.operations[0])[0].stride_bytes, 128);
}

TEST(Binding, ScratchMayHaveOtherElements) {
  schedule::Frame with_scratch = frame(2);
  with_scratch.scratch_like = {1, 0};
  schedule::Slot const both{.buffer = Buffer::scratch, .first = 0, .num_blocks = 2, .stride = 1};
  RankProgram const program = std::move(Builder(with_scratch, 0).recv(1, both)).finish();
  std::vector<int> const counts{10, 20};
  std::vector<int> const displacements{0, 10};
  Layout const layout = Layout::varying(counts, displacements, 12);
  Layout const sizes = layout.sizes(8);
  BoundProgram const bound =
      bind(program, layout, {.output_sizes = &sizes, .scratch = {.extent_bytes = 1}});
  EXPECT_EQ(bound.operations[0].num_elements, 240);
  EXPECT_EQ(bound.pieces(bound.operations[0]).size(), 1U);
}

TEST(Binding, OnlyBlocksWithAPlaceMayBeTouched) {
  Layout const layout = Layout::uniform(1, 5, 2).within(4, 2);
  EXPECT_EQ(bind(one_send(4, blocks(2)), layout).operations[0].num_elements, 5);
  EXPECT_THROW(static_cast<void>(bind(one_send(4, blocks(1)), layout)), Error);
}

/// Rank 1 of three keeps a block with this label.
std::int64_t kept_elements(int label, bool is_uniform) {
  schedule::Frame all = schedule::alltoall_frame(3, 1);
  all.scratch_like = {label};
  schedule::Slot const kept{.buffer = Buffer::scratch};
  RankProgram const program = std::move(Builder(all, 1).recv(0, kept)).finish();
  std::vector<int> const sent{10, 11, 12};
  std::vector<int> const received{20, 11, 22};
  Layout const input = Layout::varying(sent, sent, 1);
  Layout const output = is_uniform ? Layout::uniform(3, 7, 1) : Layout::varying(received, sent, 1);
  return bind(program, output, {.input = &input}).operations[0].num_elements;
}

TEST(Binding, RankOfAnAlltoallKnowsTheSizesOfWhatItSendsAndReceives) {
  EXPECT_EQ(kept_elements(1 * 3 + 2, false), 12);
  EXPECT_EQ(kept_elements(2 * 3 + 1, false), 22);
  EXPECT_THROW(kept_elements(2 * 3 + 0, false), Error);
  EXPECT_EQ(kept_elements(2 * 3 + 0, true), 7);
}

TEST(Binding, NeedsALayoutOfTheSameNumberOfBlocks) {
  EXPECT_THROW(static_cast<void>(bind(one_send(4, blocks(0)), Layout::uniform(3, 1, 1))), Error);
}

RankProgram one_put(int rank) {
  Builder builder({.num_ranks = 2, .num_output_blocks = 3, .scratch_like = {0}}, rank);
  builder.put(1 - rank, blocks(1, 2), blocks(0, 2), 0).await(0);
  return std::move(builder).finish();
}

/// Executors of messages bind in this way, and cannot put.
TEST(Binding, RefusesAOneSidedProgram) {
  try {
    static_cast<void>(bind(one_put(0), Layout::uniform(3, 1, 1)));
    FAIL() << "expected an error";
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("got a one-sided one"), std::string::npos)
        << error.what();
  }
}

TEST(Binding, PlacesAPutInTheMemoryOfThePeer) {
  Layout const near = Layout::uniform(3, 4, 2);
  Layout const far = Layout::of({{0, 4, 0}, {100, 4, 0}, {200, 4, 0}}, 2);
  RankProgram const program = one_put(0);
  std::vector<Places> const places{{program.frame, 0, near}, {program.frame, 1, far}};
  BoundProgram const bound = bind_one_sided(program, [&](int rank) -> Places const& {
    return places[static_cast<std::size_t>(rank)];
  });
  EXPECT_EQ(bound.sources(bound.operations[0])[0], (Piece{.num_elements = 8}));
  EXPECT_EQ(
      bound.pieces(bound.operations[0])[0],
      (Piece{.offset_bytes = 100, .num_elements = 4, .num_repeats = 2, .stride_bytes = 100})
  );
  EXPECT_EQ(bound.operations[1].arrivals, 1);
  EXPECT_TRUE(bound.operations[1].is_signal);
}

TEST(Binding, RefusesPeersWithOtherElements) {
  Layout const near = Layout::uniform(3, 4, 2);
  Layout const far = Layout::uniform(3, 2, 4);
  RankProgram const program = one_put(0);
  std::vector<Places> const places{{program.frame, 0, near}, {program.frame, 1, far}};
  auto const places_of = [&](int rank) -> Places const& {
    return places[static_cast<std::size_t>(rank)];
  };
  EXPECT_THROW(static_cast<void>(bind_one_sided(program, places_of)), Error);
}

TEST(Binding, CostsWhatTheRankTouches) {
  int const num_blocks = 1 << 20;
  BoundProgram const bound =
      bind(one_send(num_blocks, blocks(5, num_blocks / 2)), Layout::uniform(num_blocks, 1, 1));
  EXPECT_LT(bound.memory_bytes(), 1000U);
}

}  // namespace
}  // namespace espalier::exec
