// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <mpi.h>

#include "espalier/mpi/own_communicator.hpp"
#include "espalier/onesided/conduit.hpp"

namespace espalier::capi {

/// How processes of a conduit communicate, by the name that programs give it.
struct Transport {
  std::string_view name;
  /// Without handlers. Collective. @throws Error as onesided::attach_node() and its like.
  std::unique_ptr<onesided::Conduit> (*attach)(MPI_Comm comm, std::uint64_t segment_bytes);
};

/// Lives as long as the process. @throws Error argument with the names that this build knows.
[[nodiscard]] Transport const& transport_named(std::string_view name);

/// What all ranks can use: the memory of a node if all are on one, otherwise MPI. Collective.
/// @throws Error mpi.
[[nodiscard]] Transport const& usual_transport(mpi::OwnCommunicator const& own);

}  // namespace espalier::capi
