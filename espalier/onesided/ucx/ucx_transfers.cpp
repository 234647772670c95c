// SPDX-License-Identifier: Apache-2.0

/// @file
/// What raises a counter behind a put has to wait until the put has landed. `ucp_worker_fence` is
/// meant for that, but that of UCX 1.13 fences each interface alone, while small puts, large ones
/// and additions may go through different ones; later versions flush in such cases
/// (https://github.com/openucx/ucx/pull/8596). `ucp_ep_flush_nbx` completes operations "both at the
/// origin and at the target" (ucp.h), whatever carries them, so that is what orders here. Through
/// shared memory it ends at once; over a network it goes there and back.

#include "espalier/onesided/ucx/ucx_transfers.hpp"

#include <cstring>
#include <utility>

namespace espalier::onesided {

// Copies inside of the own segment may overlap, so they are not left to UCX.
UcxTransfers::Slot UcxTransfers::put(Remote to, void const* from, std::size_t num_bytes) {
  if (to.rank == rank_) {
    std::memmove(segment_ + to.offset, from, num_bytes);
    return complete;
  }
  UcxPeer& target = peer(to.rank);
  UcxRequest request = target.put(to.offset, from, num_bytes);
  return operations_.take({
      .stage = UcxStage::put,
      .request = std::move(request),
      .number = target.started(),
      .rank = to.rank,
  });
}

UcxTransfers::Slot UcxTransfers::get(void* to, Remote from, std::size_t num_bytes) {
  if (from.rank == rank_) {
    std::memmove(to, segment_ + from.offset, num_bytes);
    return complete;
  }
  UcxRequest request = peer(from.rank).get(to, from.offset, num_bytes);
  if (request.is_over()) {
    return complete;
  }
  return operations_.take({.stage = UcxStage::get, .request = std::move(request)});
}

UcxTransfers::Slot
UcxTransfers::put_raising(Remote to, void const* from, std::size_t num_bytes, Raise raise) {
  Slot slot = num_bytes > 0 ? put(to, from, num_bytes) : complete;
  bool const has_landed = slot == complete;
  if (has_landed) {
    slot = operations_.take({.rank = to.rank});
  }
  UcxOperation& operation = operations_[slot];
  operation.stage = has_landed ? UcxStage::addition : UcxStage::raising;
  operation.raise = raise;
  if (advance(operation)) {
    operations_.free(slot);
    return complete;
  }
  operations_.push(slot);
  return slot;
}

void UcxTransfers::post_put(Remote to, void const* from, std::size_t num_bytes) {
  if (to.rank == rank_) {
    std::memmove(segment_ + to.offset, from, num_bytes);
  } else {
    (void)peer(to.rank).put(to.offset, from, num_bytes);
    progress_in_flood();
  }
}

void UcxTransfers::post_get(void* to, Remote from, std::size_t num_bytes) {
  if (from.rank == rank_) {
    std::memmove(to, segment_ + from.offset, num_bytes);
  } else {
    peer(from.rank).post_get(to, from.offset, num_bytes);
    progress_in_flood();
  }
}

/// UCX keeps in memory what it cannot send at once, so it may send now and then.
void UcxTransfers::progress_in_flood() noexcept {
  constexpr std::uint32_t between = 64;
  if (++num_posted_ % between == 0) {
    worker_.progress();
  }
}

bool UcxTransfers::try_fence() {
  bool result = operations_.end_dropped([this](Slot slot) { return is_over(slot); });
  for (auto const& one : peers_) {
    result = one->has_landed(one->started()) && result;
  }
  return result;
}

bool UcxTransfers::is_local(Slot slot) {
  UcxOperation& operation = operations_[slot];
  bool const is_put = operation.stage == UcxStage::put || operation.stage == UcxStage::raising;
  return is_put ? operation.request.is_over() : advance(operation);
}

bool UcxTransfers::is_over(Slot slot) {
  if (!advance(operations_[slot])) {
    return false;
  }
  operations_.free(slot);
  return true;
}

bool UcxTransfers::try_add(Remote counter, std::uint64_t amount) {
  return additions_.try_add(peer(counter.rank), counter.offset, amount);
}

bool UcxTransfers::push_on() {
  return operations_.push_on([this](UcxOperation& operation) { return advance(operation); });
}

bool UcxTransfers::is_done() {
  bool result = push_on();
  for (UcxOperation& operation : operations_) {
    result = advance(operation) && result;
  }
  return try_fence() && additions_.is_empty() && result;
}

/// Asks for the landing first, which begins a flush, whatever the request says.
bool UcxTransfers::has_landed(UcxOperation& operation) {
  bool const is_there = peer(operation.rank).has_landed(operation.number);
  return operation.request.is_over() && is_there;
}

/// Goes on with an operation as far as it can. True if it is over.
bool UcxTransfers::advance(UcxOperation& operation) {
  if (operation.stage == UcxStage::raising && has_landed(operation)) {
    operation.stage = UcxStage::addition;
  }
  bool is_over = operation.stage == UcxStage::over;
  if (operation.stage == UcxStage::put) {
    is_over = has_landed(operation);
  } else if (operation.stage == UcxStage::get) {
    is_over = operation.request.is_over();
  } else if (operation.stage == UcxStage::addition) {
    is_over = try_add({operation.rank, operation.raise.offset}, operation.raise.amount);
  }
  operation.stage = is_over ? UcxStage::over : operation.stage;
  return is_over;
}

}  // namespace espalier::onesided
