// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::mpi {

/// The largest tag, which is the same for all communicators. No message of ours has it, so that
/// nothing is found where make_progress() looks for one.
[[nodiscard]] int unused_tag() noexcept;

}  // namespace espalier::mpi
