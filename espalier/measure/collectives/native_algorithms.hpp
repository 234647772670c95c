// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::measure {

/// Prints which algorithms the MPI library of this process offers for each call, as one document on
/// standard output: `{"collective": .., "algorithms": [..], "parameters": [..], "problem": ".."}`
/// for each. Needs no MPI_Init.
/// @param num_ranks  what does not work for so many ranks is left out; `0`: nothing is
/// @return the exit code of the process.
int print_native_algorithms(char const* num_ranks) noexcept;

}  // namespace espalier::measure
