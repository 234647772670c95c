// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "include/espalier_onesided.h"

#include "espalier/onesided/handle.hpp"

namespace espalier::capi {

/// The transfers of a conduit that are underway. Programs have copies of numbers, so one that is
/// used twice, or with another conduit, is found out.
class TransferTable {
public:
  TransferTable();

  /// @throws std::bad_alloc; then the handle is dropped, which leaves it to the next fence.
  [[nodiscard]] espalier_transfer add(onesided::Handle handle);
  /// Until the next add().
  /// @throws Error argument for one that was removed, or was not added here.
  [[nodiscard]] onesided::Handle& at(espalier_transfer const& transfer);
  /// Of one that is there.
  void remove(espalier_transfer const& transfer) noexcept;

private:
  struct Entry {
    onesided::Handle handle;
    std::uint64_t serial = 0;  ///< 0: unused
  };

  std::uint64_t identity_;  ///< of this table
  std::uint64_t num_added_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::size_t> unused_;  ///< has room for all of them
};

}  // namespace espalier::capi
