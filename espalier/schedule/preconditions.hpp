// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/schedule/program.hpp"

namespace espalier::schedule {

/// @throws Error unsupported, naming who needs it, if some operation is one-sided.
void require_messages(RankProgram const& program, char const* needed_by);

/// @throws Error unsupported, naming the transform, if it is a dataflow program or one-sided.
void require_rounds(RankProgram const& program, char const* transform);

/// @throws Error unsupported, naming the transform, unless the operation sends or receives output
/// blocks.
void require_plain(RankProgram const& program, Operation const& operation, char const* transform);

}  // namespace espalier::schedule
