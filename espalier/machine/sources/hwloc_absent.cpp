// SPDX-License-Identifier: Apache-2.0

#include <string_view>

#include "espalier/base/error.hpp"
#include "espalier/machine/sources/hwloc.hpp"

namespace espalier::machine {
namespace {

[[noreturn]] void refuse() {
  throw Error(
      ErrorCode::unsupported,
      "expected a build with hwloc, got one without; install its development files "
      "(Debian: libhwloc-dev) and build again"
  );
}

}  // namespace

bool has_hwloc() noexcept {
  return false;
}

NodeTree read_hwloc_xml(std::string_view /*xml*/, std::string_view /*origin*/) {
  refuse();
}

NodeTree read_hwloc_here() {
  refuse();
}

}  // namespace espalier::machine
