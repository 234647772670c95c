// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/transports.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/exec/node/mpi_shared_memory.hpp"
#include "espalier/onesided/mpi/mpi_attachment.hpp"
#include "espalier/onesided/mpi/mpi_node_conduit.hpp"
#include "espalier/onesided/mpi/mpi_rma_conduit.hpp"
#ifdef ESPALIER_HAS_UCX
#include "espalier/onesided/ucx/ucx_conduit.hpp"
#endif

namespace espalier::capi {
namespace {

constexpr std::array known{
    Transport{
        .name = "node",
        .attach = [](MPI_Comm comm, std::uint64_t segment_bytes
                  ) { return onesided::attach_node(comm, segment_bytes, {}); },
    },
    Transport{
        .name = "rma",
        .attach = [](MPI_Comm comm, std::uint64_t segment_bytes
                  ) { return onesided::attach_rma(comm, segment_bytes, {}); },
    },
#ifdef ESPALIER_HAS_UCX
    Transport{
        .name = "ucx",
        .attach = [](MPI_Comm comm, std::uint64_t segment_bytes
                  ) { return onesided::attach_ucx(comm, segment_bytes, {}); },
    },
#endif
};

}  // namespace

Transport const& transport_named(std::string_view name) {
  auto const* const found = std::ranges::find(known, name, &Transport::name);
  if (found != known.end()) {
    return *found;
  }
  std::vector<std::string> names;
  names.reserve(known.size());
  for (Transport const& transport : known) {
    names.emplace_back(transport.name);
  }
  throw Error(
      ErrorCode::argument,
      formatted("expected a transport of {}, got '{}'", joined(names, ", "), name)
  );
}

Transport const& usual_transport(mpi::OwnCommunicator const& own) {
  bool const is_near = onesided::ranks_of_node(own.get()).size() == own.size();
  return transport_named(exec::node::is_true_on_all(own.get(), is_near) ? "node" : "rma");
}

}  // namespace espalier::capi
