// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "espalier/mpi/own_communicator.hpp"
#include "espalier/onesided/conduit.hpp"

namespace espalier::onesided {

/// How processes of a conduit communicate, by the name that programs give it.
struct Transport {
  std::string_view name;
  /// Collective. @throws Error as attach_node() and its like.
  std::unique_ptr<Conduit> (*attach)(
      MPI_Comm comm, std::uint64_t segment_bytes, std::vector<Handler> handlers
  );
};

/// Lives as long as the process. Null if this build has none with this name.
[[nodiscard]] Transport const* find_transport(std::string_view name) noexcept;

/// The same. @throws Error argument with the names that this build knows.
[[nodiscard]] Transport const& transport_named(std::string_view name);

/// What all ranks can use: the memory of a node if all are on one, otherwise UCX, otherwise MPI.
/// Collective.
/// @throws Error mpi.
[[nodiscard]] Transport const& usual_transport(mpi::OwnCommunicator const& own);

}  // namespace espalier::onesided
