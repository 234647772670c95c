// SPDX-License-Identifier: Apache-2.0

/// @file
/// Settings of a few texts, and what they decide.

#pragma once

#include <string>
#include <vector>

#include "espalier/plan/settings/settings.hpp"
#include "espalier/plan/settings/settings_text.hpp"

namespace espalier::plan {

using profile::Call;

inline constexpr char const* profile_text =
    R"({"schema": "espalier-profile", "version": 1, "mpi": {"vendor": "openmpi"}, "rules": [
        {"collective": "bcast", "num_ranks": 4, "num_nodes": 1, "min_bytes": 0, "max_bytes": null,
         "algorithm": "bcast/binomial", "reason": "measured"}]})";

inline Settings forced(std::string const& force) {
  return Settings::parse({.force = force}, "openmpi");
}

inline Settings with_profile(std::string const& text, std::string const& vendor = "openmpi") {
  return Settings::parse({.profile_path = "p.json", .profile = text}, vendor);
}

inline profile::CallForm nonblocking(Call call) {
  return {.call = call, .form = profile::Form::nonblocking};
}

inline NeighborForm blocking(NeighborCall call) {
  return {.call = call};
}

inline NeighborForm nonblocking(NeighborCall call) {
  return {.call = call, .form = profile::Form::nonblocking};
}

inline profile::CallForm persistent(profile::Call call) {
  return {.call = call, .form = profile::Form::persistent};
}

inline std::string decided(Settings const& settings, profile::CallForm call, int num_ranks) {
  std::vector<std::string> warnings;
  auto const table = decide(settings, call, {.num_ranks = num_ranks, .num_nodes = 1}, warnings);
  return table.at(1000).choice ? table.at(1000).choice->text() : "native";
}

inline std::string decided(Settings const& settings, Call call, int num_ranks) {
  return decided(settings, profile::CallForm{.call = call}, num_ranks);
}

}  // namespace espalier::plan
