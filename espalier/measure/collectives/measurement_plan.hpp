// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/plan/settings/manner.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::measure {

/// What is done between the start of a nonblocking call and its completion.
struct WorkRequest {
  double seconds = 0.0;  ///< of computing, unless a function is called
  std::string library;   ///< file with the function; empty: computing
  std::string function;
  int num_tests = 0;  ///< MPI_Test between pieces of the work; each piece is a call of the function
};

/// One call and size, with the choices to compare with the native call, which is always measured.
struct PointRequest {
  profile::Call call = profile::Call::allgather;
  /// A nonblocking call is timed from its start to its completion, with the work in between.
  profile::Form form = profile::Form::blocking;
  WorkRequest work = {};
  std::int64_t bytes = 0;  ///< of the whole result
  /// `bcast/binomial`, or `profile/<name>`: what a session with this profile does.
  std::vector<std::string> choices;
  /// Of each rank's part, in bytes, where calls let parts differ; empty: as equal as they can be.
  std::vector<int> part_bytes;
  /// What each rank sends to each rank in alltoallv and alltoallw, whose mean over the ranks is
  /// `bytes`, rounded up; empty: parts as equal as they can be.
  std::vector<std::vector<int>> pair_bytes;
  std::optional<int> root;  ///< none: roots take turns
  plan::Operator op = plan::Operator::sum;
  bool is_in_place = false;  ///< with MPI_IN_PLACE where MPI allows it
  bool has_native = true;    ///< whether the native call is measured besides
  /// How much time the point may take beside the others: twice as much with 2 as with 1.
  double weight = 1.0;

  [[nodiscard]] profile::CallForm call_form() const noexcept {
    return {.call = call, .form = form};
  }
};

/// What choices of profiles begin with.
inline constexpr std::string_view profile_prefix = "profile/";

/// What to measure and when to stop: a file `espalier-measurement-plan`, version 1.
struct MeasurementPlan {
  static constexpr std::string_view schema = "espalier-measurement-plan";
  static constexpr int version = 1;

  std::uint64_t seed = 1;
  int warmup = 3;            ///< untimed repetitions before each batch of a point
  int min_repetitions = 20;  ///< before precision may end a point
  int max_repetitions = 200;
  /// Ends a point of weight 1 even before min_repetitions. So does its share, by weight, of what is
  /// left of `seconds`.
  double seconds_per_point = 0.5;
  double seconds = 3600.0;  ///< no point is begun after this time
  /// A point ends when every ratio is known to this share, or its candidate is clearly slower.
  double precision = 0.01;
  /// Where the time of a point does not suffice for all of its choices, the slowest are called once
  /// or not at all.
  bool leaves_out_slow = false;
  std::map<std::string, std::string> profiles;  ///< file by name, for choices `profile/<name>`
  bool spread = false;  ///< of each sample also the fastest and the mean rank
  /// Ranks of communicators on which calls are made at the same time, all of one size; empty: one
  /// communicator with all ranks. Ranks in none of them do nothing.
  std::vector<std::vector<int>> groups;
  std::vector<PointRequest> points;

  /// @param origin name of the file, for messages.
  /// @throws Error format, one line: where, what was expected, what was found.
  static MeasurementPlan parse(std::string_view text, std::string_view origin);
};

}  // namespace espalier::measure
