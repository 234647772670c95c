// SPDX-License-Identifier: Apache-2.0

/// What collectives of blocks are as collectives of a team: run here on plain memory, against what
/// should arrive.

#include "espalier/onesided/array/movement.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::onesided {
namespace {

using schedule::Collective;

/// The words of a segment.
using Memory = std::vector<std::uint32_t>;
constexpr std::uint64_t word = sizeof(std::uint32_t);
/// Of all ranks.
using Segments = std::vector<Memory>;

Segments numbered(int num_ranks, std::size_t num_words) {
  Segments result;
  for (int rank = 0; rank < num_ranks; ++rank) {
    Memory& words = result.emplace_back(num_words);
    for (std::size_t i = 0; i < num_words; ++i) {
      words[i] = static_cast<std::uint32_t>(rank) * 100003U + static_cast<std::uint32_t>(i) * 7U;
    }
  }
  return result;
}

/// Maps x -> a x + b of numbers of 16 bits, applied one after another: associative, in this order.
std::uint32_t in_order(std::uint32_t left, std::uint32_t right) {
  std::uint32_t const a = (left >> 16U) * (right >> 16U);
  std::uint32_t const b = (left & 0xffffU) * (right >> 16U) + (right & 0xffffU);
  return a << 16U | (b & 0xffffU);
}

std::uint32_t apply(std::uint32_t left, std::uint32_t right, bool is_ordered) {
  return is_ordered ? in_order(left, right) : left + right;
}

/// The same pieces moved block by block.
Segments moved_plainly(Segments segments, ArrayCall const& call) {
  Segments const before = segments;
  std::size_t const n = call.piece_bytes / word;
  auto const read = [&](OwnedBlock const& block, std::size_t piece, std::size_t i) {
    return before[static_cast<std::size_t>(block.rank)][block.offset / word + piece * n + i];
  };
  auto const write = [&](OwnedBlock const& block, std::size_t piece, std::size_t i, auto value) {
    segments[static_cast<std::size_t>(block.rank)][block.offset / word + piece * n + i] = value;
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (call.collective == ArrayCollective::reduce) {
      std::uint32_t value = read(call.from.back(), 0, i);
      for (std::size_t k = call.from.size() - 1; k-- > 0;) {
        value = apply(read(call.from[k], 0, i), value, call.needs_rank_order);
      }
      write(call.to[0], 0, i, value);
      continue;
    }
    for (std::size_t from = 0; from < call.from.size(); ++from) {
      for (std::size_t to = 0; to < call.to.size(); ++to) {
        bool const is_cut_from = call.collective == ArrayCollective::scatter ||
                                 call.collective == ArrayCollective::exchange;
        bool const is_cut_to = call.collective == ArrayCollective::gather ||
                               call.collective == ArrayCollective::exchange;
        write(call.to[to], is_cut_to ? from : 0, i, read(call.from[from], is_cut_from ? to : 0, i));
      }
    }
  }
  return segments;
}

/// A team that runs the work of its members on plain memory.
class PlainTeam {
public:
  PlainTeam(Movement const& movement, ArrayCall const& call, Segments& segments)
      : movement_(&movement), call_(&call), segments_(&segments),
        part_(static_cast<std::size_t>(movement.num_pieces()) * call.piece_bytes / word) {
    for (std::size_t member = 0; member < movement.members().size(); ++member) {
      work_.push_back(movement.work(static_cast<int>(member)));
    }
  }

  void run() {
    for (std::size_t member = 0; member < work_.size(); ++member) {
      pack(member);
    }
    std::size_t const p = work_.size();
    outputs_.resize(p);
    for (std::size_t member = 0; member < p; ++member) {
      outputs_[member].assign(work_[member].output.num_bytes / word, gap);
      move(member);
    }
    for (std::size_t member = 0; member < p; ++member) {
      unpack(member);
    }
  }

private:
  static constexpr std::uint32_t gap = 0xdeadU;

  Memory& segment(std::size_t member) {
    return (*segments_)[static_cast<std::size_t>(movement_->members()[member])];
  }

