// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <mpi.h>

#include "espalier/mpi/own_communicator.hpp"
#include "espalier/onesided/ucx/ucx_conduit.hpp"
#include "espalier/onesided/ucx/ucx_mailbox.hpp"
#include "espalier/onesided/ucx/ucx_segment.hpp"
#include "espalier/onesided/ucx/ucx_worker.hpp"

namespace espalier::onesided {

/// What a conduit holds of MPI and UCX, in the order in which it is made.
class UcxResources {
public:
  /// Collective over comm. What one rank cannot have nobody gets.
  /// @param segment_bytes  by rank
  /// @throws Error, on all ranks.
  UcxResources(
      mpi::OwnCommunicator comm, std::vector<std::uint64_t> const& segment_bytes, UcxWatch watch
  );

  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_.get(); }

  [[nodiscard]] UcxWorker& worker() noexcept { return *worker_; }

  [[nodiscard]] UcxSegment& segment() noexcept { return *segment_; }

  [[nodiscard]] UcxMailbox& mailbox() noexcept { return *mailbox_; }

  [[nodiscard]] UcxPeers& peers() noexcept { return peers_; }

  [[nodiscard]] UcxPeer& peer(int rank) noexcept { return *peers_[static_cast<std::size_t>(rank)]; }

  /// Waits for all ranks, and closes all connections. Collective; nothing may be underway.
  /// @throws Error mpi.
  void close();

private:
  void open_worker(std::uint64_t segment_bytes);
  void open_peers(std::vector<UcxContact> const& contacts, std::vector<bool> const& is_watched);
  void
  connect(std::vector<std::uint64_t> const& segment_bytes, std::vector<bool> const& is_neighbor);
  void
  try_puts(std::vector<std::uint64_t> const& segment_bytes, std::vector<bool> const& is_neighbor);
  void wait_for_all();

  mpi::OwnCommunicator comm_;
  std::optional<UcxWorker> worker_;
  std::optional<UcxSegment> segment_;
  std::optional<UcxMailbox> mailbox_;
  UcxPeers peers_;
};

}  // namespace espalier::onesided
