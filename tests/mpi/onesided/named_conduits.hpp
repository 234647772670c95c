// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "espalier/onesided/mpi/mpi_node_conduit.hpp"
#include "espalier/onesided/mpi/mpi_rma_conduit.hpp"
#ifdef ESPALIER_HAS_UCX
#include "espalier/onesided/ucx/ucx_conduit.hpp"
#endif

namespace espalier::onesided {

using Attach = std::unique_ptr<Conduit> (*)(MPI_Comm, std::uint64_t, std::vector<Handler>);

/// How ranks attach to the conduit with this name; null if this build has none. "ucx_watched" is
/// "ucx" that notices the end of ranks on the node, too.
inline Attach attach_named(std::string_view name) {
  if (name == "node") {
    return attach_node;
  }
  if (name == "rma") {
    return attach_rma;
  }
#ifdef ESPALIER_HAS_UCX
  if (name == "ucx") {
    return [](MPI_Comm comm, std::uint64_t segment_bytes, std::vector<Handler> handlers) {
      return attach_ucx(comm, segment_bytes, std::move(handlers));
    };
  }
  if (name == "ucx_watched") {
    return [](MPI_Comm comm, std::uint64_t segment_bytes, std::vector<Handler> handlers) {
      return attach_ucx(comm, segment_bytes, std::move(handlers), UcxWatch::all_ranks);
    };
  }
#endif
  return nullptr;
}

}  // namespace espalier::onesided
