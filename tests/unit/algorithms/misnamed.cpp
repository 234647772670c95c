// SPDX-License-Identifier: Apache-2.0

/// @file
/// Does not compile, which a test of CMakeLists.txt here checks: the name is not that of the file.

#include "espalier/algorithms/algorithm_name.hpp"

namespace espalier::algorithms {

extern AlgorithmName const misnamed = "ring";

}  // namespace espalier::algorithms
