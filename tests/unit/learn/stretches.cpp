// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/stretches.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace espalier::learn {
namespace {

TEST(Stretches, GoOnIfTheirLotsGetAnotherSeed) {
  Stretches stretches;
  stretches.begin(8);
  stretches.draw_by(5);
  EXPECT_TRUE(stretches.is_underway());
  EXPECT_EQ(stretches.length(), 8);
  bool const is_native_next = stretches.is_native_next();
  stretches.note(1.0);
  stretches.draw_by(6);
  EXPECT_NE(stretches.is_native_next(), is_native_next) << "a pair is finished as it began";
}

TEST(Stretches, DrawByTheirSeedWhoComesFirst) {
  int num_native = 0;
  for (std::uint32_t seed = 0; seed < 4096; seed += 64) {
    Stretches stretches;
    stretches.draw_by(seed);
    stretches.begin(8);
    num_native += stretches.is_native_next() ? 1 : 0;
  }
  EXPECT_GT(num_native, 0);
  EXPECT_LT(num_native, 64);
}

}  // namespace
}  // namespace espalier::learn
