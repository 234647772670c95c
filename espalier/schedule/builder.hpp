// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include "espalier/schedule/program.hpp"

namespace espalier::schedule {

/// Blocks first .. first + num_blocks - 1 of the result (modulo its size), as algorithms write it.
[[nodiscard]] Slot blocks(int first, int num_blocks = 1, int stride = 1) noexcept;

/// Writes a RankProgram operation by operation.
///
/// Operations of a round start together and wait for everything written in earlier rounds; a send
/// never waits for an earlier send. Block numbers and strides may be negative or too large: they
/// are taken modulo the size of the buffer. A list of slots with no block adds nothing.
class Builder {
public:
  Builder(Frame frame, int rank);
  /// Continues a program: new operations wait for all its writes, in the round after its last one.
  explicit Builder(RankProgram program);

  Builder& send(int peer, Slot slot) { return send(peer, {&slot, 1}); }

  Builder& send(int peer, std::span<Slot const> slots);

  Builder& recv(int peer, Slot slot) { return recv(peer, {&slot, 1}); }

  Builder& recv(int peer, std::span<Slot const> slots);

  Builder& copy(Slot destination, Slot source) { return copy({&destination, 1}, {&source, 1}); }

  Builder& copy(std::span<Slot const> destination, std::span<Slot const> source);

  /// destination = source (op) destination.
  Builder& reduce(Slot destination, Slot source) { return reduce({&destination, 1}, {&source, 1}); }

  Builder& reduce(std::span<Slot const> destination, std::span<Slot const> source);

  /// What follows waits for everything written so far.
  Builder& next_round();
  /// The same, and leaves out round numbers so that what follows is in `round`; not backwards.
  Builder& next_round(int round);

  [[nodiscard]] Frame const& frame() const noexcept { return program_.frame; }

  [[nodiscard]] int rank() const noexcept { return program_.rank; }

  [[nodiscard]] int round() const noexcept { return round_; }

  [[nodiscard]] RankProgram finish() &&;

private:
  void add(Kind kind, int peer, std::span<Slot const> slots, std::span<Slot const> sources);
  Range store(std::span<Slot const> slots);

  RankProgram program_;
  int round_ = 0;
  int after_ = 0;
};

}  // namespace espalier::schedule
