// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "espalier/plan/settings/statistics.hpp"

namespace espalier::plan {

/// What a session notes for its report, and says at once. Any thread may note something at any
/// time.
class Notes {
public:
  /// Receives warnings, one line each, possibly from several threads at once.
  using Log = std::function<void(std::string const&)>;

  explicit Notes(Log log) : log_(std::move(log)) {}

  /// Reports a line that was not reported before.
  void warn(std::string const& line);
  /// Adds a warning that was not added before; false if it was.
  bool remember(std::string const& line);
  void add(MappingNote note);
  /// True the first time it is asked with these words, for what is told once and is no warning.
  bool is_first(std::string const& words);
  /// Calls on a communicator that ended.
  void add(CommunicatorClass const& communicator, Recorder const& recorder, CountedForm form);
  /// Starts of a persistent call that was freed.
  void add(CommunicatorClass const& communicator, Recorder::Row const& counted, CountedForm form);
  void add(CommunicatorClass const& communicator, NeighborRecorder const& recorder);
  void add(OwnCommunicators const& made);

  [[nodiscard]] std::vector<std::string> warnings() const;
  [[nodiscard]] std::vector<MappingNote> mappings() const;
  /// Of communicators that ended.
  [[nodiscard]] Totals totals() const;

private:
  Log log_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::vector<std::string> warnings_;
  std::vector<MappingNote> mappings_;
  std::set<std::string> told_;
  Totals totals_;
};

}  // namespace espalier::plan
