// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mpi.h>

#include "espalier/mpi/own_communicator.hpp"
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

/// Mail of one rank by MPI messages, in bounded memory at both ends. A rank may have num_buffers
/// requests on the way to each other one: who takes them gives that back by an empty message for
/// each half of them, so that mail itself is never acknowledged. Messages that no receive was
/// posted for are kept by MPI, at most num_buffers requests of each rank and as many replies.
///
///     requests 1 .. 8      ---->
///                          <----  empty: 8 more may follow
///
/// Requests and replies have buffers of their own, so that who waits to send a request can always
/// receive replies. What was given back travels with the replies, in their order: whoever may send
/// a request again has taken the replies before, and so they are bounded as requests are.
class MpiMailbox {
public:
  static constexpr std::size_t num_buffers = 16;
  /// What MPI libraries send at once, within one node, too.
  static constexpr std::size_t payload_bytes = 3968;

  /// @param comm  of which only this object uses point-to-point messages; must outlive it
  explicit MpiMailbox(mpi::OwnCommunicator const& comm);
  MpiMailbox(MpiMailbox const&) = delete;
  MpiMailbox& operator=(MpiMailbox const&) = delete;
  MpiMailbox(MpiMailbox&&) = delete;
  MpiMailbox& operator=(MpiMailbox&&) = delete;
  /// Gives receives back to MPI. Nothing may be on the way.
  ~MpiMailbox();

  /// Whether a request to a rank can be sent. @throws Error mpi, as do all that follow.
  [[nodiscard]] bool has_room_for_request(int rank);
  /// Whether a reply to whoever wants one can be sent.
  [[nodiscard]] bool has_room_for_reply();
  /// Where there is room. `payload` may be written again afterwards.
  void send(int rank, bool is_reply, MailHeader const& header, std::span<std::byte const> payload);

  /// This rank sends no more. Collective, but waits for nobody.
  void close();
  /// Whether all ranks have closed, and this one has taken all that they had sent to it.
  [[nodiscard]] bool has_ended();

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
    std::vector<std::size_t> free_sends;  ///< buffers whose message has left them
    std::size_t next = 0;                 ///< receive that gets the next message
  };

  /// What is known of another rank.
  struct Peer {
    std::uint64_t num_sent = 0;             ///< messages to it, of any kind
    std::size_t num_allowed = num_buffers;  ///< requests to it
    std::size_t num_taken = 0;              ///< requests from it that were not given back
  };

  [[nodiscard]] Side& side(bool is_reply) noexcept { return is_reply ? replies_ : requests_; }

  int post(Side& side, std::size_t index) noexcept;
  void reclaim(Side& side);
  [[nodiscard]] bool has_buffer(Side& side);
  void repost(Side& side) noexcept;
  void give_back(int source) noexcept;

  MPI_Comm comm_;
  std::vector<Peer> peers_;
  std::uint64_t num_taken_ = 0;  ///< messages, of any kind
  int failure_ = MPI_SUCCESS;    ///< of what could not throw
  bool is_closed_ = false;
  std::vector<std::uint64_t> sent_by_rank_;  ///< for close()
  std::uint64_t num_expected_ = 0;
  MPI_Request closing_ = MPI_REQUEST_NULL;
  Side requests_;
  Side replies_;
};

}  // namespace espalier::onesided
