// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/transports/transports.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/base/names.hpp"
#include "espalier/exec/node/mpi_shared_memory.hpp"
#include "espalier/onesided/mpi/mpi_attachment.hpp"
#ifdef ESPALIER_MPI_SIMULATED
#include "espalier/onesided/simulated/simulated_conduit.hpp"
#else
#include "espalier/onesided/mpi/mpi_node_conduit.hpp"
#include "espalier/onesided/mpi/mpi_rma_conduit.hpp"
#endif
#ifdef ESPALIER_HAS_UCX
#include "espalier/onesided/ucx/ucx_conduit.hpp"
#endif

namespace espalier::onesided {
namespace {

#ifdef ESPALIER_MPI_SIMULATED
constexpr std::array known{Transport{.name = "simulated", .attach = attach_simulated}};
#else
constexpr std::array known{
    Transport{.name = "node", .attach = attach_node},
    Transport{.name = "rma", .attach = attach_rma},
#ifdef ESPALIER_HAS_UCX
    Transport{
        .name = "ucx",
        .attach = [](MPI_Comm comm, std::uint64_t segment_bytes, std::vector<Handler> handlers
                  ) { return attach_ucx(comm, segment_bytes, std::move(handlers)); },
    },
#endif
};
#endif

}  // namespace

Transport const* find_transport(std::string_view name) noexcept {
  auto const* const found = std::ranges::find(known, name, &Transport::name);
  return found == known.end() ? nullptr : found;
}

Transport const& transport_named(std::string_view name) {
  if (Transport const* const found = find_transport(name)) {
    return *found;
  }
  throw Error(
      ErrorCode::argument,
      formatted("expected a transport of {}, got '{}'", list_names(known, &Transport::name), name)
  );
}

#ifdef ESPALIER_MPI_SIMULATED
Transport const& usual_transport(mpi::OwnCommunicator const& /*own*/) {
  return known.front();
}
#else
Transport const& usual_transport(mpi::OwnCommunicator const& own) {
  bool const is_near = ranks_of_node(own.get()).size() == own.size();
  if (exec::node::is_true_on_all(own.get(), is_near)) {
    return transport_named("node");
  }
#ifdef ESPALIER_HAS_UCX
  if (exec::node::is_true_on_all(own.get(), has_ucx())) {
    return transport_named("ucx");
  }
#endif
  return transport_named("rma");
}
#endif

}  // namespace espalier::onesided
