// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::mpi {

/// @throws Error mpi with the name of the call and the text of the library, unless code is
///     MPI_SUCCESS.
void require_success(int code, char const* call);

}  // namespace espalier::mpi
