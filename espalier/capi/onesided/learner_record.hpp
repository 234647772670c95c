// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "espalier/capi/onesided/conduit_object.hpp"
#include "espalier/onesided/team/team.hpp"

namespace espalier::capi {

/// Finds out whether all members of a team learn in the starts of a request (TeamLearner), or only
/// some: those would wait for ever for what they exchange, as members plan without each other. So
/// who learns asks before its first exchange.
///
/// Nobody answers, as who does not learn knows of nothing. Each member keeps a record where others
/// read it by gets:
///
///     | number of starts | the last two that began to learn | lonely |
///
/// A start has the same number on all members, and the one with which a request begins to learn is
/// written down before it is counted. A member whose count has got there, and that has not written
/// it down, does not learn. It is told so: the number is put into its word `lonely`.
///
/// The last two suffice. Who has begun asks about that before the first start of another request.
/// So when a member begins once more after that one, all have made that start, and have asked.
class LearnerRecord {
public:
  static constexpr std::uint64_t num_bytes = 64;

  /// Refers to the conduit and to the team.
  /// @param offset  of so many bytes in the segments of all members, which are 0 and nothing else
  LearnerRecord(espalier_conduit& conduit, onesided::Team const& team, std::uint64_t offset)
      : conduit_(&conduit), team_(&team), offset_(offset) {}

  /// Notes the first start of a request; returns which start of the team it is, from 1 on. Waits
  /// for nobody, unless another request has begun to learn here, and has not asked yet: then until
  /// all members have made that start.
  /// @param learns  it begins to learn
  std::uint64_t count_first(bool learns);

  /// Notes any other start. Waits for nobody.
  void count();

  /// A member that does not learn in what began with this start of this member. Waits until all
  /// members have made it. Once for each.
  [[nodiscard]] std::optional<int> other(std::uint64_t begin);

  /// Whether other members learn in what this one has begun, without learning, with this start.
  [[nodiscard]] bool is_lonely(std::uint64_t begin) const;

private:
  enum Word : std::uint64_t { starts, begins, lonely = begins + 2 };

  /// What is read of a member.
  using Words = std::array<std::uint64_t, 2>;

  struct Outcome {
    std::uint64_t begin;
    int other;
  };

  [[nodiscard]] std::uint64_t offset_of(std::uint64_t word) const noexcept;
  void write(std::uint64_t word, std::uint64_t value);
  void read(std::uint64_t word, std::function<bool(Words const&)> const& is_enough);
  void ask();

  espalier_conduit* conduit_;
  onesided::Team const* team_;
  std::uint64_t offset_;
  std::uint64_t num_starts_ = 0;
  std::uint64_t num_begun_ = 0;
  std::uint64_t open_ = 0;         ///< begin of what nobody has asked about here; 0: nothing
  std::vector<Outcome> outcomes_;  ///< where one does not learn, until the request wants to know
  std::vector<Words> words_;       ///< read last, of each member
};

}  // namespace espalier::capi
