// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

#include "include/espalier_onesided.h"

#include "espalier/capi/arguments.hpp"
#include "espalier/mpi/own_communicator.hpp"

namespace espalier::capi {

/// espalier_conduit_options, checked and copied.
struct ConduitOptions {
  static constexpr std::uint64_t default_scratch_bytes = std::uint64_t{4} << 20U;

  std::string transport;  ///< "node", "rma"; empty: by where the ranks are
  std::uint64_t scratch_bytes = default_scratch_bytes;
};

/// Local. @throws Error argument.
[[nodiscard]] ConduitOptions read(espalier_conduit_options const* given);

/// What has to be equal on all ranks.
[[nodiscard]] Fingerprint fingerprint(ConduitOptions const& options);

/// The transport that is named, or the one that all ranks can use. Collective.
/// @throws Error mpi.
[[nodiscard]] std::string transport_for(mpi::OwnCommunicator const& own, std::string const& named);

}  // namespace espalier::capi
