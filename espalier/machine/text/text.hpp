// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include "espalier/machine/tree/machine.hpp"

namespace espalier::machine {

/// The machine a text describes; docs/explanation/machine.md has the grammar.
///
///     8n x 2s x 12c                             node package core; also w switch, g group, m numa,
///                                               l l3, t thread
///     3n x 8c + 1n x 4c                         parts beside each other
///     node:2 core:8,4                           names, and a number for each object above
///     torus 4x4x4 x 8c
///     fattree 4x8 x 12c                         4 switches of 8 nodes
///     dragonfly 4x4x2 x 8c                      groups x switches x nodes
///     8n[latency=1.5us,bandwidth=12.5GB/s] x 12c[latency=300ns]
///
/// @throws Error argument that says which word is wrong and what was expected.
[[nodiscard]] Machine parse_text(std::string_view text);

/// The shortest text parse_text() reads as this machine; numbers have all their digits.
[[nodiscard]] std::string to_text(Machine const& machine);

}  // namespace espalier::machine
