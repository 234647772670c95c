// SPDX-License-Identifier: Apache-2.0

/// @file
/// The schedule of one rank: what it sends, receives, puts, gets, copies and reduces, on which
/// blocks, and what each operation waits for. DESIGN.md has the IR on one page.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/schedule/collective.hpp"

namespace espalier::schedule {

/// Memory an operation works on. Which bytes a block is, is decided only at binding.
enum class Buffer : std::uint8_t {
  input,    ///< what the rank contributes; never written
  output,   ///< the result; for bcast also what the root contributes
  scratch,  ///< private to the program
};

/// Blocks first, first + stride, ... (num_blocks of them), all modulo the size of the buffer.
/// One slot describes a run that wraps, or the comb of blocks that sparbit sends.
///
/// In the memory of a peer nothing wraps: how large its buffers are is not known here.
struct Slot {
  Buffer buffer = Buffer::output;
  int first = 0;
  int num_blocks = 1;
  int stride = 1;

  friend bool operator==(Slot const&, Slot const&) = default;
};

enum class Kind : std::uint8_t {
  send,    ///< read slots, hand them to peer
  recv,    ///< write slots with what peer sent
  copy,    ///< write slots with sources
  reduce,  ///< slots = sources (op) slots: sources is the left operand, slots the right
  native,  ///< a collective of the MPI library: contributes sources, its results are slots
  put,     ///< write slots of the peer with sources, then raise a counter of the peer
  get,     ///< write slots with sources of the peer
  signal,  ///< raise a counter of the peer
  await,   ///< go on when an own counter was raised so often
};

/// Whether an operation acts on the memory of a peer that does nothing for it, or awaits that.
[[nodiscard]] constexpr bool is_one_sided(Kind kind) noexcept {
  return kind == Kind::put || kind == Kind::get || kind == Kind::signal || kind == Kind::await;
}

/// Whether `after` waits for an operation, which may write own memory, and not `after_sends`.
[[nodiscard]] constexpr bool writes(Kind kind) noexcept {
  return kind != Kind::send && kind != Kind::put && kind != Kind::signal;
}

/// Whether slots of the operation lie in the memory of the peer.
[[nodiscard]] constexpr bool has_remote_slots(Kind kind) noexcept {
  return kind == Kind::put;
}

/// The same for its sources.
[[nodiscard]] constexpr bool has_remote_sources(Kind kind) noexcept {
  return kind == Kind::get;
}

/// Positions [begin, end) in one of the program's arrays.
struct Range {
  int begin = 0;
  int end = 0;

  [[nodiscard]] int size() const noexcept { return end - begin; }

  friend bool operator==(Range const&, Range const&) = default;
};

/// A collective that the MPI library runs among some of the ranks, as one operation of each of
/// them.
///
/// Contributions and results are blocks of an operation, those of a member one after another and
/// the same number for each. Where both are the same blocks, the call is in place, and so is a
/// gather or an allgather of a part of the results and the root of a scatter without results.
struct NativeCall {
  Collective collective = Collective::allgather;
  int root = 0;              ///< place among the members
  std::vector<int> members;  ///< ranks in the order that the collective sees

  friend bool operator==(NativeCall const&, NativeCall const&) = default;
};

/// Tag of a put that raises no counter.
inline constexpr int no_counter = -1;

/// One step of a program.
///
/// It may start when all writes (recv, copy, reduce, get, await) among operations [0, after), all
/// sends (also put and signal) among operations [0, after_sends) and all operations in `waits` are
/// complete. Operations that may start are started in program order.
///
/// A send or receive without slots is a signal: a message without data that is always sent.
///
/// A put is complete when its sources may be written again. When its data are in the memory of the
/// peer is known only to who awaits the counter that it then raises: two puts, or a put and a
/// signal behind it, may overtake each other. A counter is zero at the start and has one awaited
/// number, which is how often it is raised in all: a flag is a counter awaited at 1.
///
/// A native call waits for all operations before it, and everything behind it waits for the call:
/// it may hold its rank until all members are there.
struct Operation {
  Kind kind = Kind::send;
  int peer = -1;  ///< send, recv, put, get, signal: the other rank; others: -1
  /// Messages between two ranks match by tag, then in order; native: which call; put, signal: the
  /// counter of the peer that is raised; await: the own counter.
  int tag = 0;
  int arrivals = 0;  ///< await: how often the counter must have been raised
  int round = 0;     ///< for counting, costs and drawings; execution does not look at it
  int after = 0;
  int after_sends = 0;
  Range slots{};    ///< all in one buffer
  Range sources{};  ///< copy, reduce, put, get: as many blocks as slots; native: any; one buffer
  Range waits{};    ///< into the program's waits: indices of earlier operations

