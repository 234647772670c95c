// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/ucx/ucx_resources.hpp"

#include <algorithm>
#include <sched.h>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/exec/node/mpi_shared_memory.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/onesided/ucx/ucx_exchange.hpp"

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

UcxResources::UcxResources(mpi::OwnCommunicator comm, std::uint64_t segment_bytes, UcxWatch watch)
    : comm_(std::move(comm)) {
  UcxContact own;
  run_on_all(comm_.get(), [&] {
    open_worker(segment_bytes);
    own = {
        .base = reinterpret_cast<std::uintptr_t>(segment_->memory()),
        .address = worker_->address(),
        .key = segment_->key(),
    };
  });
  std::vector<UcxContact> const contacts = exchange_contacts(comm_.get(), own);
  std::vector<bool> is_watched = find_neighbors(comm_.get());
  is_watched.flip();
  if (watch == UcxWatch::all_ranks) {
    is_watched.assign(is_watched.size(), true);
  }
  run_on_all(comm_.get(), [&] { open_peers(contacts, is_watched); });
}

void UcxResources::open_worker(std::uint64_t segment_bytes) {
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
