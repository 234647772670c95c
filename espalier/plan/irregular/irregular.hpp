// SPDX-License-Identifier: Apache-2.0

/// @file
/// Calls with arguments that are out of the ordinary on this rank: aliased buffers, own parts of
/// another size, types that were not committed or are null, arguments that are plainly wrong.
///
/// No other rank sees that, so this one must not go to the MPI library: the others would wait for
/// it in our algorithm, and it for them in the native one. A rank that can take part does, with
/// what it has to send in a place of its own, and then returns what the library at hand says of
/// such arguments. A rank that cannot returns an error at once, as it would natively.

#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include <mpi.h>

#include "espalier/plan/irregular/elements.hpp"

namespace espalier::plan {

/// Memory that stands in for arguments of the user.
struct Substitutes {
  std::list<std::vector<std::byte>> memory;
  std::list<std::vector<std::int64_t>> numbers;
  std::list<std::vector<MPI_Datatype>> types;
};

/// Data that stay inside the rank, and where they go.
struct OwnPart {
  std::vector<std::byte> data;
  Elements place{};
};

/// What to run in place of a call. Nothing of the user's memory was written.
template <typename Call> struct Mended {
  Call call;
  /// As Call::bytes(): what all ranks decide with.
  std::int64_t bytes = 0;
  /// To be returned when the run is over: what the library says, or MPI_SUCCESS.
  int code = MPI_SUCCESS;
  /// To be put into its place before the run.
  std::optional<OwnPart> first{};
  /// The same after the run: the place may be among what is sent.
  std::optional<OwnPart> last{};
  Substitutes substitutes{};

  /// The first code that is not MPI_SUCCESS stays.
  void add(int next) noexcept { code = code == MPI_SUCCESS ? next : code; }
};

}  // namespace espalier::plan
