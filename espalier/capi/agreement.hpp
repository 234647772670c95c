// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>

#include "espalier/capi/arguments.hpp"
#include "espalier/mpi/own_communicator.hpp"

namespace espalier::capi {

/// Runs a local check on every rank; collective. If it throws on one rank all throw an error of the
/// same class, and so they do if fingerprints differ: no rank is left waiting for one that gave up.
/// @throws plan::ClassError, Error.
void agree(mpi::OwnCommunicator const& own, std::function<Fingerprint()> const& check);

}  // namespace espalier::capi
