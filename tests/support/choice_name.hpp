// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cctype>
#include <string>

#include <gtest/gtest.h>

namespace espalier::test {

/// bcast/k_ary[k=2] as bcast_k_ary_k_2.
inline std::string name_of_choice(testing::TestParamInfo<char const*> const& tested) {
  std::string name;
  for (char const letter : std::string(tested.param)) {
    bool const is_word = std::isalnum(static_cast<unsigned char>(letter)) != 0;
    if (is_word || (!name.empty() && name.back() != '_' && letter != ']')) {
      name += is_word ? letter : '_';
    }
  }
  return name;
}

}  // namespace espalier::test
