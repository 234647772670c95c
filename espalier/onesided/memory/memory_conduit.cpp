// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/memory/memory_conduit.hpp"

#include <cstring>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"

namespace espalier::onesided {
namespace {

/// A number of barriers and a rank in one word, which is smaller with fewer barriers, and not 0.
constexpr int rank_bits = 24;

constexpr std::uint64_t packed(std::uint64_t num_barriers, int rank) noexcept {
  return ((num_barriers + 1) << rank_bits) | static_cast<std::uint64_t>(rank);
}

constexpr std::uint64_t barriers_of(std::uint64_t word) noexcept {
  return (word >> rank_bits) - 1;
}

constexpr std::uint64_t rank_of(std::uint64_t word) noexcept {
  return word & ((std::uint64_t{1} << rank_bits) - 1);
}

}  // namespace

MemoryConduit::MemoryConduit(Attached attached, SharedView view)
    : Conduit(std::move(attached)), view_(std::move(view)),
      postbox_(view_.shape, view_.areas, rank()) {}

std::byte* MemoryConduit::memory(Remote remote) const noexcept {
  return view_.segments[static_cast<std::size_t>(remote.rank)] + remote.offset;
}

std::atomic_ref<std::uint64_t> MemoryConduit::counter_at(Remote counter) const noexcept {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(memory(counter)));
}

// Copies inside of the own segment may overlap, hence memmove.
Conduit::Slot MemoryConduit::do_put(Remote to, void const* from, std::size_t num_bytes) {
  std::memmove(memory(to), from, num_bytes);
  return complete;
}

Conduit::Slot MemoryConduit::do_get(void* to, Remote from, std::size_t num_bytes) {
  std::memmove(to, memory(from), num_bytes);
  return complete;
}

Conduit::Slot
MemoryConduit::do_put_raising(Remote to, void const* from, std::size_t num_bytes, Raise raise) {
  if (num_bytes > 0) {
    std::memmove(memory(to), from, num_bytes);
  }
  counter_at({.rank = to.rank, .offset = raise.offset})
      .fetch_add(raise.amount, std::memory_order_release);
  return complete;
}

void MemoryConduit::do_post_put(Remote to, void const* from, std::size_t num_bytes) {
  std::memmove(memory(to), from, num_bytes);
}

void MemoryConduit::do_post_get(void* to, Remote from, std::size_t num_bytes) {
  std::memmove(to, memory(from), num_bytes);
}

bool MemoryConduit::try_fence() {
  return true;
}

bool MemoryConduit::is_local(Slot /*slot*/) {
  return true;
}

bool MemoryConduit::is_over(Slot /*slot*/) {
  return true;
}

void MemoryConduit::leave_to_fence(Slot /*slot*/) noexcept {}

bool MemoryConduit::try_signal(Remote counter, std::uint64_t amount) {
  counter_at(counter).fetch_add(amount, std::memory_order_release);
  return true;
}

std::uint64_t MemoryConduit::load_counter(std::uint64_t offset) {
  return counter_at({.rank = rank(), .offset = offset}).load(std::memory_order_acquire);
}

bool MemoryConduit::try_send(Outgoing const& outgoing) {
  if (!postbox_.has_room(outgoing.rank, outgoing.is_reply)) {
    return false;
  }
  note_post(outgoing);
  if (outgoing.kind == MessageKind::long_message && !outgoing.payload.empty()) {
    std::memmove(
        memory({.rank = outgoing.rank, .offset = outgoing.offset}),
        outgoing.payload.data(),
        outgoing.payload.size()
    );
  }
  postbox_.post(outgoing);
  return true;
}

/// Replies first: who waits for room to send a request waits for them.
void MemoryConduit::do_poll() {
  if (!postbox_.has_news()) [[likely]] {
    return;
  }
  postbox_.set_left(true);  // A handler may throw.
  bool has_left = false;
  for (bool const is_reply : {true, false}) {
    for (int source = 0; source < num_ranks(); ++source) {
      has_left = take(source, is_reply) || has_left;
    }
  }
  postbox_.set_left(has_left);
}

/// Hands over what a rank sent, but no more than fits into its channel, so that nobody who polls
/// stays in it for ever. True if something may be left.
bool MemoryConduit::take(int source, bool is_reply) {
  for (std::uint32_t i = 0; i < exec::node::num_lines; ++i) {
    if (!is_reply && !postbox_.has_room(source, true)) {
      return true;
    }
    Postbox::Taken const taken = postbox_.take(source, is_reply);
    if (!taken.is_there()) {
      return false;
    }
    PostLine& line = *taken.line;
    bool const is_long = line.kind == MessageKind::long_message;
    note_delivery(source, is_reply);
    deliver({
        .source = source,
        .is_reply = is_reply,
        .handler = line.handler,
        .payload = {is_long ? own_segment() + line.offset : taken.payload, line.num_bytes},
        .arguments = {line.arguments.data(), line.num_arguments},
    });
  }
  return true;
}

void MemoryConduit::note_post(Outgoing const& /*outgoing*/) {}

void MemoryConduit::note_delivery(int /*source*/, bool /*is_reply*/) {}

void MemoryConduit::do_notify() {
  ++num_barriers_;
  view_.arrivals->num_notified.fetch_add(1, std::memory_order_acq_rel);
}

bool MemoryConduit::has_passed() {
  std::uint64_t const all = num_barriers_ * static_cast<std::uint64_t>(num_ranks());
  return view_.arrivals->num_notified.load(std::memory_order_acquire) >= all;
}

void MemoryConduit::note_end() noexcept {
  std::uint64_t const own = packed(num_barriers_, rank());
  std::uint64_t least = view_.departures->least.load(std::memory_order_relaxed);
  while ((least == 0 || own < least) &&
         !view_.departures->least.compare_exchange_weak(least, own, std::memory_order_acq_rel)) {
  }
  view_.departures->num_ended.fetch_add(1, std::memory_order_acq_rel);
}

void MemoryConduit::do_wait(exec::node::Patience& patience) {
  if (let_pass(patience)) {
    require_others();
  }
}

void MemoryConduit::require_others() {
  std::uint64_t const least = view_.departures->least.load(std::memory_order_acquire);
  if (least != 0) [[unlikely]] {
    require_barrier(least);
    require_company();
  }
}

/// @param least  of Departures
void MemoryConduit::require_barrier(std::uint64_t least) const {
  if (barriers_of(least) < num_barriers_) {
    throw Error(
        ErrorCode::io,
        formatted(
            "expected all ranks in barrier {} of the conduit, but rank {} has ended its conduit "
            "after {}",
            num_barriers_,
            rank_of(least),
            barriers_of(least)
        )
    );
  }
}

/// What this rank waits for is looked at once more after all others were seen to have ended: it may
/// be the last that one of them did.
void MemoryConduit::require_company() {
  auto const num_others = static_cast<std::uint64_t>(num_ranks()) - 1;
  bool const was_alone = std::exchange(
      is_alone_, view_.departures->num_ended.load(std::memory_order_acquire) == num_others
  );
  if (was_alone && !postbox_.has_news()) {
    throw Error(
        ErrorCode::io,
        formatted(
            "expected others to do what rank {} waits for, but all have ended their conduits",
            rank()
        )
    );
  }
}

}  // namespace espalier::onesided
