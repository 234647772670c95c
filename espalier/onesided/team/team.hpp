// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "espalier/onesided/conduit.hpp"
#include "espalier/onesided/team/scratch_space.hpp"
#include "espalier/onesided/team/team_collective.hpp"

namespace espalier::onesided {

/// One collective that was started on a team. It is waited for once.
class Ticket {
public:
  Ticket() = default;

private:
  friend class Team;

  Ticket(std::size_t slot, std::uint64_t number) noexcept : slot_(slot), number_(number) {}

  std::size_t slot_ = 0;
  std::uint64_t number_ = 0;  ///< 0: nothing was started
};

/// Ranks that run collectives together. All members start the same collectives in the same order,
/// and complete them in any order. Any number of them may be underway.
///
/// Nothing goes on by itself: `progress`, and every call that waits, moves on all collectives of
/// this team. Used by the thread of its conduit.
class Team {
public:
  /// Waits for nobody. Refers to the conduit.
  /// @param members  the rank on the conduit of each rank of the team
  /// @param scratch  of the segments of all members, for the team alone; zero on all of them before
  ///     the first member starts anything, as segments are after attaching
  /// @throws Error argument if this rank is no member, members are named twice or do not exist, or
  ///     the region is too small.
  Team(Conduit& conduit, std::vector<int> members, Region scratch);
  Team(Team const&) = delete;
  Team& operator=(Team const&) = delete;
  Team(Team&&) = delete;
  Team& operator=(Team&&) = delete;
  ~Team() = default;

  [[nodiscard]] int rank() const noexcept { return rank_; }

  [[nodiscard]] int num_ranks() const noexcept { return static_cast<int>(members_.size()); }

  /// The rank on the conduit of each rank of the team.
  [[nodiscard]] std::vector<int> const& members() const noexcept { return members_; }

  /// The rank on the conduit of a rank of the team. @throws Error argument if there is none.
  [[nodiscard]] int conduit_rank(int rank) const;

  /// The rank in the team of a rank of the conduit; none if it is no member. Looks at all members.
  /// @throws Error argument if the conduit has no such rank.
  [[nodiscard]] std::optional<int> rank_of(int conduit_rank) const;

  /// Starts a collective. If it needs scratch space it is held until there is some. What `own` and
  /// `all` refer to stays until it is over.
  /// @param own  what synchronization modes say of user buffers begins here
  /// @param all  by rank of the team; empty with schedule::AddressMode::local
  /// @throws Error argument if the collective is of another number of ranks, or needs more scratch
  ///     space than the region has for one.
  [[nodiscard]] Ticket start(
      std::shared_ptr<TeamCollective const> const& collective,
      UserBuffers const& own,
      std::span<UserPlaces const> all
  );
  /// Whether this rank has left the collective. Then the ticket is used up.
  /// @throws Error argument for a ticket that is used up.
  [[nodiscard]] bool test(Ticket& ticket);
  void wait(Ticket& ticket);
  /// Moves on what can go on. Does not wait.
  void progress();
  /// The same without polling the conduit.
  void move_on();

  /// Empty if there is scratch space for the collective, otherwise why not. Equal on all members.
  [[nodiscard]] std::string refusal(TeamCollective const& collective) const {
    auto const need = collective.need();
    return need ? scratch_.refusal(*need) : "";
  }

  /// This rank starts nothing more. Once.
  /// @throws Error argument if a collective is underway.
  void close();

  /// Whether all members have closed the team, and nothing will be written to the scratch region of
  /// this rank any more: then it may become that of another team, when it is zero. Progress moves
  /// it on.
  [[nodiscard]] bool is_closed() const noexcept { return scratch_.is_closed(); }

private:
  enum class Stage : std::uint8_t { unused, held, underway, over };

  /// So many runs are looked at in each poll, and keep memory, though they are unused.
  static constexpr std::size_t most_kept = 16;

  /// A run of a collective. Its runner stays for the next run of the same collective.
  struct Run {
    std::shared_ptr<TeamCollective const> collective;
    std::unique_ptr<Runner> runner;
    std::optional<Lease> lease;  ///< none: it needs no scratch space
    UserBuffers own;
    std::span<UserPlaces const> all;
    std::uint64_t number = 0;
    Stage stage = Stage::unused;
  };

  Run& run_for(std::shared_ptr<TeamCollective const> const& collective);
  Run& run_of(Ticket const& ticket);
  void move_on(Run& run);

  Conduit& conduit_;
  std::vector<int> members_;
  int rank_ = -1;
  ScratchSpace scratch_;
  std::vector<Run> runs_;
  std::uint64_t num_started_ = 0;
};

}  // namespace espalier::onesided
