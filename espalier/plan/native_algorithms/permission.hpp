// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::plan {

/// Before MPI_Init, while the process has one thread: lets Open MPI select its algorithms by
/// variables, unless the environment says already whether it does. As long as no variable is
/// written, communicators are as without. Other MPI libraries need nothing.
void permit_native_algorithms() noexcept;

}  // namespace espalier::plan
