// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/error.hpp"
#include "espalier/mapping/splitting/scotch.hpp"

namespace espalier::mapping {

bool has_scotch() noexcept {
  return false;
}

std::string scotch_version() {
  return {};
}

GraphMapper scotch_mapper() {
  throw Error(
      ErrorCode::unsupported,
      "expected a build with libscotch, got one without; install its development files "
      "(Debian: libscotch-dev) and build again"
  );
}

}  // namespace espalier::mapping
