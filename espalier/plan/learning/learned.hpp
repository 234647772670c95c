// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "espalier/plan/learning/lesson.hpp"
#include "espalier/plan/learning/programs.hpp"
#include "espalier/plan/learning/trials.hpp"

namespace espalier::plan {

/// What a program learned.
struct Learned {
  std::vector<Lesson> lessons;  ///< of a kind as many as communicators that found something
  std::vector<Trials> trials;   ///< what came to the evidence in this run
  double saved_seconds = 0;     ///< by what runs in place of native calls; of the rank with most

  [[nodiscard]] bool empty() const noexcept { return lessons.empty() && trials.empty(); }

  /// What another process of the same run learned.
  void add(Learned const& other);

  friend bool operator==(Learned const&, Learned const&) = default;
};

/// As bytes of a message; learned_from_bytes() is the inverse.
[[nodiscard]] std::string to_bytes(Learned const& learned);
/// @throws Error format
[[nodiscard]] Learned learned_from_bytes(std::string_view bytes);

/// A profile with what it said, and with the lessons in place of rules for the same calls. Of
/// lessons about the same calls the majority counts; where there is none, they change no rule, and
/// trials go on. Evidence is added to that of earlier runs, and becomes a rule as soon as it
/// suffices. Rules and trials of algorithms that this version does not know stay as they are,
/// unless a lesson takes the place of such a rule.
/// @param document text of a profile; empty: there is none yet
/// @param origin of it, for messages
/// @param program  that learned it, as SettingsText::program
/// @param run  its `seconds` and `cost_seconds`
/// @param library_version  of the MPI library, as short_version()
/// @throws Error format if the document is no profile, or one of another MPI.
[[nodiscard]] std::string with_learned(
    std::string_view document,
    std::string_view origin,
    Learned const& learned,
    std::string_view program,
    RunsOfProgram run,
    std::string_view library_version
);

/// Whether all rules that run something else than the native call come from trials that it keeps.
/// What others save is not known: somebody may have tuned or merged them.
/// @param document  a profile
[[nodiscard]] bool knows_what_rules_save(nlohmann::json const& document);

}  // namespace espalier::plan
