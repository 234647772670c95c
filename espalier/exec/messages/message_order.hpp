// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::exec {

/// Whether messages of a pair need tags of their own to arrive in order. SimGrid 3.32 lets a
/// message below the eager limit overtake a larger one with the same tag; MPI forbids that.
#ifdef ESPALIER_MPI_SIMULATED
inline constexpr bool tags_keep_order = true;
#else
inline constexpr bool tags_keep_order = false;
#endif

}  // namespace espalier::exec
