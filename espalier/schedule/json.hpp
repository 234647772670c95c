// SPDX-License-Identifier: Apache-2.0

/// @file
/// The machine-readable form of a program: schema `espalier-program`, described by
/// python/espalier/schemas/program-1.schema.json.

#pragma once

#include <nlohmann/json_fwd.hpp>

#include "espalier/schedule/program.hpp"

namespace espalier::schedule {

inline constexpr int program_schema_version = 1;

[[nodiscard]] nlohmann::json to_json(RankProgram const& program);

/// The program that to_json() wrote. All positions and block numbers of the result lie in their
/// ranges; whether the program is any good is for the prover to say.
/// @throws Error format with the place, what was expected and what was found.
[[nodiscard]] RankProgram from_json(nlohmann::json const& document);

}  // namespace espalier::schedule
