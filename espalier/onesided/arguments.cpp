// SPDX-License-Identifier: Apache-2.0

/// @file
/// What calls refuse before they do anything, and in which words.

#include <algorithm>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/onesided/conduit.hpp"

namespace espalier::onesided {
namespace {

[[noreturn]] void refuse(std::string const& text) {
  throw Error(ErrorCode::argument, text);
}

}  // namespace

Arguments::Arguments(std::initializer_list<std::uint64_t> values)
    : Arguments(std::span<std::uint64_t const>(values.begin(), values.size())) {}

Arguments::Arguments(std::span<std::uint64_t const> values) : num_values_(values.size()) {
  if (values.size() > max_arguments) {
    refuse(formatted("expected at most {} arguments, got {}", max_arguments, values.size()));
  }
  std::ranges::copy(values, values_.begin());
}

void require_handlers(std::size_t num_handlers, std::size_t num_expected) {
  if (num_handlers != num_expected || num_handlers > max_handlers) {
    refuse(formatted(
        "expected {} handlers as on the other ranks, and at most {}, got {}",
        num_expected,
        max_handlers,
        num_handlers
    ));
  }
}

void Conduit::check_outside_handler() const {
  if (is_in_handler_) [[unlikely]] {
    refuse("expected nothing but a reply from a handler, got another call");
  }
}

void Conduit::check_rank(int rank) const {
  if (rank < 0 || rank >= num_ranks()) [[unlikely]] {
    refuse(formatted("expected a rank in 0 .. {}, got {}", num_ranks() - 1, rank));
  }
}

void Conduit::check_range(char const* action, Remote remote, std::uint64_t num_bytes) const {
  check_rank(remote.rank);
  std::uint64_t const size = segment_bytes_[static_cast<std::size_t>(remote.rank)];
  if (remote.offset > size || num_bytes > size - remote.offset) [[unlikely]] {
    refuse(formatted(
        "expected a {} inside the segment of rank {}, which has {} bytes, got {} bytes at "
        "offset {}",
        action,
        remote.rank,
        size,
        num_bytes,
        remote.offset
    ));
  }
}

void Conduit::check_transfer(
    char const* action, Remote remote, void const* memory, std::uint64_t num_bytes
) const {
  check_outside_handler();
  check_range(action, remote, num_bytes);
  if (memory == nullptr && num_bytes > 0) [[unlikely]] {
    refuse(formatted("expected memory for a {} of {} bytes, got a null pointer", action, num_bytes)
    );
  }
}

void Conduit::check_counter(Remote counter) const {
  if (counter.offset % counter_bytes != 0) [[unlikely]] {
    refuse(formatted(
        "expected a counter at a multiple of {} bytes, got offset {} in the segment of rank {}",
        counter_bytes,
        counter.offset,
        counter.rank
    ));
  }
  check_range("counter", counter, counter_bytes);
}

void Conduit::check_message(Outgoing const& outgoing) const {
  check_rank(outgoing.rank);
  if (outgoing.handler >= handlers_.size()) [[unlikely]] {
    refuse(
        formatted("expected one of {} handlers, got number {}", handlers_.size(), outgoing.handler)
    );
  }
  if (outgoing.payload.data() == nullptr && !outgoing.payload.empty()) [[unlikely]] {
    refuse("expected memory for the payload of a message, got a null pointer");
  }
  if (outgoing.kind == MessageKind::medium_message && outgoing.payload.size() > max_medium_bytes_)
      [[unlikely]] {
    refuse(formatted(
        "expected at most {} bytes in a medium message, got {}; send a long one",
        max_medium_bytes_,
        outgoing.payload.size()
    ));
  }
  if (outgoing.kind == MessageKind::long_message) {
    check_range(
        "long message", {.rank = outgoing.rank, .offset = outgoing.offset}, outgoing.payload.size()
    );
  }
}

void Conduit::check_open(Handle const& handle) const {
  check_outside_handler();
  if (handle.state_ == Handle::over) [[unlikely]] {
    refuse("expected an open handle, got one that is over: it was waited for already");
  }
  if (handle.state_ == Handle::none || handle.conduit_ != this) [[unlikely]] {
    refuse("expected an open handle of this conduit, got one that began nothing here");
  }
}

void Message::reply_short(std::uint32_t handler, Arguments const& arguments) {
  reply({.handler = handler, .arguments = arguments});
}

void Message::reply_medium(
    std::uint32_t handler, std::span<std::byte const> payload, Arguments const& arguments
) {
  reply({
      .kind = MessageKind::medium_message,
      .handler = handler,
      .payload = payload,
      .arguments = arguments,
  });
}

void Message::reply_long(
    std::uint32_t handler,
    std::uint64_t offset,
    std::span<std::byte const> payload,
    Arguments const& arguments
) {
  reply({
      .kind = MessageKind::long_message,
      .handler = handler,
      .offset = offset,
      .payload = payload,
      .arguments = arguments,
  });
}

void Message::reply(Outgoing outgoing) {
  if (incoming_->is_reply || has_replied_) {
    refuse("expected one reply to a message that is none itself, got another one");
  }
  outgoing.rank = incoming_->source;
  outgoing.is_reply = true;
  conduit_->check_message(outgoing);
  if (!conduit_->try_send(outgoing)) {
    throw Error(ErrorCode::unsupported, "no room for a reply, which the conduit had to keep");
  }
  has_replied_ = true;
}

}  // namespace espalier::onesided
