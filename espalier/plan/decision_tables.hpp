// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <tuple>

#include "espalier/plan/notes.hpp"
#include "espalier/plan/settings/settings.hpp"
#include "espalier/profile/decision.hpp"

namespace espalier::plan {

/// What settings decide for each call and shape of a communicator, made when it is needed first.
/// Different threads may ask at the same time.
class DecisionTables {
public:
  /// Both must outlive the object.
  DecisionTables(Settings const& settings, Notes& notes) noexcept
      : settings_(&settings), notes_(&notes) {}

  /// Stays where it is. Warns of rules that cannot be followed.
  [[nodiscard]] profile::DecisionTable const&
  find(profile::CallForm call, profile::Shape const& shape);

  [[nodiscard]] std::size_t memory_bytes() const;

private:
  using Key = std::
      tuple<profile::Call, profile::Form, int, int, profile::Placement, profile::Topology, int>;

  Settings const* settings_;
  Notes* notes_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::map<Key, profile::DecisionTable> tables_;
};

}  // namespace espalier::plan
