// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::mpi {

/// The largest tag, which is the same for all communicators. No message of ours has it, so looking
/// for one lets MPI go on whatever has come: MPICH 4.0 does not go on where MPI_Iprobe finds a
/// message.
[[nodiscard]] int unused_tag() noexcept;

}  // namespace espalier::mpi
