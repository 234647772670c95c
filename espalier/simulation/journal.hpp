// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a simulation tells of itself while it runs, as JSON lines in a file:
///
///     {"kind": "start", "num_hosts": 16}
///     {"kind": "clock", "seconds": 0.25}       four times a second of real time; simulated seconds
///     {"kind": "deadlock", "seconds": 0.25}    every rank waits for another
///     {"kind": "end", "seconds": 0.31, "memory_bytes": 41000000}   the largest that was in memory
///
/// Without "end" the simulator was ended, or a rank ended it.

#pragma once

#include <string>

namespace espalier::simulation {

/// Writes to a file from now on, as long as the simulator runs.
/// @throws Error io: the file cannot be written.
void keep_journal(std::string const& path, int num_hosts);

}  // namespace espalier::simulation
