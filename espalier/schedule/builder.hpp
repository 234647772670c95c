// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include "espalier/schedule/program.hpp"

namespace espalier::schedule {

/// Blocks first .. first + num_blocks - 1 of the result (modulo its size), as algorithms write it.
[[nodiscard]] Slot blocks(int first, int num_blocks = 1, int stride = 1) noexcept;

/// Writes a RankProgram operation by operation.
///
/// Operations of a round start together and wait for everything written in earlier rounds; nothing
/// waits for an earlier send, unless wait_for_sends() says so. Block numbers and strides may be
/// negative or too large: they are taken modulo the size of the buffer. A list of slots with no
/// block adds nothing.
class Builder {
public:
  Builder(Frame frame, int rank);
  /// Continues a program: new operations wait for all its writes, in the round after its last one.
  explicit Builder(RankProgram program);

  Builder& send(int peer, Slot slot) { return send(peer, {&slot, 1}); }

  Builder& send(int peer, std::span<Slot const> slots);

  Builder& recv(int peer, Slot slot) { return recv(peer, {&slot, 1}); }

  Builder& recv(int peer, std::span<Slot const> slots);

  /// A receive that is counted in `round` and, of what was written, waits only for writes among the
  /// first `after` operations: for none if its memory is new. What else belongs to the round going
  /// on does not wait for it; later rounds do.
  Builder& recv_ahead(int round, int peer, Slot slot, int after = 0);

  Builder& copy(Slot destination, Slot source) { return copy({&destination, 1}, {&source, 1}); }

  Builder& copy(std::span<Slot const> destination, std::span<Slot const> source);

  /// destination = source (op) destination.
  Builder& reduce(Slot destination, Slot source) { return reduce({&destination, 1}, {&source, 1}); }

  Builder& reduce(std::span<Slot const> destination, std::span<Slot const> source);

  /// A collective of the MPI library, of which this rank is a member. Waits for everything before.
  Builder& native(NativeCall call, std::span<Slot const> results, std::span<Slot const> sources);

  /// A message without data, for those who have nothing to say but that they are here.
  Builder& send_signal(int peer);
  Builder& recv_signal(int peer);

  /// Writes slots in the memory of the peer, which must not wrap, and then raises its counter.
  Builder& put(int peer, Slot slot, Slot source, int counter = no_counter) {
    return put(peer, {&slot, 1}, {&source, 1}, counter);
  }

  Builder&
  put(int peer, std::span<Slot const> slots, std::span<Slot const> sources, int counter = no_counter
  );

  /// Writes slots with what stands in the memory of the peer, where nothing wraps.
  Builder& get(int peer, Slot slot, Slot source) { return get(peer, {&slot, 1}, {&source, 1}); }

  Builder& get(int peer, std::span<Slot const> slots, std::span<Slot const> sources);

  /// Raises a counter of the peer.
  Builder& signal(int peer, int counter);
  /// Complete when the own counter was raised so often.
  Builder& await(int counter, int arrivals = 1);

  /// An operation of another program, with its kind, peer, round and waits, on these blocks. The
  /// round going on becomes that of the operation, if it is later.
  Builder&
  repeat(Operation const& operation, std::span<Slot const> slots, std::span<Slot const> sources);

  /// Adds scratch blocks with the labels of these blocks and returns them, as one slot.
  Slot scratch(std::span<Slot const> like);

  Slot scratch(Slot like) { return scratch({&like, 1}); }

  /// What follows waits for everything sent so far: blocks that were sent may be written again.
  Builder& wait_for_sends();
  /// What follows waits for everything written so far.
  Builder& next_round();
  /// The same, and leaves out round numbers so that what follows is in `round`; not backwards.
  Builder& next_round(int round);

  [[nodiscard]] Frame const& frame() const noexcept { return program_.frame; }

  [[nodiscard]] int rank() const noexcept { return program_.rank; }

  [[nodiscard]] int round() const noexcept { return round_; }

  /// Sends among so many first operations are waited for by what follows.
  [[nodiscard]] int after_sends() const noexcept { return after_sends_; }

  [[nodiscard]] int num_operations() const noexcept {
    return static_cast<int>(program_.operations.size());
  }

  [[nodiscard]] RankProgram finish() &&;

private:
  void add(Kind kind, int peer, std::span<Slot const> slots, std::span<Slot const> sources);
  void append(Kind kind, int peer, std::span<Slot const> slots, std::span<Slot const> sources);
  [[nodiscard]] Slot wrapped(Slot slot) const;
  Range store(std::span<Slot const> slots);
  Range store_remote(std::span<Slot const> slots);

  RankProgram program_;
  int round_ = 0;
  int after_ = 0;
  int after_sends_ = 0;
};

}  // namespace espalier::schedule
