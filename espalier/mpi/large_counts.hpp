// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::mpi {

/// Whether the MPI library at hand has functions with large counts (MPI_Bcast_c), those of MPI 4.
/// Its version tells; references to functions that are weak are null where the library is opened
/// late, as Python does. Local, at any time.
[[nodiscard]] bool has_large_counts() noexcept;

}  // namespace espalier::mpi
