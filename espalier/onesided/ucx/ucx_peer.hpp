// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <ucp/api/ucp.h>

#include "espalier/onesided/ucx/ucx_request.hpp"
#include "espalier/onesided/ucx/ucx_worker.hpp"

namespace espalier::onesided {

/// What a rank tells the others, so that they reach it.
struct UcxContact {
  std::uint64_t base = 0;          ///< address of its segment, there
  std::vector<std::byte> address;  ///< of its worker
  std::vector<std::byte> key;      ///< of its segment
};

/// The connection to one rank, also to the own one.
class UcxPeer {
public:
  /// @param is_watched  its end is noticed and becomes a failure of the worker; then UCX chooses
  ///     among transports that can notice it. The same at both ends.
  /// @throws Error, as do all that follow.
  UcxPeer(UcxWorker& worker, int rank, UcxContact const& contact, bool is_watched);
  UcxPeer(UcxPeer const&) = delete;
  UcxPeer& operator=(UcxPeer const&) = delete;
  UcxPeer(UcxPeer&&) = delete;
  UcxPeer& operator=(UcxPeer&&) = delete;
  /// Closed before, or left to the worker.
  ~UcxPeer();

  /// Over when `from` may be written again; there when has_landed() says so of started().
  [[nodiscard]] UcxRequest put(std::uint64_t offset, void const* from, std::size_t num_bytes);
  /// Over when the data is here.
  [[nodiscard]] UcxRequest get(void* to, std::uint64_t offset, std::size_t num_bytes);
  /// The same, over when it has landed.
  void post_get(void* to, std::uint64_t offset, std::size_t num_bytes);
  /// One atomic addition to 64 bits. Over when `amount` may be written again.
  [[nodiscard]] UcxRequest add(std::uint64_t offset, std::uint64_t const* amount);
  /// An active message, whole in one piece. Over when both parts may be written again.
  [[nodiscard]] UcxRequest
  send(unsigned id, std::span<std::byte const> header, std::span<std::byte const> payload);

  /// How many operations that a flush ends were started: puts, and gets that were posted.
  [[nodiscard]] std::uint64_t started() const noexcept { return started_; }

  /// Whether the first so many of them are over at both ends. Begins a flush if none is underway;
  /// one serves all that was started before it.
  [[nodiscard]] bool has_landed(std::uint64_t number);

  /// Whether what is started there takes its time, as far as is known: one message is then less
  /// than a put, a flush and an addition.
  [[nodiscard]] bool is_far() const noexcept { return is_far_; }

  void set_far(bool is_far) noexcept { is_far_ = is_far; }

  /// Begins to close the connection. Nothing else may follow, and nothing may be underway.
  void close();

  /// Whether it is closed, in whatever way: the other end may have been quicker.
  [[nodiscard]] bool is_closed() noexcept { return flush_.has_ended(); }

private:
  [[nodiscard]] bool is_flushed();

  std::uint64_t base_;
  ucp_ep_h endpoint_ = nullptr;
  ucp_rkey_h key_ = nullptr;
  bool is_far_ = true;
  std::uint64_t started_ = 0;
  std::uint64_t flushing_ = 0;  ///< what the flush that is underway will have ended
  std::uint64_t flushed_ = 0;
  UcxRequest flush_;  ///< at last, what closes the endpoint
};

/// By rank.
using UcxPeers = std::vector<std::unique_ptr<UcxPeer>>;

}  // namespace espalier::onesided
