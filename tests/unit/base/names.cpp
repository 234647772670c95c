// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/names.hpp"

#include <array>
#include <string_view>

#include <gtest/gtest.h>

namespace espalier {
namespace {

struct Metal {
  std::string_view name;
  int number;
};

constexpr std::array metals{Metal{"iron", 26}, Metal{"copper", 29}, Metal{"tin", 50}};

TEST(Names, AreFoundAsAWhole) {
  EXPECT_EQ(find_named(metals, "copper", &Metal::name)->number, 29);
  for (std::string_view const other : {"", "cop", "coppers", "Tin"}) {
    EXPECT_FALSE(find_named(metals, other, &Metal::name)) << other;
  }
}

TEST(Names, AreListedInTheirOrder) {
  EXPECT_EQ(list_names(metals, &Metal::name), "iron, copper, tin");
  EXPECT_EQ(list_names(std::array<Metal, 0>{}, &Metal::name), "");
}

}  // namespace
}  // namespace espalier