  void copy_here(std::size_t member, std::vector<ByteRun> const& runs) {
    Memory& words = segment(member);
    for (ByteRun const& run : runs) {
      auto const from = words.begin() + static_cast<std::ptrdiff_t>(run.here / word);
      std::copy_n(
          from, run.num_bytes / word, words.begin() + static_cast<std::ptrdiff_t>(run.there / word)
      );
    }
  }

  void pack(std::size_t member) {
    MemberWork const& work = work_[member];
    copy_here(member, work.copied_before);
    Memory input(work.input.num_bytes / word, gap);
    for (ByteRun const& run : work.input.runs) {
      for (std::size_t i = 0; i < run.num_bytes / word; ++i) {
        input[run.there / word + i] = segment(member)[run.here / word + i];
      }
    }
    std::vector<std::uint64_t> const& operands = work.combined_before.operands;
    for (std::size_t i = 0; !operands.empty() && i < part_; ++i) {
      input[i] = fold(segment(member), operands, i);
    }
    inputs_.push_back(std::move(input));
  }

  [[nodiscard]] std::uint32_t
  fold(Memory const& words, std::vector<std::uint64_t> const& operands, std::size_t i) const {
    std::uint32_t value = words[operands.back() / word + i];
    for (std::size_t k = operands.size() - 1; k-- > 0;) {
      value = apply(words[operands[k] / word + i], value, call_->needs_rank_order);
    }
    return value;
  }

  void move(std::size_t member) {
    auto const root = static_cast<std::size_t>(movement_->root());
    Memory& output = outputs_[member];
    switch (movement_->collective()) {
    case Collective::bcast:
      for (std::size_t i = 0; i < part_; ++i) {
        output[i] = segment(root)[work_[root].output.runs[0].here / word + i];
      }
      return;
    case Collective::scatter:
      std::copy_n(inputs_[root].begin() + offset(member), part_, output.begin());
      return;
    case Collective::gather:
      for (std::size_t peer = 0; member == root && peer < work_.size(); ++peer) {
        std::copy_n(inputs_[peer].begin(), part_, output.begin() + offset(peer));
      }
      return;
    case Collective::alltoall:
      for (std::size_t peer = 0; peer < work_.size(); ++peer) {
        std::copy_n(inputs_[peer].begin() + offset(member), part_, output.begin() + offset(peer));
      }
      return;
    default:
      reduce(member == root, output);
    }
  }

  void reduce(bool is_root, Memory& output) const {
    for (std::size_t i = 0; is_root && i < part_; ++i) {
      output[i] = inputs_.back()[i];
      for (std::size_t peer = inputs_.size() - 1; peer-- > 0;) {
        output[i] = apply(inputs_[peer][i], output[i], call_->needs_rank_order);
      }
    }
  }

  [[nodiscard]] std::ptrdiff_t offset(std::size_t peer) const {
    return static_cast<std::ptrdiff_t>(peer * part_);
  }

  void unpack(std::size_t member) {
    MemberWork const& work = work_[member];
    for (ByteRun const& run : work.output.runs) {
      for (std::size_t i = 0; i < run.num_bytes / word; ++i) {
        segment(member)[run.here / word + i] = outputs_[member][run.there / word + i];
      }
    }
    if (std::vector<std::uint64_t> const& operands = work.combined_after.operands;
        !operands.empty()) {
      for (std::size_t i = 0; i < call_->piece_bytes / word; ++i) {
        segment(member)[work.combined_after.result / word + i] =
            fold(outputs_[member], operands, i);
      }
    }
    copy_here(member, work.copied_after);
  }

