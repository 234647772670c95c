// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/choices/radix.hpp"

namespace espalier::algorithms {

std::vector<std::string>
radix_variants(int num_ranks, std::initializer_list<int> radices, int large) {
  std::vector<std::string> result{""};
  for (int const k : radices) {
    if (k <= num_ranks && (num_ranks <= 33 || k == large)) {
      result.push_back("[k=" + std::to_string(k) + "]");
    }
  }
  return result;
}

}  // namespace espalier::algorithms
