// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/conduit.hpp"

#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::onesided {

Conduit::Conduit(Attached attached)
    : rank_(attached.rank), shares_processors_(attached.shares_processors),
      max_medium_bytes_(attached.max_medium_bytes),
      segment_(attached.segment, attached.segment_bytes[static_cast<std::size_t>(attached.rank)]),
      segment_bytes_(std::move(attached.segment_bytes)), handlers_(std::move(attached.handlers)) {}

std::uint64_t Conduit::segment_bytes(int rank) const {
  check_rank(rank);
  return segment_bytes_[static_cast<std::size_t>(rank)];
}

Handle Conduit::start_put(Remote to, void const* from, std::size_t num_bytes) {
  check_transfer("put", to, from, num_bytes);
  return {*this, num_bytes == 0 ? complete : do_put(to, from, num_bytes)};
}

Handle Conduit::start_get(void* to, Remote from, std::size_t num_bytes) {
  check_transfer("get", from, to, num_bytes);
  return {*this, num_bytes == 0 ? complete : do_get(to, from, num_bytes)};
}

Handle Conduit::start_put_raising(Remote to, void const* from, std::size_t num_bytes, Raise raise) {
  check_transfer("put", to, from, num_bytes);
  check_counter({.rank = to.rank, .offset = raise.offset});
  return {*this, do_put_raising(to, from, num_bytes, raise)};
}

void Conduit::put(Remote to, void const* from, std::size_t num_bytes) {
  Handle handle = start_put(to, from, num_bytes);
  wait(handle);
}

void Conduit::get(void* to, Remote from, std::size_t num_bytes) {
  Handle handle = start_get(to, from, num_bytes);
  wait(handle);
}

void Conduit::put_raising(Remote to, void const* from, std::size_t num_bytes, Raise raise) {
  Handle handle = start_put_raising(to, from, num_bytes, raise);
  wait(handle);
}

void Conduit::post_put(Remote to, void const* from, std::size_t num_bytes) {
  check_transfer("put", to, from, num_bytes);
  if (num_bytes > 0) {
    do_post_put(to, from, num_bytes);
  }
}

void Conduit::post_get(void* to, Remote from, std::size_t num_bytes) {
  check_transfer("get", from, to, num_bytes);
  if (num_bytes > 0) {
    do_post_get(to, from, num_bytes);
  }
}

void Conduit::fence() {
  check_outside_handler();
  wait_until([&] { return try_fence(); });
}

bool Conduit::test_fence() {
  check_outside_handler();
  do_poll();
  return try_fence();
}

bool Conduit::test_local(Handle& handle) {
  check_open(handle);
  if (handle.slot_ == complete) {
    return true;
  }
  do_poll();
  return is_local(handle.slot_);
}

void Conduit::wait_local(Handle& handle) {
  check_open(handle);
  wait_until([&] { return handle.slot_ == complete || is_local(handle.slot_); });
}

bool Conduit::test(Handle& handle) {
  check_open(handle);
  if (handle.slot_ != complete) {
    do_poll();
  }
  return look(handle);
}

bool Conduit::look(Handle& handle) {
  check_open(handle);
  if (handle.slot_ != complete && !is_over(handle.slot_)) {
    return false;
  }
  handle.state_ = Handle::over;
  return true;
}

void Conduit::wait(Handle& handle) {
  check_open(handle);
  wait_until([&] { return handle.slot_ == complete || is_over(handle.slot_); });
  handle.state_ = Handle::over;
}

void Conduit::signal(Remote counter, std::uint64_t amount) {
  check_outside_handler();
  check_counter(counter);
  wait_until([&] { return try_signal(counter, amount); });
}

bool Conduit::begin_signal(Remote counter, std::uint64_t amount) {
  check_outside_handler();
  check_counter(counter);
  return try_signal(counter, amount);
}

std::uint64_t Conduit::counter(std::uint64_t offset) {
  check_counter({.rank = rank_, .offset = offset});
  return load_counter(offset);
}

void Conduit::await(std::uint64_t offset, std::uint64_t at_least) {
  check_outside_handler();
  check_counter({.rank = rank_, .offset = offset});
  wait_until([&] { return load_counter(offset) >= at_least; });
}

void Conduit::send(Outgoing const& outgoing) {
  check_outside_handler();
  check_message(outgoing);
  wait_until([&] { return try_send(outgoing); });
}

bool Conduit::begin_send(Outgoing const& outgoing) {
  check_outside_handler();
  check_message(outgoing);
  return try_send(outgoing);
}

void Conduit::send_short(int rank, std::uint32_t handler, Arguments const& arguments) {
  send({.rank = rank, .handler = handler, .arguments = arguments});
}

void Conduit::send_medium(
    int rank, std::uint32_t handler, std::span<std::byte const> payload, Arguments const& arguments
) {
  send({
      .rank = rank,
      .kind = MessageKind::medium_message,
      .handler = handler,
      .payload = payload,
      .arguments = arguments,
  });
}

void Conduit::send_long(
    Remote to, std::uint32_t handler, std::span<std::byte const> payload, Arguments const& arguments
) {
  send({
      .rank = to.rank,
      .kind = MessageKind::long_message,
      .handler = handler,
      .offset = to.offset,
      .payload = payload,
      .arguments = arguments,
  });
}

void Conduit::poll() {
  check_outside_handler();
  do_poll();
}

bool Conduit::let_pass(exec::node::Patience& patience) {
  do_poll();
  bool is_time = false;
  patience.pause([&is_time] { is_time = true; });
  if (is_time) {
    look_around();
  }
  return is_time;
}

void Conduit::do_wait(exec::node::Patience& patience) {
  let_pass(patience);
}

void Conduit::notify() {
  check_outside_handler();
  if (has_notified_) {
    throw Error(ErrorCode::argument, "expected try_barrier() after notify(), got notify()");
  }
  do_notify();
  has_notified_ = true;
}

bool Conduit::try_barrier() {
  check_outside_handler();
  if (!has_notified_) {
    throw Error(ErrorCode::argument, "expected notify() before try_barrier()");
  }
  do_poll();
  has_notified_ = !has_passed();
  return !has_notified_;
}

void Conduit::barrier() {
  notify();
  wait_until([&] { return try_barrier(); });
}

void Conduit::deliver(Incoming const& incoming) {
  struct Inside {
    explicit Inside(bool& is_in_handler) : is_inside(is_in_handler) { is_inside = true; }

    Inside(Inside const&) = delete;
    Inside& operator=(Inside const&) = delete;
    Inside(Inside&&) = delete;
    Inside& operator=(Inside&&) = delete;

    ~Inside() { is_inside = false; }

    bool& is_inside;
  };

  Inside const inside(is_in_handler_);
  Message message(*this, incoming);
  handlers_[incoming.handler](message);
}

void Handle::drop() noexcept {
  conduit_->leave_to_fence(slot_);
}

}  // namespace espalier::onesided
