// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

namespace espalier::plan {

/// What the memory of learning knows of the runs of a program.
struct RunsOfProgram {
  int num_in_vain = 0;          ///< the last ones, in which nothing was found that is faster
  double seconds_at_stake = 0;  ///< in the last one: of calls for which nothing is decided yet

  friend bool operator==(RunsOfProgram const&, RunsOfProgram const&) = default;
};

/// @param document  a profile, with the member `programs` or without
/// @param program  what SettingsText::program says
/// @throws Error format, one line.
[[nodiscard]] RunsOfProgram
runs_of(nlohmann::json const& document, std::string_view program, std::string_view origin);

/// Counts one more run in vain, or begins anew.
/// @param has_found  something faster was found in this run
void note_run(
    nlohmann::json& document, std::string_view program, bool has_found, double seconds_at_stake
);

/// What part of the usual bound the next run may lose to trials. Runs in vain make it less, the
/// sooner the less there is to gain: if all that is at stake is as much as the bound, it is half
/// after the first. It does not become nothing, as a run with other input may make other calls.
/// @param bound_seconds  the usual one
[[nodiscard]] constexpr double
share_of_bound(RunsOfProgram const& runs, double bound_seconds) noexcept {
  constexpr double least = 0.1;
  double const runs_until_half = runs.seconds_at_stake / bound_seconds;
  return runs.num_in_vain == 0
             ? 1
             : std::max(least, runs_until_half / (runs_until_half + runs.num_in_vain));
}

}  // namespace espalier::plan
