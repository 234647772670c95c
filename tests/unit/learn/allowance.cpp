// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/allowance.hpp"

#include <gtest/gtest.h>

namespace espalier::learn {
namespace {

TEST(Allowance, IsAFixedTimeOrAShareOfTheTimeOfTheProgram) {
  Allowance const allowance(0.05, 0.01);
  EXPECT_DOUBLE_EQ(allowance.left(0), 0.05);
  EXPECT_DOUBLE_EQ(allowance.left(5), 0.05);
  EXPECT_DOUBLE_EQ(allowance.left(60), 0.6);
}

TEST(Allowance, IsWhatWasNotLost) {
  Allowance allowance(0.05, 0.01);
  allowance.charge(0.02);
  allowance.charge(0.04);
  EXPECT_NEAR(allowance.spent(), 0.06, 1e-9);
  EXPECT_NEAR(allowance.left(0), -0.01, 1e-9);
}

TEST(Allowance, HalfOfWhatWasGainedMayBeLost) {
  Allowance allowance(0.05, 0.01);
  allowance.gain(0.3);
  EXPECT_NEAR(allowance.gained(), 0.3, 1e-9);
  EXPECT_NEAR(allowance.bound(0), 0.2, 1e-9);
  EXPECT_NEAR(allowance.bound(60), 0.75, 1e-9);
  allowance.charge(0.2);
  EXPECT_NEAR(allowance.left(0), 0, 1e-9);
}

}  // namespace
}  // namespace espalier::learn
