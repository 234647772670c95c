// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>

#include "espalier/onesided/handle.hpp"
#include "espalier/onesided/operations.hpp"
#include "espalier/onesided/remote.hpp"
#include "espalier/onesided/ucx/ucx_additions.hpp"
#include "espalier/onesided/ucx/ucx_peer.hpp"

namespace espalier::onesided {

/// What a put or get waits for.
enum class UcxStage : std::uint8_t {
  put,       ///< its landing
  get,       ///< its request
  raising,   ///< its landing; then it raises
  addition,  ///< room for an addition
  over
};

struct UcxOperation {
  UcxStage stage = UcxStage::over;
  UcxRequest request;
  std::uint64_t number = 0;  ///< of a put among what its rank has to flush
  int rank = 0;
  Raise raise;
};

/// Puts, gets and additions of one rank, with and without slots. None of them progresses UCX but
/// floods.
class UcxTransfers {
public:
  using Slot = Operations<UcxOperation>::Slot;
  static constexpr Slot complete = ~Slot{0};  ///< as in handles: over when it was started

  /// @param segment  of this rank, which it reaches by itself
  UcxTransfers(UcxWorker& worker, UcxPeers& peers, int rank, std::byte* segment)
      : worker_(worker), peers_(peers), rank_(rank), segment_(segment) {}

  /// @throws Error if the transfer, or an earlier one to that rank, has failed, as do all that
  ///     follow.
  [[nodiscard]] Slot put(Remote to, void const* from, std::size_t num_bytes);
  [[nodiscard]] Slot get(void* to, Remote from, std::size_t num_bytes);
  [[nodiscard]] Slot put_raising(Remote to, void const* from, std::size_t num_bytes, Raise raise);
  /// Over at the fence.
  void post_put(Remote to, void const* from, std::size_t num_bytes);
  void post_get(void* to, Remote from, std::size_t num_bytes);

  /// Whether all that was posted and dropped is over.
  [[nodiscard]] bool try_fence();
  /// Whether the source of a put may be written again.
  [[nodiscard]] bool is_local(Slot slot);
  /// True frees the slot.
  [[nodiscard]] bool is_over(Slot slot);

  void drop(Slot slot) noexcept { operations_.drop(slot); }

  /// Adds to a counter. False if there is no room now.
  [[nodiscard]] bool try_add(Remote counter, std::uint64_t amount);

  /// Goes on with puts that raise. Whether all of them are over.
  bool push_on();

  /// Whether nothing at all is underway.
  [[nodiscard]] bool is_done();

private:
  [[nodiscard]] UcxPeer& peer(int rank) const { return *peers_[static_cast<std::size_t>(rank)]; }

  [[nodiscard]] bool has_landed(UcxOperation& operation);
  [[nodiscard]] bool advance(UcxOperation& operation);
  void progress_in_flood() noexcept;

  UcxWorker& worker_;
  UcxPeers& peers_;
  int rank_;
  std::byte* segment_;
  UcxAdditions additions_;
  Operations<UcxOperation> operations_;
  std::uint32_t num_posted_ = 0;
};

}  // namespace espalier::onesided
