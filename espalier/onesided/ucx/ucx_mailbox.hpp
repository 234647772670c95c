// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ucp/api/ucp.h>

#include "espalier/onesided/ucx/ucx_mail.hpp"
#include "espalier/onesided/ucx/ucx_outbox.hpp"
#include "espalier/onesided/ucx/ucx_peer.hpp"
#include "espalier/onesided/ucx/ucx_ring.hpp"
#include "espalier/onesided/ucx/ucx_worker.hpp"

namespace espalier::onesided {

/// Active messages of one rank by those of UCX, in bounded memory at both ends. A rank may have
/// num_credits requests at another one: a credit comes back with the reply, once that is handled,
/// or otherwise in a message of its own, several together. So a request has a place where it is
/// handled, and its reply has one where it came from.
///
///     rank 0                      rank 1
///     request, credits 16 -> 15   place in the ring, handler
///     place in the ring           reply
///     handler, credits 15 -> 16
class UcxMailbox {
public:
  static constexpr std::uint32_t num_credits = 16;

  /// UCX calls this object from then on, which is before any peer can know its worker.
  /// @throws Error.
  UcxMailbox(UcxWorker& worker, int rank, int num_ranks);
  UcxMailbox(UcxMailbox const&) = delete;
  UcxMailbox& operator=(UcxMailbox const&) = delete;
  UcxMailbox(UcxMailbox&&) = delete;
  UcxMailbox& operator=(UcxMailbox&&) = delete;
  ~UcxMailbox();

  /// Once, before anything is sent or taken.
  void connect(UcxPeers& peers) noexcept { peers_ = &peers; }

  /// @throws Error if a message failed, as do all that follow.
  [[nodiscard]] bool has_room(int rank, bool is_reply);

  /// Where there is room. `payload` may be written again afterwards.
  void send(int rank, bool is_reply, UcxMailHeader header, std::span<std::byte const> payload);

  /// Whether UCX reads nothing any more of what was sent.
  [[nodiscard]] bool is_empty();

  /// Whether there is something to take: replies, and requests where their replies have room.
  [[nodiscard]] bool has_mail();

  /// The next message, replies first. Its place is free again with the object.
  class Taken {
  public:
    explicit Taken(UcxMailbox& mailbox);
    Taken(Taken const&) = delete;
    Taken& operator=(Taken const&) = delete;
    Taken(Taken&&) = delete;
    Taken& operator=(Taken&&) = delete;
    ~Taken();

    [[nodiscard]] bool is_reply() const noexcept { return is_reply_; }

    [[nodiscard]] UcxMailHeader const& header() const noexcept { return mail_.header; }

    [[nodiscard]] std::byte* payload() const noexcept { return mail_.payload; }

  private:
    UcxMailbox& mailbox_;
    bool is_reply_;
    UcxMail mail_;
  };

  /// Gives credits back that were not sent yet, if they are enough to be worth a message.
  void return_credits();

private:
  /// A message that is nothing but its header: from whom, and how many.
  using Credits = std::array<std::uint64_t, 2>;

  /// What one rank and this one owe each other.
  struct Account {
    std::uint32_t num_left = num_credits;  ///< requests that this rank may send
    std::uint32_t num_owed = 0;            ///< credits that the other rank gets back
    Credits returned{};                    ///< as UCX reads it
    UcxRequest request;
  };

  template <UcxRing UcxMailbox::*ring>
  static ucs_status_t on_mail(
      void* self,
      void const* header,
      std::size_t header_bytes,
      void* payload,
      std::size_t num_bytes,
      ucp_am_recv_param_t const* parameters
  ) noexcept;
  static ucs_status_t on_credits(
      void* self,
      void const* header,
      std::size_t header_bytes,
      void* payload,
      std::size_t num_bytes,
      ucp_am_recv_param_t const* parameters
  ) noexcept;

  [[nodiscard]] bool return_credits(std::size_t rank);

  UcxWorker& worker_;
  std::uint32_t rank_;
  UcxPeers* peers_ = nullptr;
  UcxOutbox request_outbox_;
  UcxOutbox reply_outbox_;
  UcxRing requests_;
  UcxRing replies_;
  std::vector<Account> accounts_;       ///< by rank
  std::vector<std::size_t> creditors_;  ///< ranks that get credits back
  bool has_replied_ = false;            ///< to the request that was taken last
};

}  // namespace espalier::onesided
