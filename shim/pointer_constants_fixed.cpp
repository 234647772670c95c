// SPDX-License-Identifier: Apache-2.0

#include "shim/pointer_constants.hpp"

namespace espalier::shim {

/// Numbers in mpi.h.
void find_pointer_constants(std::string_view) noexcept {}

}  // namespace espalier::shim
