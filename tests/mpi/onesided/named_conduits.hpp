// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/onesided/transports/transports.hpp"
#ifdef ESPALIER_HAS_UCX
#include "espalier/onesided/ucx/ucx_conduit.hpp"
#endif

namespace espalier::onesided {

using Attach = decltype(Transport::attach);

/// How ranks attach to the conduit with this name; null if this build has none. "ucx_watched" is
/// "ucx" that notices the end of ranks on the node, too.
inline Attach attach_named(std::string_view name) {
#ifdef ESPALIER_HAS_UCX
  if (name == "ucx_watched") {
    return [](MPI_Comm comm, std::uint64_t segment_bytes, std::vector<Handler> handlers) {
      return attach_ucx(comm, segment_bytes, std::move(handlers), UcxWatch::all_ranks);
    };
  }
#endif
  Transport const* const found = find_transport(name);
  return found == nullptr ? nullptr : found->attach;
}

}  // namespace espalier::onesided
