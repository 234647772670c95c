// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/choices/rank_order.hpp"
#include "espalier/schedule/one_sided.hpp"

namespace espalier::algorithms {

/// All algorithms, in the order of espalier/algorithms/CMakeLists.txt.
[[nodiscard]] std::span<Algorithm const* const> catalog() noexcept;

/// @throws Error argument with the valid names if there is no such algorithm.
[[nodiscard]] Algorithm const& find(Collective collective, std::string_view name);

using schedule::parse_collective;
using schedule::to_string;

/// An algorithm with arguments: `bcast/k_nomial[k=4,segments=8]`.
///
/// Every algorithm that can be segmented takes `segments=N` (number of segments) and
/// `burst=N` (how many of them a rank sends to another at the same time; 16) beside its own
/// parameters, and all but scan and exscan take `dealt=N`: ranks are on N nodes in turn, and the
/// algorithm sees them node by node (RankOrder::by_dealt_node; `dealt=12x12x8` are nodes that take
/// no more ranks than this).
class Choice {
public:
  /// @throws Error argument for an unknown collective, algorithm or key, or a value out of range.
  static Choice parse(std::string_view text);
  /// The same without the collective in front, as in `inner=ring`.
  static Choice parse(Collective collective, std::string_view text);

  /// A phase of another algorithm: `native` is the collective of the MPI library then. What takes
  /// no such phase says so when its arguments are parsed.
  static Choice parse_phase(Collective collective, std::string_view text);

  /// The collective of the MPI library by itself, where calling it is one of several ways to serve
  /// a request: `bcast/native`. Of a barrier there is no program.
  /// @throws Error unsupported if the library is not asked for the collective (scan, exscan).
  static Choice native(Collective collective);

  [[nodiscard]] Algorithm const& algorithm() const noexcept { return *algorithm_; }

  /// Whether some phase is a collective of the MPI library.
  [[nodiscard]] bool has_native_calls() const;

  [[nodiscard]] Collective collective() const noexcept { return algorithm_->collective; }

  [[nodiscard]] Arguments const& arguments() const noexcept { return arguments_; }

  [[nodiscard]] int num_segments() const noexcept { return num_segments_; }

  /// How one-sided programs are cut that are made of generate_whole().
  [[nodiscard]] schedule::Segments one_sided_segments(int num_ranks) const;

  /// Whether the algorithm sees the ranks in another order than theirs.
  [[nodiscard]] bool is_dealt() const noexcept { return !dealt_.empty(); }

  /// Canonical text: keys in the order of `espalier list`, integers without leading zeros.
  /// parse(text()) is the same choice.
  [[nodiscard]] std::string text() const;

  /// Empty if the algorithm works for this many ranks and this root, otherwise the reason.
  [[nodiscard]] std::string refuses(int num_ranks, int root) const;
  /// The program of one rank: in place, segments applied.
  /// @throws Error unsupported if refuses() is not empty; argument if rank or root is out of range.
  [[nodiscard]] schedule::RankProgram generate(int num_ranks, int root, int rank) const;
  /// The same as one piece, for who cuts it later.
  [[nodiscard]] schedule::RankProgram generate_whole(int num_ranks, int root, int rank) const;
  /// The program with the ranks in another order, segments applied; root and rank are ranks, not
  /// positions. What was dealt is ignored.
  /// @throws Error also unsupported for scan and exscan, which are about rank order.
  [[nodiscard]] schedule::RankProgram generate(RankOrder const& order, int root, int rank) const;
  /// The order in which the algorithm sees the ranks; nothing if it is theirs.
  /// @throws Error argument if they do not fit on the nodes they are said to be dealt to.
  [[nodiscard]] std::optional<RankOrder> order_of_ranks(int num_ranks) const;
  /// The program of a position in that order; it names positions, and blocks by position.
  /// @throws Error as generate(); root and position are positions.
  [[nodiscard]] schedule::RankProgram
  generate_at_position(int num_ranks, int root, int position) const;
  /// What the program is said to do, segments counted.
  /// @throws Error unsupported if refuses() is not empty.
  [[nodiscard]] Facts facts(int num_ranks, int root) const;
  /// The rounds of facts(), found without counting the rest where that is possible.
  /// @throws Error unsupported if refuses() is not empty.
  [[nodiscard]] int num_rounds(int num_ranks, int root) const;
  /// Reductions: what happens to the order of operands; what refuses() accepts.
  [[nodiscard]] OperandOrder order(int num_ranks, int root) const;
  /// Collectives without parts: into how many pieces the vector is cut; as one if refuses() is not
  /// empty, so that those made of phases may ask before they have asked whether these work.
  [[nodiscard]] int num_pieces(int num_ranks) const;
  /// Most messages that one rank sends per segment; 0 if it cannot be cut into segments.
  [[nodiscard]] int segment_period(int num_ranks) const;

  friend bool operator==(Choice const&, Choice const&) = default;

private:
  Choice(Algorithm const& algorithm, Arguments const& arguments);
  [[nodiscard]] Request request(int num_ranks, int root) const;
  [[nodiscard]] schedule::RankProgram
  generate_whole(RankOrder const& order, int root, int rank) const;
  [[nodiscard]] schedule::RankProgram in_segments(schedule::RankProgram program) const;
  void require_accepted(int num_ranks, int root) const;
  [[nodiscard]] std::string refuses_position(int num_ranks, int root) const;
  /// Where the algorithm sees a rank.
  [[nodiscard]] int position_of(int num_ranks, int rank) const;

  Algorithm const* algorithm_;
  Arguments arguments_;
  int num_segments_;
  std::vector<int> dealt_;
  Arguments own_arguments_;  // without segments and dealt: what the algorithm sees
};

/// Every variant of every algorithm of a collective that accepts this many ranks.
[[nodiscard]] std::vector<Choice> variants(Collective collective, int num_ranks);

}  // namespace espalier::algorithms
