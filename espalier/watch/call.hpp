// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "espalier/watch/beacon.hpp"
#include "espalier/watch/members.hpp"
#include "espalier/watch/record.hpp"

namespace espalier::watch {

/// What a call is.
struct What {
  std::string_view function;   ///< as in `MPI_Bcast`
  std::string_view algorithm;  ///< empty: the MPI library is called
  std::int64_t bytes = 0;      ///< 0: not known
};

[[nodiscard]] Description describe(What const& what, Members const& members) noexcept;

/// While it lives, this thread is in a call. If as many threads as there are entries are in calls
/// already, nothing is said of this one. Not for simulated programs.
class Call {
public:
  /// `members` must outlive the object.
  Call(Record& record, Members const& members, What const& what) noexcept;
  Call(Call const&) = delete;
  Call& operator=(Call const&) = delete;
  Call(Call&&) = delete;
  Call& operator=(Call&&) = delete;
  ~Call();

  /// The algorithm turned out not to fit: the MPI library is called.
  void hand_over() noexcept;

private:
  CallEntry* entry_;
  std::optional<Beacon> beacon_;
  Beacon* outer_ = nullptr;  ///< of the call in which this one is made
};

}  // namespace espalier::watch
