// SPDX-License-Identifier: Apache-2.0

/// @file
/// One-sided programs from programs of messages: any schedule in rounds, for each synchronization
/// mode and in each of the ways in which [nishtala2009] moves data.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/schedule/program.hpp"
#include "espalier/schedule/synchronization.hpp"

namespace espalier::schedule {

/// Who knows the addresses of user buffers.
enum class AddressMode : std::uint8_t {
  single,  ///< every rank knows those of all ranks
  local,   ///< every rank knows its own
};

/// How the data of a message move.
enum class Mechanism : std::uint8_t {
  /// A put straight into the blocks of the receiver, which raises a counter of its own. The
  /// receiver says that it has entered if the mode wants it. Blocks that it has used before, as
  /// only
  /// reductions do, have a place in scratch memory for each message.
  signaling_put,
  /// A put into scratch memory of the receiver, one place for each message, which copies them.
  eager,
  /// The sender says that the data are ready, and the receiver gets them. It says that it has them
  /// if the mode, or what the sender writes next, wants it.
  rendezvous,
  /// Puts, of which those that the receiver awaits together raise one counter. Where addresses are
  /// not known they go into scratch memory.
  counting_put,
};

inline constexpr std::array all_address_modes{AddressMode::single, AddressMode::local};
inline constexpr std::array all_mechanisms{
    Mechanism::signaling_put, Mechanism::eager, Mechanism::rendezvous, Mechanism::counting_put
};

[[nodiscard]] std::string_view to_string(AddressMode addresses) noexcept;
[[nodiscard]] std::string_view to_string(Mechanism mechanism) noexcept;
/// @throws Error argument with the valid names, as does the next one.
[[nodiscard]] AddressMode parse_address_mode(std::string_view text);
[[nodiscard]] Mechanism parse_mechanism(std::string_view text);

/// Blocks cut into segments, which follow each other as in a pipeline.
struct Segments {
  int number = 1;
  int period = 1;  ///< rounds of messages after which the next segment begins

  friend bool operator==(Segments const&, Segments const&) = default;
};

/// What a one-sided program is made for. Equal on all ranks.
struct OneSidedForm {
  Synchronization mode{};
  AddressMode addresses = AddressMode::single;
  Mechanism mechanism = Mechanism::signaling_put;
  Segments segments{};
  /// The node of each rank, counted from 0: in barriers one rank of each node acts for the others.
  /// Empty: all ranks are equally far.
  std::vector<int> node_of_rank;

  friend bool operator==(OneSidedForm const&, OneSidedForm const&) = default;
};

/// Empty if the form is legal, otherwise the reason: what puts data where the user wants them needs
/// to know where that is.
[[nodiscard]] std::string refusal(OneSidedForm const& form);

/// The program of messages of a rank.
using ProgramOf = std::function<RankProgram(int rank)>;

/// What has to be known of all programs: a few words that one rank can find and tell all others.
struct Survey {
  int num_ranks = 1;
  int num_rounds = 0;
  /// Data flow in a tree from one rank to all: each other rank begins with its only receive.
  bool flows_down = false;
  /// Data flow in a tree from all ranks to one: each other rank ends with its only send. A chain
  /// flows both ways.
  bool flows_up = false;
  bool moves_data = false;       ///< false: a barrier
  bool waits_for_sends = false;  ///< some rank writes again what it has sent

  friend bool operator==(Survey const&, Survey const&) = default;
};

/// Whether a program is one of messages in rounds, without native calls.
[[nodiscard]] bool can_be_one_sided(RankProgram const& program) noexcept;

/// Looks at the programs of all ranks.
/// @throws Error unsupported as one_sided() does.
[[nodiscard]] Survey survey(int num_ranks, ProgramOf const& program_of);

/// The one-sided program of a rank; asks for its program of messages and for those of its peers.
///
/// - Every message becomes what the mechanism says; received scratch blocks get a place for each
///   message, so that the senders to one rank need not wait for each other.
/// - IN_ALLSYNC: where data flow down, that all have entered goes up the same tree first. Otherwise
///   signals in a barrier (OneSidedBarrier) say it.
/// - OUT_ALLSYNC: where data flow up, that they are there goes down the same tree last. Otherwise a
///   barrier follows.
/// - Segments: all that moves data or says of data is there once for each of them, with counters of
///   its own; that all have entered or may leave is said once.
/// - Rounds of the result are counted as messages follow each other: that receivers have entered is
///   one round before all others, and a round of rendezvous is two or three.
///
/// The program is one of dataflow, and an operation waits for what it waited for before and for its
/// own signals: a slow child does not hold up the others.
/// @throws Error unsupported if the form is refused, or a program is one-sided, a dataflow program
///     or has native calls.
[[nodiscard]] RankProgram
one_sided(int rank, OneSidedForm const& form, Survey const& found, ProgramOf const& program_of);

/// Those of all ranks. What peers have to know of each other is found once, not once for each peer.
[[nodiscard]] std::vector<RankProgram>
one_sided(OneSidedForm const& form, Survey const& found, ProgramOf const& program_of);

}  // namespace espalier::schedule
