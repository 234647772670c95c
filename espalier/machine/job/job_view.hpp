// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "espalier/machine/sources/cpu_set.hpp"
#include "espalier/machine/sources/node_tree.hpp"

namespace espalier::machine {

/// What one rank sees of the place it runs at.
struct RankView {
  std::string processor_name{};         ///< may be empty
  int shared_group = 0;                 ///< lowest rank it shares memory with, itself included
  CpuSet allowed{};                     ///< processors it may run on; empty: not known
  std::string tree{};                   ///< key of its node's tree; empty: not known to this rank
  std::string launcher{};               ///< Launcher::name
  std::optional<int> num_ranks{};       ///< of the job, as the launcher says
  std::optional<int> num_local{};       ///< ranks on its node, as the launcher says
  std::vector<std::string> switches{};  ///< above its node, outermost first
  std::string warning{};                ///< what could not be found out, and why

  friend bool operator==(RankView const&, RankView const&) = default;
};

/// What all ranks see together.
struct JobView {
  std::vector<RankView> ranks;
  std::map<std::string, NodeTree> trees;  ///< by RankView::tree; equal nodes share one
  bool is_simulated = false;              ///< by SMPI: hardware says nothing about the ranks

  friend bool operator==(JobView const&, JobView const&) = default;
};

/// As one rank's part of a message.
[[nodiscard]] nlohmann::json to_json(RankView const& view);
/// With `schema` (`espalier-job-view`) and `version`.
[[nodiscard]] nlohmann::json to_json(JobView const& job);

/// The inverse of to_json().
/// @throws Error format
[[nodiscard]] RankView rank_view_from_json(nlohmann::json const& json);
[[nodiscard]] JobView job_view_from_json(nlohmann::json const& json);

}  // namespace espalier::machine
