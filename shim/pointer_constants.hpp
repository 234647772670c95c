// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::shim {

/// Takes what MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY are from the MPI library of this process, once
/// it is known to be of the family that this library was built for.
void find_pointer_constants() noexcept;

}  // namespace espalier::shim
