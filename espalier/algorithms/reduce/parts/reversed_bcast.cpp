// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/reduce/parts/reversed_bcast.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {
namespace {

class Reversal {
public:
  Reversal(schedule::RankProgram const& bcast, int root)
      : builder_(output_frame(bcast.frame.num_ranks, bcast.frame.num_output_blocks), bcast.rank),
        is_root_(bcast.rank == root),
        pieces_(static_cast<std::size_t>(bcast.frame.num_output_blocks)) {}

  void begin(int round) { builder_.next_round(round); }

  void send(int peer, int piece) { builder_.send(peer, current(piece)); }

  void recv(int peer, int piece) {
    Piece& state = pieces_[static_cast<std::size_t>(piece)];
    std::optional<schedule::Slot>& place =
        is_root_ || state.partial.has_value() ? state.received : state.partial;
    if (!place.has_value()) {
      place = builder_.scratch(schedule::blocks(piece));
    }
    builder_.recv(peer, *place);
  }

  /// What the last recv() of this round got.
  void combine(int piece) {
    Piece const& state = pieces_[static_cast<std::size_t>(piece)];
    builder_.next_round(builder_.round());
    if (state.received.has_value()) {
      builder_.reduce(current(piece), *state.received);
    } else {
      builder_.reduce(*state.partial, schedule::blocks(piece));
    }
  }

  schedule::RankProgram finish() && { return std::move(builder_).finish(); }

private:
  struct Piece {
    std::optional<schedule::Slot> partial{};   ///< first received, then with all that was combined
    std::optional<schedule::Slot> received{};  ///< what comes later; at the root everything
  };

  [[nodiscard]] schedule::Slot current(int piece) const {
    return pieces_[static_cast<std::size_t>(piece)].partial.value_or(schedule::blocks(piece));
  }

  schedule::Builder builder_;
  bool is_root_;
  std::vector<Piece> pieces_;
};

}  // namespace

schedule::RankProgram reversed_bcast(schedule::RankProgram const& bcast, int num_rounds, int root) {
  Reversal reversal(bcast, root);
  auto const& operations = bcast.operations;
  for (auto next = operations.rbegin(); next != operations.rend();) {
    int const round = next->round;
    reversal.begin(num_rounds - 1 - round);
    std::optional<int> received;
    for (; next != operations.rend() && next->round == round; ++next) {
      int const piece = bcast.slots(*next).front().first;
      if (next->kind == schedule::Kind::recv) {
        reversal.send(next->peer, piece);
      } else {
        reversal.recv(next->peer, piece);
        received = piece;
      }
    }
    if (received.has_value()) {
      reversal.combine(*received);
    }
  }
  return std::move(reversal).finish();
}

}  // namespace espalier::algorithms
