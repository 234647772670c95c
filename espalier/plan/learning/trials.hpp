// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "espalier/learn/record.hpp"
#include "espalier/plan/learning/kind_of_calls.hpp"
#include "espalier/profile/profile.hpp"

namespace espalier::plan {

/// The trials of one kind of calls, of all runs. They are kept between runs, so that a program that
/// makes such calls rarely learns in several runs what one run has no time for.
struct Trials {
  KindOfCalls kind;
  std::int64_t num_calls = 0;  ///< on one communicator in the last run
  /// Of a native call. Until there was an exchange it is what one rank saw: waiting may be in
  /// there, and a root may be through long before others.
  double seconds = 0;
  double exchange_seconds = 0;          ///< that one costs; 0: there was none
  std::vector<std::string> algorithms;  ///< of the candidates beside the native call, in order
  learn::Record record;  ///< of these and the native call; without any if none is known
  /// They come from a search that took its time. In the calls of a program there is little.
  bool is_thorough = false;

  /// Something was looked for, and may be tried.
  [[nodiscard]] bool has_candidates() const noexcept { return !record.candidates.empty(); }

  /// Whether a native call takes `seconds`. Not if a rank may be through before others, and there
  /// was no exchange.
  [[nodiscard]] bool is_native_known() const noexcept;

  /// One more candidate, behind the native call.
  /// @param predicted  seconds by a model
  void add(std::string algorithm, double predicted);

  /// Seconds that a run spends in such calls: what is at stake. If nobody knows what the native
  /// call takes, as long as the best candidate by a model, or as one rank saw, whichever is more.
  [[nodiscard]] double stake() const noexcept;

  friend bool operator==(Trials const&, Trials const&) = default;
};

/// What came to `later` since it was `earlier`.
[[nodiscard]] Trials since(Trials const& later, Trials const& earlier);

/// What is known of a kind after one more run, or on one more communicator. If the two have other
/// candidates, those of a thorough search stay, or else those that ran for more rounds.
/// @param is_same_run  the calls of both were made in one run
[[nodiscard]] Trials joined(Trials const& earlier, Trials const& more, bool is_same_run);

[[nodiscard]] nlohmann::json to_json(Trials const& trials);
/// Of the member `trials` of a profile; none if there is no such member.
/// @throws Error format, one line.
[[nodiscard]] std::vector<Trials> trials_from_json(
    nlohmann::json const& document,
    std::string_view origin,
    profile::Unknown unknown = profile::Unknown::fails
);
/// Those of algorithms that this version does not know, as they are: an array.
/// @throws Error format, one line.
[[nodiscard]] nlohmann::json
unknown_trials(nlohmann::json const& document, std::string_view origin);

}  // namespace espalier::plan
