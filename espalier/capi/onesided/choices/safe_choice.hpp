// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a collective of a team is planned with where nothing is named and nothing was measured.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/schedule/one_sided.hpp"

namespace espalier::capi {

/// What may decide: equal on all members.
struct SafeRequest {
  schedule::Collective collective = schedule::Collective::barrier;
  int num_ranks = 1;
  int root = 0;
  std::int64_t block_bytes = 0;  ///< what one rank contributes, or gets, of a part; the mean
  bool has_uneven_blocks = false;
  bool needs_rank_order = false;
  bool is_reproducible = false;  ///< operands are combined from the left in rank order
  schedule::Synchronization mode{};
  schedule::AddressMode addresses = schedule::AddressMode::single;

  friend bool operator==(SafeRequest const&, SafeRequest const&) = default;
};

/// What a caller names of a choice: it is in place of what would be chosen.
struct NamedParts {
  std::optional<algorithms::Choice> algorithm = std::nullopt;
  std::optional<schedule::Mechanism> mechanism = std::nullopt;

  [[nodiscard]] bool is_all() const noexcept { return algorithm && mechanism; }

  friend bool operator==(NamedParts const&, NamedParts const&) = default;
};

struct SafeChoice {
  algorithms::Choice choice;
  schedule::Mechanism mechanism;

  friend bool operator==(SafeChoice const&, SafeChoice const&) = default;
};

/// All that is tried, best first; later ones serve where the scratch space of earlier ones does not
/// suffice, or where a caller names a part of it. All are legal, and there always is one.
///
/// After [nishtala2009], 5.2 to 5.4 and 6.1:
/// - rooted collectives take k-nomial trees with k = 4 for small blocks, which is best nearly
///   everywhere, and binary trees for large ones, whose ranks have little to send each; parts that
///   are large go to their ranks at once;
/// - long vectors go through trees of many ranks in segments, as in a pipeline, which is ours;
/// - reproducible reductions are flat, or a chain, whose ranks need less scratch space;
/// - other collectives take few rounds for small blocks and move nothing twice for large ones;
/// - data go straight to where they belong if that is known (signaling puts); but where a receiver
///   would first have to say that it has entered, a small block is kept for it meanwhile, and so
///   are all blocks where its address is not known (eager).
[[nodiscard]] std::vector<SafeChoice> safe_choices(SafeRequest const& request);

/// The same with what is named, which serves, in place of what is chosen; each of them once.
[[nodiscard]] std::vector<SafeChoice>
safe_choices(SafeRequest const& request, NamedParts const& named);

/// An algorithm of the catalog, or the collective of the MPI library: `bcast/native`.
/// @throws Error argument as algorithms::Choice::parse().
[[nodiscard]] algorithms::Choice parse_choice(std::string_view text);

/// Whether it is the collective of the MPI library.
[[nodiscard]] bool runs_natively(algorithms::Choice const& choice) noexcept;

/// The collective of the MPI library, in place of which a vendor's hardware may work: a candidate
/// that no rule prefers, section 5.6 of [nishtala2009]. It has no mechanism of ours; that of the
/// choice says nothing. None if it cannot serve, or if a part of something else is named.
[[nodiscard]] std::optional<SafeChoice>
native_choice(SafeRequest const& request, NamedParts const& named);

/// The legal mechanisms, best first.
[[nodiscard]] std::vector<schedule::Mechanism> legal_mechanisms(SafeRequest const& request);

/// Empty if a mechanism can serve, otherwise why not and what can. Buffers of programs that nobody
/// knows may lie outside of segments, where nobody reaches them.
[[nodiscard]] std::string refusal(schedule::Mechanism mechanism, SafeRequest const& request);

/// Whether a choice can serve: the number of ranks, the root, the sizes of blocks, the order of
/// operands.
[[nodiscard]] bool serves(algorithms::Choice const& choice, SafeRequest const& request);

}  // namespace espalier::capi
