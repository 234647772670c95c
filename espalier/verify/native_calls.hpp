// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "espalier/schedule/program.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// Whether native calls make sense: each is the same for all of its members, who make it equally
/// often, and has blocks that can be dealt to them. The rest is seen where schedule::meeting()
/// stands in place of them.
[[nodiscard]] std::optional<Violation>
check_native_calls(std::span<schedule::RankProgram const> programs);

/// The programs with messages in place of native calls; what check_native_calls() accepts.
[[nodiscard]] std::vector<schedule::RankProgram>
without_native_calls(std::span<schedule::RankProgram const> programs);

[[nodiscard]] bool have_native_calls(std::span<schedule::RankProgram const> programs) noexcept;

}  // namespace espalier::verify
