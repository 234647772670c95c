// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/plan/learning/trials.hpp"
#include "espalier/plan/native_algorithms/wanted_native.hpp"
#include "espalier/plan/neighbors/neighbor_name.hpp"
#include "espalier/plan/topologies/machine_text.hpp"
#include "espalier/profile/call.hpp"
#include "espalier/profile/decision.hpp"
#include "espalier/profile/profile.hpp"
#include "espalier/watch/clock.hpp"

namespace espalier::plan {

struct SettingsText;

/// What learning may cost.
struct LearningBound {
  double seconds = 0.05;  ///< in any case
  double share = 0.01;    ///< of the time of the program, if that is more
};

/// Which choices pass messages inside a node through memory that its ranks share.
enum class NodeMemory : std::uint8_t {
  off,        ///< none; those that ask for it are not served
  automatic,  ///< those that ask for it
  on,         ///< all of them
};

/// Settings, interpreted. The same text gives the same settings on every rank.
struct Settings {
  /// What ESPALIER_FORCE says of one call; no choice means the native call.
  struct Forced {
    std::optional<algorithms::Choice> choice;
    std::string reason;
  };

  bool is_off = false;
  bool is_verbose = false;
  std::string statistics;
  using ForcedCalls = std::array<std::optional<Forced>, profile::num_calls>;
  /// What it says of calls in each form alone, by profile::Form.
  std::array<ForcedCalls, profile::all_forms.size()> forced;
  /// What it says of neighborhood collectives, of each form alone.
  std::array<std::optional<profile::Decision>, num_neighbor_forms> forced_neighbors;
  std::optional<profile::Profile> profile;
  std::string profile_path;
  /// None: nothing is tried while the program runs.
  std::optional<LearningBound> learning;
  /// What earlier runs learned, if they learned something.
  std::optional<profile::Profile> memory;
  std::vector<Trials> trials;  ///< of earlier runs
  /// What the administrator shares with all users, if there is something.
  std::optional<profile::Profile> site;
  std::string site_path;
  std::string memory_path;  ///< where what is learned goes; empty: nowhere
  std::string program;      ///< as in SettingsText
  std::string resting;      ///< as in SettingsText
  /// Whether communicators with a topology are reordered where the program permits it.
  bool maps_topologies = false;
  /// Whether the first reordering of a process is told on standard error.
  bool tells_mapping = false;
  /// Whether MPI_Dims_create gives what mapping::balanced_dims() does.
  bool balances_dims = false;
  MachineText machine;
  NodeMemory node_memory = NodeMemory::off;
  /// Whether a thread of ours moves nonblocking calls on, too.
  bool has_progress_thread = false;
  /// Waits that last longer than these nanoseconds are told; 0: nobody watches.
  watch::Time watch = 0;
  std::string watch_board;
  /// In each file of statistics: which of them are of one run.
  std::string run;
  /// What was wrong, one line each, with what is done instead.
  std::vector<std::string> warnings;

  /// Never throws for what a user wrote: problems become warnings, and calls stay native.
  /// @param vendor the MPI of this process, `openmpi` or `mpich`.
  static Settings parse(SettingsText const& text, std::string_view vendor);

  [[nodiscard]] bool watches() const noexcept { return watch > 0; }

  /// True if every call is looked at, also one that is native for sure.
  [[nodiscard]] bool records() const noexcept {
    return !is_off && (is_verbose || !statistics.empty() || watches());
  }

  /// What ESPALIER_FORCE says of a call that is no neighborhood's, null if nothing. What it says of
  /// a blocking call also holds for the nonblocking one, of which it says nothing by itself, and
  /// what holds for that also for the persistent one.
  [[nodiscard]] Forced const* forced_for(profile::CallForm call) const noexcept;

  /// The same of neighborhood collectives.
  [[nodiscard]] profile::Decision const* forced_for(NeighborForm one) const noexcept;

  /// True if some communicator may have a decision other than the native call.
  [[nodiscard]] bool may_choose(profile::CallForm call) const noexcept;

  [[nodiscard]] bool may_choose(profile::Call call) const noexcept {
    return may_choose(profile::CallForm{.call = call});
  }

  /// True if a call may have other decisions in this form than in the one before it.
  [[nodiscard]] bool tells_apart(profile::CallForm call) const noexcept;

  [[nodiscard]] bool may_choose(NeighborForm one) const noexcept;

  /// True if it may be so for any call.
  [[nodiscard]] bool may_choose_any() const noexcept;

  /// True if a rule or a forced choice may decide for some call, without anything that is learned.
  [[nodiscard]] bool has_choices() const noexcept;

  /// True if what earlier runs of a program that learns found out, or will try now, may serve some
  /// nonblocking call.
  [[nodiscard]] bool starts_what_was_learned() const noexcept;

  /// True if calls that make topologies are not simply handed over.
  [[nodiscard]] bool cares_for_topologies() const noexcept {
    return maps_topologies || balances_dims;
  }

  /// True if a choice of some rule, or a forced one, has native phases.
  [[nodiscard]] bool has_native_phases() const;

  /// True if a choice of some rule, or a forced one, asks for memory that ranks of a node share.
  [[nodiscard]] bool has_shared_memory_choices() const;

  /// True if some choice may be given that memory, also one that is only tried.
  [[nodiscard]] bool may_share_memory() const;

  /// Rules for exactly this shape that programs learned, those of this user before those of the
  /// site. What was learned of blocking calls serves no others: what is fastest alone may be slow
  /// beside other work.
  [[nodiscard]] std::vector<profile::Rule>
  learned_rules(profile::Shape shape, profile::Form form) const;

  /// The algorithms of the MPI library that rules and forced choices name, each once. Equal on all
  /// ranks, and in the same order.
  [[nodiscard]] std::vector<WantedNative> wanted_native() const;

  /// True if decisions depend on the number of nodes of a communicator.
  [[nodiscard]] bool needs_nodes() const noexcept;
};

/// Decisions for one call on communicators of one shape. A forced choice that does not accept this
/// number of ranks gives native decisions, and a line in `warnings`.
[[nodiscard]] profile::DecisionTable decide(
    Settings const& settings,
    profile::CallForm call,
    profile::Shape shape,
    std::vector<std::string>& warnings
);

[[nodiscard]] inline profile::DecisionTable decide(
    Settings const& settings,
    profile::Call call,
    profile::Shape shape,
    std::vector<std::string>& warnings
) {
  return decide(settings, profile::CallForm{.call = call}, shape, warnings);
}

/// Whether the profile was made for another kind of job: one line that says so and what to do; none
/// if some rule is near enough to this shape, or there is no profile.
[[nodiscard]] std::optional<std::string>
complaint_about_shape(Settings const& settings, profile::Shape job);

}  // namespace espalier::plan
