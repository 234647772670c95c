// SPDX-License-Identifier: Apache-2.0

/// @file
/// Which algorithm a planned collective gets: the one that the program names; else what the
/// settings of the job say, as under the preload library; else the MPI library's own.

#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/plan/settings/settings.hpp"
#include "espalier/profile/call.hpp"
#include "espalier/profile/decision.hpp"
#include "espalier/profile/shape.hpp"

namespace espalier::capi {

/// What serves a call, and why.
struct Way {
  algorithms::Choice const* choice = nullptr;  ///< null: the MPI library's own collective
  bool is_named = false;                       ///< by the program: there is no other way
  std::string why;

  [[nodiscard]] std::string name() const { return choice == nullptr ? "native" : choice->text(); }
};

/// What ways depend on besides the communicator.
struct WantedCall {
  profile::Call call = profile::Call::allreduce;
  int root = 0;
  std::int64_t bytes = 0;  ///< of the result, as rules have it
};

/// Decides for the collectives of one communicator; choices live as long as this. Used by one
/// thread at a time.
class Ways {
public:
  /// Collective over `own`: rank 0 reads the settings for all.
  /// @throws Error mpi.
  explicit Ways(mpi::OwnCommunicator const& own);

  /// What the program names, as "ring", "allreduce/ring[segments=4]" or "native". Local.
  /// @throws plan::ClassError that lists what can serve the call.
  [[nodiscard]] Way named(WantedCall const& wanted, std::string_view name);

  /// The program names nothing. Local, the same on all ranks.
  [[nodiscard]] Way unnamed(WantedCall const& wanted);

  /// What becomes of a way that turned out not to fit, for a reason that is the same on all ranks.
  /// @throws plan::ClassError as named(), if the program named it.
  [[nodiscard]] Way
  refused(WantedCall const& wanted, Way const& way, std::string const& reason) const;

private:
  profile::DecisionTable const& table(profile::Call call);
  [[noreturn]] void refuse(WantedCall const& wanted, std::string const& complaint) const;

  plan::Settings settings_;
  profile::Shape shape_;
  std::array<std::optional<profile::DecisionTable>, profile::num_calls> tables_{};
  std::list<algorithms::Choice> named_;
};

}  // namespace espalier::capi
