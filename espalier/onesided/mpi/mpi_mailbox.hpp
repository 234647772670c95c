// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mpi.h>

#include "espalier/onesided/message.hpp"

namespace espalier::onesided {

/// What a piece of mail is for.
enum class MailKind : std::uint8_t {
  short_message,
  medium_message,
  long_message,  ///< its payload is here
  long_landed,   ///< its payload is in the segment
  signal,        ///< for the counter at `offset`, by the first argument
  raising_put    ///< payload for `offset`; counter and amount are arguments
};

struct MailHeader {
  MailKind kind = MailKind::short_message;
  std::uint8_t num_arguments = 0;
  std::uint16_t handler = 0;
  std::uint64_t num_bytes = 0;  ///< of the payload, wherever it is
  std::uint64_t offset = 0;
  std::array<std::uint64_t, max_arguments> arguments{};
};

static_assert(sizeof(MailHeader) == 64);

/// Mail of one rank by MPI messages, in bounded memory at both ends: a buffer is in use until a
/// rank has begun to receive what is in it (synchronous sends), and messages that no receive was
/// posted for wait at their sender, but for those that MPI keeps: at most num_buffers from each
/// rank.
///
/// Requests and replies have buffers of their own, so that who waits to send a request can always
/// receive replies.
class MpiMailbox {
public:
  static constexpr std::size_t num_buffers = 16;
  /// What MPI libraries send at once, within one node, too.
  static constexpr std::size_t payload_bytes = 3968;

  /// @param comm  of which only this object uses point-to-point messages; must outlive it
  explicit MpiMailbox(MPI_Comm comm);
  MpiMailbox(MpiMailbox const&) = delete;
  MpiMailbox& operator=(MpiMailbox const&) = delete;
  MpiMailbox(MpiMailbox&&) = delete;
  MpiMailbox& operator=(MpiMailbox&&) = delete;
  /// Gives receives back to MPI. Nothing may be on the way.
  ~MpiMailbox();

  /// @throws Error mpi, as do all that follow.
  [[nodiscard]] bool has_room(bool is_reply);
  /// Where there is room. `payload` may be written again afterwards.
  void send(int rank, bool is_reply, MailHeader const& header, std::span<std::byte const> payload);

  /// Whether nothing that was sent waits for its receiver.
  [[nodiscard]] bool is_empty();

  /// Mail in its buffer, which is posted for more with the object.
  class Taken {
  public:
    Taken() = default;

    Taken(MpiMailbox& mailbox, bool is_reply, int source) noexcept
        : mailbox_(&mailbox), is_reply_(is_reply), source_(source) {}

    Taken(Taken const&) = delete;
    Taken& operator=(Taken const&) = delete;
    Taken(Taken&&) = delete;
    Taken& operator=(Taken&&) = delete;
    ~Taken();

    [[nodiscard]] bool is_there() const noexcept { return mailbox_ != nullptr; }

    [[nodiscard]] bool is_reply() const noexcept { return is_reply_; }

    [[nodiscard]] int source() const noexcept { return source_; }

    [[nodiscard]] MailHeader const& header() const noexcept;
    [[nodiscard]] std::byte* payload() const noexcept;

  private:
    MpiMailbox* mailbox_ = nullptr;
    bool is_reply_ = false;
    int source_ = 0;
  };

  /// The next piece of mail.
  [[nodiscard]] Taken take(bool replies_only);

private:
  struct alignas(64) Buffer {
    MailHeader header;
    std::array<std::byte, payload_bytes> payload;
  };

  /// Requests, or replies.
  struct Side {
    int tag = 0;
    std::vector<Buffer> outgoing = std::vector<Buffer>(num_buffers);
    std::vector<Buffer> incoming = std::vector<Buffer>(num_buffers);
    std::array<MPI_Request, num_buffers> sends{};
    std::array<MPI_Request, num_buffers> receives{};
    std::array<int, num_buffers> indices{};
    std::vector<std::size_t> free_sends;
    std::size_t next = 0;  ///< receive that gets the next message
  };

  [[nodiscard]] Side& side(bool is_reply) noexcept { return is_reply ? replies_ : requests_; }

  int post(Side& side, std::size_t index) noexcept;
  void reclaim(Side& side);

  MPI_Comm comm_;
  Side requests_;
  Side replies_;
};

}  // namespace espalier::onesided
