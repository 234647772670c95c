// SPDX-License-Identifier: Apache-2.0

/// @file
/// From a seed to a program.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bent/report.hpp"

namespace bent {

/// All kinds but those that are slow or need a launch of their own (crowd, threads, fatal);
/// frequent ones repeated.
std::vector<std::string> usual_kinds();

bool needs_threads(std::vector<std::string> const& kinds);

/// Runs the program of a seed, which is of one of the kinds.
void run_program(Report& report, std::uint64_t seed, std::vector<std::string> const& kinds);

}  // namespace bent
