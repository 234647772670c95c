// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include <mpi.h>

#include "espalier/capi/arguments.hpp"
#include "espalier/mpi/own_communicator.hpp"

namespace espalier::capi {

/// What a check found on one rank.
struct Finding {
  int mpi_class = MPI_SUCCESS;
  std::string text;              ///< empty: nothing is wrong
  std::int64_t fingerprint = 0;  ///< if nothing is wrong
};

/// Runs a check. Local, and throws nothing.
[[nodiscard]] Finding find(std::function<Fingerprint()> const& check);

/// Runs a local check on every rank; collective. If it throws on one rank all throw an error of the
/// same class, and so they do if fingerprints differ: no rank is left waiting for one that gave up.
/// @throws plan::ClassError, Error.
void agree(mpi::OwnCommunicator const& own, std::function<Fingerprint()> const& check);

/// Replaces each word by the largest one of all ranks. Collective.
using TakeLargest = std::function<void(std::span<std::int64_t, 3> words)>;

/// The same by another way to ask all ranks.
void agree(TakeLargest const& take_largest, std::function<Fingerprint()> const& check);

}  // namespace espalier::capi
