// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace espalier::plan {

/// What the memory of learning knows of the runs of a program that learned.
struct RunsOfProgram {
  int num_in_vain = 0;  ///< the last ones, in which nothing was found that is faster
  // In the last one:
  double seconds_at_stake = 0;  ///< of calls for which nothing is decided yet
  double seconds = 0;           ///< of the program; 0 if it is not known, as the next two
  double cost_seconds = 0;      ///< that MPI_Init and trials took longer
  double saved_seconds = 0;     ///< that calls took less by what was learned

  friend bool operator==(RunsOfProgram const&, RunsOfProgram const&) = default;
};

/// @param document  a profile, with the member `programs` or without
/// @param program  what SettingsText::program says
/// @throws Error format, one line.
[[nodiscard]] RunsOfProgram
runs_of(nlohmann::json const& document, std::string_view program, std::string_view origin);

/// Counts one more run in vain, or begins anew.
/// @param has_found  something faster was found in this run
/// @param run  what is known of it; the runs in vain are counted here
void note_run(
    nlohmann::json& document, std::string_view program, bool has_found, RunsOfProgram const& run
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

/// Whether the next run learns nothing and makes native calls: so many were in vain that the bound
/// is no more than half, and learning takes more than its share of the time of the program. Some
/// runs learn all the same, so that on the average it takes this share.
/// @param bound_seconds  as above
/// @param share  of the time of the program that learning may take
/// @param draw  at least 0, less than 1, by chance
[[nodiscard]] constexpr bool
rests(RunsOfProgram const& runs, double bound_seconds, double share, double draw) noexcept {
  double const lost = runs.cost_seconds - runs.saved_seconds;
  bool const is_in_vain = runs.num_in_vain > 0 && share_of_bound(runs, bound_seconds) <= 0.5;
  return is_in_vain && runs.seconds > 0 && draw * lost >= share * runs.seconds;
}

}  // namespace espalier::plan
