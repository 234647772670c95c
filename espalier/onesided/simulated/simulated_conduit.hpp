// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <mpi.h>

#include "espalier/onesided/conduit.hpp"

namespace espalier::onesided {

/// The conduit of ranks on a machine that SimGrid simulates: transfers take the time that the
/// machine says, and the processor of their initiator alone. Collective over comm, which may be
/// freed afterwards, and so is its end, which must come before that of MPI.
///
/// A message of n bytes between two ranks
///
/// 1. takes its initiator the overhead of a send, whatever its size;
/// 2. is there when one of n bytes of MPI, from a sender that has begun to a receiver that has,
///    would be;
/// 3. then writes what it carries, and raises its counter: the target takes no part.
///
/// A put is over when a message of 0 bytes has come back. Up to the eager limit of the machine, its
/// source may be written again at once, and above when the data are there. A get is a message of 0
/// bytes that is answered with the data. An active message takes its target the overhead of a
/// receive, when it polls. Ranks pass barriers by dissemination, which goes on without them.
/// Transfers to oneself take no time, and so do copies.
///
/// Waiting lets simulated time pass until something happens to the rank. A poll that follows
/// another one at the same time lets 100 ns pass; without that, loops of polls would never end.
/// @throws Error argument, on all ranks, for handlers; mpi.
[[nodiscard]] std::unique_ptr<Conduit>
attach_simulated(MPI_Comm comm, std::uint64_t segment_bytes, std::vector<Handler> handlers);

}  // namespace espalier::onesided
