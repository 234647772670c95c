// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/ucx/ucx_resources.hpp"

#include <algorithm>
#include <sched.h>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/exec/node/mpi_shared_memory.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/onesided/ucx/ucx_exchange.hpp"
#include "espalier/onesided/ucx/ucx_library.hpp"

namespace espalier::onesided {
namespace {

/// Runs an action on all ranks; what one of them throws ends in an Error on all. Collective.
template <typename Action> void run_on_all(MPI_Comm comm, Action&& action) {
  std::optional<Error> failure;
  try {
    action();
  } catch (Error const& error) {
    failure = error;
  }
  if (exec::node::is_true_on_all(comm, !failure)) {
    return;
  }
  if (failure) {
    throw *failure;
  }
  throw Error(
      ErrorCode::unsupported, "expected UCX to work on all ranks, but on another one it failed"
  );
}

}  // namespace

UcxResources::UcxResources(
    mpi::OwnCommunicator comm, std::vector<std::uint64_t> const& segment_bytes, UcxWatch watch
)
    : comm_(std::move(comm)) {
  UcxContact own;
  run_on_all(comm_.get(), [&] {
    open_worker(segment_bytes[static_cast<std::size_t>(comm_.rank())]);
    own = {
        .base = reinterpret_cast<std::uintptr_t>(segment_->memory()),
        .address = worker_->address(),
        .key = segment_->key(),
    };
  });
  std::vector<UcxContact> const contacts = exchange_contacts(comm_.get(), own);
  std::vector<bool> const is_neighbor = find_neighbors(comm_.get());
  std::vector<bool> is_watched(contacts.size(), true);
  if (watch == UcxWatch::other_nodes) {
    is_watched = is_neighbor;
    is_watched.flip();
  }
  run_on_all(comm_.get(), [&] { open_peers(contacts, is_watched); });
  run_on_all(comm_.get(), [&] { connect(segment_bytes, is_neighbor); });
}

void UcxResources::open_worker(std::uint64_t segment_bytes) {
  load_ucx();
  worker_.emplace();
  segment_.emplace(worker_->context(), segment_bytes);
  mailbox_.emplace(*worker_, comm_.rank(), comm_.size());
}

void UcxResources::open_peers(
    std::vector<UcxContact> const& contacts, std::vector<bool> const& is_watched
) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    peers_.push_back(
        std::make_unique<UcxPeer>(*worker_, static_cast<int>(i), contacts[i], is_watched[i])
    );
  }
  mailbox_->connect(peers_);
}

/// Whoever is done goes on until all are: connecting takes both ends.
void UcxResources::connect(
    std::vector<std::uint64_t> const& segment_bytes, std::vector<bool> const& is_neighbor
) {
  std::optional<Error> failure;
  try {
    try_puts(segment_bytes, is_neighbor);
  } catch (Error const& error) {
    failure = error;
  }
  wait_for_all();
  if (failure) {
    throw *failure;
  }
}

/// A put to a neighbor that has landed when it was started, other than the first one, which had to
/// connect, says that the neighbor is reached through memory.
void UcxResources::try_puts(
    std::vector<std::uint64_t> const& segment_bytes, std::vector<bool> const& is_neighbor
) {
  std::uint64_t const nothing = 0;
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    if (!is_neighbor[rank]) {
      continue;
    }
    UcxPeer& peer = *peers_[rank];
    std::uint64_t const place =
        UcxSegment::counter_behind(segment_bytes[rank], UcxSegment::tried_counter);
    for (int i = 0; i < 2; ++i) {
      UcxRequest request = peer.put(place, &nothing, sizeof nothing);
      peer.set_far(!peer.has_landed(peer.started()));
      while (!peer.has_landed(peer.started()) || !request.is_over()) {
        worker_->progress();
        worker_->require_no_failure();
      }
    }
  }
}

/// Two times: nobody closes what others still need, and nobody leaves while others close.
void UcxResources::close() {
  wait_for_all();
  for (auto const& peer : peers_) {
    peer->close();
  }
  while (!std::ranges::all_of(peers_, [](auto const& peer) { return peer->is_closed(); })) {
    worker_->progress();
    sched_yield();
  }
  wait_for_all();
}

void UcxResources::wait_for_all() {
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::require_success(PMPI_Ibarrier(comm_.get(), &request), "MPI_Ibarrier");
  for (int is_over = 0; is_over == 0;) {
    worker_->progress();
    sched_yield();
    mpi::require_success(PMPI_Test(&request, &is_over, MPI_STATUS_IGNORE), "MPI_Test");
  }
}

}  // namespace espalier::onesided
