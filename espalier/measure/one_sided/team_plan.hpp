// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/profile/call.hpp"

namespace espalier::measure {

/// A collective of a team that is to be tuned.
struct TeamRequest {
  profile::Call call = profile::Call::bcast;
  std::int64_t bytes = 0;  ///< of the whole result; 0 for barriers
};

/// What to tune of a team of all ranks, and in which modes: a file `espalier-team-plan`, version 1.
struct TeamPlan {
  static constexpr std::string_view schema = "espalier-team-plan";
  static constexpr int version = 1;

  std::string transport;  ///< as espalier_conduit_options has it; empty: chosen
  int in = 0;             ///< as espalier_sync
  int out = 0;
  bool has_local_addresses = false;
  bool is_anew = false;  ///< measure also what an earlier run measured
  double seconds = 1;    ///< for all requests together
  std::vector<TeamRequest> requests;

  /// @param origin name of the file, for messages.
  /// @throws Error format, one line: where, what was expected, what was found.
  static TeamPlan parse(std::string_view text, std::string_view origin);
};

/// What a member sends and gets in a collective of so many members, at most: the root's part.
struct TeamBuffers {
  std::int64_t block = 0;     ///< bytes of a part, or of the whole vector
  std::int64_t sent = 0;      ///< bytes of the send buffer
  std::int64_t received = 0;  ///< bytes of the receive buffer
};

/// Whole results that members cannot divide evenly are rounded down, but for one byte a block.
[[nodiscard]] TeamBuffers buffers_of(TeamRequest const& request, int num_members) noexcept;

}  // namespace espalier::measure
