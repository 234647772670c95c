// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/threads/checked_conduit.hpp"

#include <functional>
#include <utility>

namespace espalier::onesided {

CheckedConduit::CheckedConduit(
    ThreadWorld& world, Shadow& shadow, int rank, std::vector<Handler> handlers
)
    : ThreadConduit(world, rank, std::move(handlers)), shadow_(shadow) {}

/// Memory of this rank, if others reach it.
std::optional<Span>
CheckedConduit::local(AccessKind kind, void const* memory, std::size_t num_bytes) const {
  auto const* const begin = static_cast<std::byte const*>(memory);
  std::byte const* const first = segment().data();
  std::less<> const is_before;
  if (is_before(begin, first) || !is_before(begin, first + segment().size())) {
    return std::nullopt;
  }
  return Span{
      .kind = kind,
      .remote = {.rank = rank(), .offset = static_cast<std::uint64_t>(begin - first)},
      .num_bytes = num_bytes,
  };
}

Conduit::Slot CheckedConduit::do_put(Remote to, void const* from, std::size_t num_bytes) {
  Slot const slot = shadow_.begin(
      rank(), {AccessKind::put, to, num_bytes}, local(AccessKind::get, from, num_bytes)
  );
  ThreadConduit::do_put(to, from, num_bytes);
  return slot;
}

Conduit::Slot CheckedConduit::do_get(void* to, Remote from, std::size_t num_bytes) {
  Slot const slot = shadow_.begin(
      rank(), {AccessKind::get, from, num_bytes}, local(AccessKind::put, to, num_bytes)
  );
  ThreadConduit::do_get(to, from, num_bytes);
  return slot;
}

Conduit::Slot
CheckedConduit::do_put_raising(Remote to, void const* from, std::size_t num_bytes, Raise raise) {
  shadow_.raise_after(
      rank(), {AccessKind::put, to, num_bytes}, {.rank = to.rank, .offset = raise.offset}
  );
  return ThreadConduit::do_put_raising(to, from, num_bytes, raise);
}

void CheckedConduit::do_post_put(Remote to, void const* from, std::size_t num_bytes) {
  posted_.push_back(do_put(to, from, num_bytes));
}

void CheckedConduit::do_post_get(void* to, Remote from, std::size_t num_bytes) {
  posted_.push_back(do_get(to, from, num_bytes));
}

bool CheckedConduit::try_fence() {
  for (Slot const slot : posted_) {
    shadow_.end(rank(), slot);
  }
  posted_.clear();
  return true;
}

bool CheckedConduit::is_local(Slot slot) {
  shadow_.end_local(rank(), slot);
  return true;
}

bool CheckedConduit::is_over(Slot slot) {
  shadow_.end(rank(), slot);
  return true;
}

void CheckedConduit::leave_to_fence(Slot slot) noexcept {
  posted_.push_back(slot);
}

bool CheckedConduit::try_signal(Remote counter, std::uint64_t amount) {
  shadow_.raise(rank(), counter);
  return ThreadConduit::try_signal(counter, amount);
}

/// What was raised before the look is in the shadow, as raises are noted before they are made.
std::uint64_t CheckedConduit::load_counter(std::uint64_t offset) {
  std::uint64_t const value = ThreadConduit::load_counter(offset);
  shadow_.look(rank(), offset);
  return value;
}

void CheckedConduit::note_post(Outgoing const& outgoing) {
  bool const is_long = outgoing.kind == MessageKind::long_message;
  Span const written{
      .kind = AccessKind::put,
      .remote = {.rank = outgoing.rank, .offset = outgoing.offset},
      .num_bytes = is_long ? outgoing.payload.size() : 0,
  };
  shadow_.send(rank(), outgoing.rank, outgoing.is_reply, written);
}

void CheckedConduit::note_delivery(int source, bool is_reply) {
  shadow_.deliver(rank(), source, is_reply);
}

void CheckedConduit::do_notify() {
  shadow_.notify(rank());
  ThreadConduit::do_notify();
}

bool CheckedConduit::has_passed() {
  bool const result = ThreadConduit::has_passed();
  if (result) {
    shadow_.pass(rank());
  }
  return result;
}

}  // namespace espalier::onesided