  [[nodiscard]] bool writes() const noexcept { return schedule::writes(kind); }

  /// Whether `after` or `after_sends` make this operation wait for operation `index`, `other`.
  [[nodiscard]] bool waits_by_position(Operation const& other, int index) const noexcept {
    return index < (other.writes() ? after : after_sends);
  }

  friend bool operator==(Operation const&, Operation const&) = default;
};

/// Sizes of the buffers. Blocks with the same label have the same size on all ranks: block i of the
/// input has label input_like[i], and so for scratch; block i of the output has label i.
///
/// Only in an alltoall ranks have different results: what rank i sends to rank j has label
/// i * p + j, and output_like says so.
struct Frame {
  int num_ranks = 1;
  int num_output_blocks = 1;
  std::vector<int> input_like;
  std::vector<int> scratch_like;
  std::vector<int> output_like;  ///< empty: block i has label i

  [[nodiscard]] int num_blocks(Buffer buffer) const noexcept;
  /// The label of a block.
  [[nodiscard]] int like(Buffer buffer, int block) const noexcept;
  [[nodiscard]] int num_labels() const noexcept;
  friend bool operator==(Frame const&, Frame const&) = default;
};

/// The program of one rank: plain data, cheap to move, immutable once built.
/// Made by Builder, changed by the transforms, proved by verify, run by exec.
struct RankProgram {
  Frame frame;
  int rank = 0;
  std::vector<Operation> operations;
  std::vector<Slot> slot_pool;
  std::vector<int> wait_pool;
  std::vector<NativeCall> native_calls;

  [[nodiscard]] std::span<Slot const> slots(Operation const& operation) const noexcept;
  [[nodiscard]] std::span<Slot const> sources(Operation const& operation) const noexcept;
  [[nodiscard]] std::span<int const> waits(Operation const& operation) const noexcept;

  /// True if some operation has explicit waits: execution is then driven by completion, not by
  /// program order, and messages of a pair carry different tags.
  [[nodiscard]] bool is_dataflow() const noexcept { return !wait_pool.empty(); }

  /// Of an operation of kind native.
  [[nodiscard]] NativeCall const& native_call(Operation const& operation) const noexcept {
    return native_calls[static_cast<std::size_t>(operation.tag)];
  }

  [[nodiscard]] bool has_native_calls() const noexcept { return !native_calls.empty(); }

  /// Whether some operation is one-sided.
  [[nodiscard]] bool is_one_sided() const noexcept;
  /// Counters of this rank are numbered below this.
  [[nodiscard]] int num_counters() const noexcept;

  [[nodiscard]] int num_rounds() const noexcept;
  /// Messages that this rank starts: a get is one, too.
  [[nodiscard]] int num_messages_sent() const noexcept;
  /// Blocks that these messages move.
  [[nodiscard]] std::int64_t num_blocks_sent() const noexcept;
  /// Memory this program holds.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

  friend bool operator==(RankProgram const&, RankProgram const&) = default;
};

/// Rounds that a native call counts for: two in which its members meet, and one of messages.
inline constexpr int rounds_of_native_call = 3;

/// Number of blocks in a list of slots.
[[nodiscard]] std::int64_t num_blocks(std::span<Slot const> slots) noexcept;

/// Calls visit(buffer, block) for every block of the slots, in order.
template <typename Visitor>
void for_each_block(Frame const& frame, std::span<Slot const> slots, Visitor&& visit) {
  for (Slot const& slot : slots) {
    int const size = frame.num_blocks(slot.buffer);
    int block = slot.first;
    for (int i = 0; i < slot.num_blocks; ++i) {
      visit(slot.buffer, block);
      block += slot.stride;
      if (block >= size) {
        block -= size;
      }
    }
  }
}

/// The same for slots in the memory of a peer.
template <typename Visitor>
void for_each_remote_block(std::span<Slot const> slots, Visitor&& visit) {
  for (Slot const& slot : slots) {
    for (int i = 0; i < slot.num_blocks; ++i) {
      visit(slot.buffer, slot.first + i * slot.stride);
    }
  }
}

/// Calls visit(i) for every operation i that `operation` waits for; for some of them twice if it
/// waits for them both by position and explicitly.
template <typename Visitor>
void for_each_wait(RankProgram const& program, Operation const& operation, Visitor&& visit) {
  for (int const waited_for : program.waits(operation)) {
    visit(waited_for);
  }
  for (int i = 0; i < std::max(operation.after, operation.after_sends); ++i) {
    if (operation.waits_by_position(program.operations[static_cast<std::size_t>(i)], i)) {
      visit(i);
    }
  }
}

/// Puts slots behind the program's pool and returns where they stand.
[[nodiscard]] Range add_slots(RankProgram& program, std::span<Slot const> slots);

}  // namespace espalier::schedule
