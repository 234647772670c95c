// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/transfer_table.hpp"

#include <atomic>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::capi {
namespace {

/// 0 is no table, so that a transfer of zeros is none.
std::uint64_t next_identity() noexcept {
  static constinit std::atomic<std::uint64_t> num_tables{0};
  return num_tables.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

TransferTable::TransferTable() : identity_(next_identity()) {}

espalier_transfer TransferTable::add(onesided::Handle handle) {
  if (unused_.empty()) {
    unused_.reserve(entries_.size() + 1);
    entries_.emplace_back();
    unused_.push_back(entries_.size() - 1);
  }
  std::size_t const index = unused_.back();
  unused_.pop_back();
  entries_[index] = {.handle = std::move(handle), .serial = ++num_added_};
  return {.opaque = {index, num_added_, identity_}};
}

onesided::Handle& TransferTable::at(espalier_transfer const& transfer) {
  auto const [index, serial, identity] = transfer.opaque;
  if (identity != identity_) {
    throw Error(
        ErrorCode::argument,
        "expected a transfer that this conduit started, got one that began nothing here"
    );
  }
  if (index >= entries_.size() || serial == 0 || entries_[index].serial != serial) {
    throw Error(
        ErrorCode::argument, "expected a transfer that is not over, got one that was used up"
    );
  }
  return entries_[index].handle;
}

void TransferTable::remove(espalier_transfer const& transfer) noexcept {
  Entry& entry = entries_[transfer.opaque[0]];
  entry.serial = 0;
  unused_.push_back(transfer.opaque[0]);
}

}  // namespace espalier::capi
