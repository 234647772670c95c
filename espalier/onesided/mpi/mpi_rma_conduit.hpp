// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <mpi.h>

#include "espalier/onesided/conduit.hpp"

namespace espalier::onesided {

/// The conduit of any MPI with one-sided communication (MPI-3), for ranks anywhere. Collective over
/// comm, which may be freed afterwards, and so is its end, which must come before that of MPI, and
/// waits for all ranks. Messages that no handler got by then are lost.
/// @throws Error, on all ranks: argument for handlers; mpi.
[[nodiscard]] std::unique_ptr<Conduit>
attach_rma(MPI_Comm comm, std::uint64_t segment_bytes, std::vector<Handler> handlers);

}  // namespace espalier::onesided
