// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>

namespace espalier::onesided {

class Conduit;

/// As many as fit into a cache line beside what every message has.
inline constexpr std::size_t max_arguments = 5;

/// Numbers that travel with an active message.
class Arguments {
public:
  Arguments() = default;

  /// @throws Error argument for more than max_arguments.
  // NOLINTNEXTLINE(google-explicit-constructor): a list in braces is what callers write.
  Arguments(std::initializer_list<std::uint64_t> values);
  explicit Arguments(std::span<std::uint64_t const> values);

  [[nodiscard]] std::span<std::uint64_t const> values() const noexcept {
    return {values_.data(), num_values_};
  }

private:
  std::array<std::uint64_t, max_arguments> values_{};
  std::size_t num_values_ = 0;
};

enum class MessageKind : std::uint8_t {
  short_message,   ///< arguments only
  medium_message,  ///< with a payload in memory of the conduit
  long_message,    ///< with a payload in the segment of the receiver
};

/// A message before it is sent. Its memory belongs to the sender.
struct Outgoing {
  int rank = 0;
  MessageKind kind = MessageKind::short_message;
  bool is_reply = false;
  std::uint32_t handler = 0;
  std::uint64_t offset = 0;  ///< where the payload of a long message goes in the segment
  std::span<std::byte const> payload;
  Arguments arguments;
};

/// A message that arrived.
struct Incoming {
  int source = 0;
  bool is_reply = false;
  std::uint32_t handler = 0;
  std::span<std::byte> payload;
  std::span<std::uint64_t const> arguments;
};

/// What a handler gets. Valid until the handler returns, and so is the payload of a medium message.
class Message {
public:
  Message(Conduit& conduit, Incoming const& incoming) noexcept
      : conduit_(&conduit), incoming_(&incoming) {}

  [[nodiscard]] int source() const noexcept { return incoming_->source; }

  [[nodiscard]] std::span<std::uint64_t const> arguments() const noexcept {
    return incoming_->arguments;
  }

  /// Of a long message: where it lies in the segment.
  [[nodiscard]] std::span<std::byte> payload() const noexcept { return incoming_->payload; }

  /// Answers the sender: once, and not an answer. Never waits: the conduit keeps room for it.
  /// @throws Error argument.
  void reply_short(std::uint32_t handler, Arguments const& arguments = {});
  void reply_medium(
      std::uint32_t handler, std::span<std::byte const> payload, Arguments const& arguments = {}
  );
  /// @param offset  in the segment of the sender of the message
  void reply_long(
      std::uint32_t handler,
      std::uint64_t offset,
      std::span<std::byte const> payload,
      Arguments const& arguments = {}
  );

private:
  void reply(Outgoing outgoing);

  Conduit* conduit_;
  Incoming const* incoming_;
  bool has_replied_ = false;
};

/// Runs in `poll` of the receiver, or in a call that waits there. Must not block, and may
/// communicate by its reply only. What it throws comes out of that call.
using Handler = std::function<void(Message&)>;

/// Handlers have numbers of 16 bits, and all ranks attach with equally many.
inline constexpr std::size_t max_handlers = 65536;

/// @throws Error argument, also if there are too many.
void require_handlers(std::size_t num_handlers, std::size_t num_expected);

}  // namespace espalier::onesided