  Movement const* movement_;
  ArrayCall const* call_;
  Segments* segments_;
  std::size_t part_;
  std::vector<MemberWork> work_;
  std::vector<Memory> inputs_;
  std::vector<Memory> outputs_;
};

constexpr int num_ranks = 5;
constexpr std::size_t num_slots = 6;
constexpr std::size_t block_words = 24;
/// Targets lie behind sources.
constexpr std::size_t segment_words = 2 * num_slots * block_words;

/// Blocks that do not overlap; sometimes as arrays deal them, sometimes anyhow.
std::vector<OwnedBlock>
random_blocks(std::mt19937& random, std::size_t count, std::uint64_t begin_bytes) {
  std::vector<OwnedBlock> all;
  bool const is_dealt = random() % 2 == 0;
  auto const first = static_cast<int>(random() % num_ranks);
  for (std::size_t i = 0; i < num_ranks * num_slots; ++i) {
    int const rank = (first + static_cast<int>(i)) % num_ranks;
    all.push_back({rank, begin_bytes + i / num_ranks * block_words * word});
  }
  if (!is_dealt) {
    std::ranges::shuffle(all, random);
  }
  all.resize(count);
  return all;
}

ArrayCall random_call(std::mt19937& random) {
  auto const collective = static_cast<ArrayCollective>(random() % 5);
  std::size_t const count = 1 + random() % 8;
  bool const is_to_many =
      collective == ArrayCollective::bcast || collective == ArrayCollective::scatter;
  bool const is_exchange = collective == ArrayCollective::exchange;
  ArrayCall call;
  call.collective = collective;
  call.from = random_blocks(random, is_to_many ? 1 : count, 0);
  call.to =
      random_blocks(random, is_to_many || is_exchange ? count : 1, num_slots * block_words * word);
  call.piece_bytes = (1 + random() % 3) * word;
  call.from_block_bytes = call.to_block_bytes = block_words * word;
  call.needs_rank_order = random() % 2 == 0;
  return call;
}

TEST(Movement, BringsWhatShouldArrive) {
  std::mt19937 random(20090515);
  for (int turn = 0; turn < 4000; ++turn) {
    ArrayCall const call = random_call(random);
    Movement const movement(call);
    Segments segments = numbered(num_ranks, segment_words);
    Segments const expected = moved_plainly(segments, call);
    PlainTeam(movement, call, segments).run();
    ASSERT_EQ(segments, expected) << to_string(call.collective) << " of turn " << turn;
  }
}

/// Blocks at offset 0 of ranks, in this order.
std::vector<OwnedBlock> on_ranks(std::vector<int> const& ranks, std::uint64_t offset) {
  std::vector<OwnedBlock> result;
  for (int const rank : ranks) {
    result.push_back({rank, offset});
  }
  return result;
}

ArrayCall
call_of(ArrayCollective collective, std::vector<int> const& from, std::vector<int> const& to) {
  return {
      .collective = collective,
      .from = on_ranks(from, 0),
      .to = on_ranks(to, 1024),
      .piece_bytes = 8,
      .from_block_bytes = 64,
      .to_block_bytes = 64,
  };
}

TEST(Movement, MakesATeamOfWhoHasBlocks) {
  Movement const movement(call_of(ArrayCollective::gather, {7, 2, 5}, {3}));
  EXPECT_EQ(movement.members(), (std::vector{2, 3, 5, 7}));
  EXPECT_EQ(movement.root(), 1);
}

TEST(Movement, CopiesNothingWhereTheLayoutFits) {
  for (auto const& call :
       {call_of(ArrayCollective::scatter, {1}, {0, 1, 2}),
        call_of(ArrayCollective::gather, {0, 1, 2}, {2}),
        call_of(ArrayCollective::reduce, {2, 0, 1}, {1}),
        call_of(ArrayCollective::exchange, {0, 3, 4}, {0, 3, 4})}) {
    Movement const movement(call);
    EXPECT_TRUE(movement.is_direct()) << to_string(call.collective);
    EXPECT_FALSE(movement.packs() || movement.unpacks()) << to_string(call.collective);
  }
}

TEST(Movement, CopiesWhereBlocksAreNotInRankOrder) {
  Movement const movement(call_of(ArrayCollective::exchange, {0, 4, 3}, {0, 3, 4}));
  EXPECT_FALSE(movement.is_direct());
  EXPECT_FALSE(movement.packs()) << "targets are";
  EXPECT_TRUE(movement.unpacks());
}

TEST(Movement, LetsTheRootOfABcastFillItsOwnTargetFirst) {
  Movement const movement(call_of(ArrayCollective::bcast, {1}, {0, 1, 2}));
  EXPECT_TRUE(movement.is_direct());
  EXPECT_TRUE(movement.packs());
  EXPECT_FALSE(movement.unpacks());
  for (UserPlaces const& places : movement.places()) {
    EXPECT_EQ(places.output, 1024U);
  }
}

TEST(Movement, SendsABcastFromItsSourceWhereTheRootHasNoTarget) {
  Movement const movement(call_of(ArrayCollective::bcast, {1}, {0, 2}));
  EXPECT_TRUE(movement.is_direct());
  EXPECT_EQ(movement.places()[0].output, 1024U);
  EXPECT_EQ(movement.places()[1].output, 0U);
  EXPECT_FALSE(movement.packs() || movement.unpacks());
}

TEST(Movement, TakesTheSourceOfABcastAsTarget) {
  ArrayCall call = call_of(ArrayCollective::bcast, {1}, {0, 1, 2});
  call.to = on_ranks({0, 1, 2}, 0);
  Movement const movement(call);
  EXPECT_TRUE(movement.is_direct());
  EXPECT_FALSE(movement.packs() || movement.unpacks());
}

TEST(Movement, GathersWhatNoReductionCanHave) {
  EXPECT_EQ(
      Movement(call_of(ArrayCollective::reduce, {0, 1}, {2})).collective(), Collective::gather
  );
  ArrayCall call = call_of(ArrayCollective::reduce, {1, 0}, {0});
  EXPECT_EQ(Movement(call).collective(), Collective::reduce);
  call.needs_rank_order = true;
  EXPECT_EQ(Movement(call).collective(), Collective::gather);
}

TEST(Movement, MovesNothingWhereThereIsNothing) {
  ArrayCall call = call_of(ArrayCollective::exchange, {0, 1}, {1, 0});
  call.piece_bytes = 0;
  Movement const movement(call);
  EXPECT_TRUE(movement.is_direct());
  EXPECT_FALSE(movement.packs() || movement.unpacks());
}

std::string refusal(ArrayCall const& call) {
  try {
    Movement const movement(call);
    return "";
  } catch (Error const& error) {
    return error.what();
  }
}

TEST(Movement, RefusesShapesThatDoNotFit) {
  EXPECT_NE(
      refusal(call_of(ArrayCollective::bcast, {0, 1}, {2})).find("one block to bcast from"),
      std::string::npos
  );
  EXPECT_NE(
      refusal(call_of(ArrayCollective::reduce, {0, 1}, {2, 3})).find("one block to reduce to"),
      std::string::npos
  );
  EXPECT_NE(
      refusal(call_of(ArrayCollective::exchange, {0, 1}, {2})).find("got 2 and 1"),
      std::string::npos
  );
}

TEST(Movement, RefusesPiecesThatBlocksHaveNoRoomFor) {
  ArrayCall call = call_of(ArrayCollective::gather, {0, 1, 2}, {2});
  call.piece_bytes = 24;
  EXPECT_NE(refusal(call).find("at most 21 bytes"), std::string::npos);
  call.piece_bytes = 21;
  EXPECT_EQ(refusal(call), "");
}

TEST(Movement, RefusesToReadAndWriteTheSameBytes) {
  ArrayCall call = call_of(ArrayCollective::gather, {0, 1, 2}, {2});
  call.to[0].offset = 7;
  EXPECT_NE(refusal(call).find("process 2 of the team"), std::string::npos);
  call.to[0].offset = 8;
  EXPECT_EQ(refusal(call), "");
  call = call_of(ArrayCollective::bcast, {1}, {0, 1});
  call.to[1].offset = 4;
  EXPECT_NE(refusal(call).find("at offset 4"), std::string::npos);
}

}  // namespace
}  // namespace espalier::onesided
