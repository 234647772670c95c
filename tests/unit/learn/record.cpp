// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/record.hpp"

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::learn {
namespace {

Record record_of(int num_wins, int num_pairs) {
  Evidence const evidence = Evidence::of(num_wins, num_pairs);
  return {
      .candidates = {{.seconds = 2}, {.predicted = 0.5, .seconds = 1, .against_native = evidence}},
      .num_rounds = num_pairs,
  };
}

TEST(Record, IsWhatItWasAndWhatCame) {
  Record const earlier = record_of(3, 5);
  Record const later = record_of(7, 10);
  Record const more = since(later, earlier);
  EXPECT_EQ(more, record_of(4, 5));
  EXPECT_EQ(joined(earlier, more), later);
}

TEST(Record, AddsUpWhatSeveralRacesFound) {
  Record const all = joined(joined(record_of(3, 5), record_of(4, 5)), record_of(1, 2));
  EXPECT_EQ(all, record_of(8, 12));
}

TEST(Record, OfNothingIsWhatCame) {
  EXPECT_EQ(since(record_of(3, 5), {}), record_of(3, 5));
  EXPECT_EQ(joined({}, record_of(3, 5)), record_of(3, 5));
}

TEST(Record, KeepsTheLastTimeThatSomebodyHas) {
  Record more = record_of(1, 1);
  more.candidates[0].seconds = 0;
  more.candidates[1].seconds = 4;
  more.candidates[1].is_out = true;
  Record const all = joined(record_of(3, 5), more);
  EXPECT_EQ(all.candidates[0].seconds, 2);
  EXPECT_EQ(all.candidates[1].seconds, 4);
  EXPECT_TRUE(all.candidates[1].is_out);
}

/// Times of single calls say nothing of a loop in which ranks run ahead of each other.
TEST(Record, OfALoopIsNotJoinedWithOneOfSingleCalls) {
  Record loop = record_of(1, 2);
  loop.is_of_loop = true;
  EXPECT_EQ(joined(record_of(3, 5), loop), loop);
  EXPECT_EQ(joined(loop, record_of(3, 5)), loop);
}

TEST(Record, CountsNoMoreThanAnEvidenceDoes) {
  Record const all = joined(record_of(50, 59), record_of(2, 2));
  EXPECT_EQ(all.candidates[1].against_native, Evidence::of(50, 59));
}

TEST(Record, KeepsClearWins) {
  auto const record_with = [](int num_clear_wins) {
    Record record = record_of(3, 4);
    record.candidates[1].against_native = Evidence::of(3, 4, num_clear_wins);
    return record;
  };
  Record const all = joined(record_with(2), record_with(1));
  EXPECT_EQ(all.candidates[1].against_native, Evidence::of(6, 8, 3));
  EXPECT_EQ(since(all, record_with(2)), record_with(1));
}

TEST(Evidence, IsMadeOfWinsAndPairs) {
  EXPECT_EQ(Evidence::of(2, 3).num_wins(), 2);
  EXPECT_EQ(Evidence::of(2, 3).num_pairs(), 3);
  EXPECT_THROW(static_cast<void>(Evidence::of(3, 2)), Error);
  EXPECT_THROW(static_cast<void>(Evidence::of(-1, 2)), Error);
  EXPECT_THROW(static_cast<void>(Evidence::of(1, 2, 2)), Error);
  EXPECT_THROW(static_cast<void>(Evidence::of(1, Evidence::most_pairs + 1)), Error);
}

}  // namespace
}  // namespace espalier::learn
