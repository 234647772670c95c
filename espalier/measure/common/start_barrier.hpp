// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include <mpi.h>

namespace espalier::measure {

/// The barrier before each timed call: disseminating_barrier(), and in simulation all ranks leave
/// at the same moment, with no message, so that a time hardly depends on what was measured before
/// (a few thousandths were seen where messages come at once). Collective over comm. @return
/// MPI_SUCCESS or the code of the first error.
int start_barrier(MPI_Comm comm) noexcept;

/// Dissemination: in round k every rank tells rank + 2^k and hears from rank - 2^k. All ranks leave
/// within about one message of each other; barriers of MPI libraries that go up and down a tree
/// release the root or the leaves first, which favours collectives with the same tree. And it is
/// the same code under every MPI.
/// @return MPI_SUCCESS or the code of the first error.
int disseminating_barrier(MPI_Comm comm) noexcept;

/// The same among some ranks only, without a communicator of their own.
/// @param members ranks of comm, in the same order on all of them; members[index] is this rank.
/// @param tag of the messages; no other message of comm may have it meanwhile.
int start_barrier(MPI_Comm comm, std::span<int const> members, int index, int tag) noexcept;

}  // namespace espalier::measure
