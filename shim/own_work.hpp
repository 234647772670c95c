// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>

namespace espalier::shim {

/// While one lives, collectives of this thread are our own: they are handed over and not counted.
class OwnWork {
public:
  OwnWork() noexcept { set(true); }

  ~OwnWork() { is_going_on_ = false; }

  OwnWork(OwnWork const&) = delete;
  OwnWork& operator=(OwnWork const&) = delete;

  static bool is_going_on() noexcept { return is_going_on_; }

  /// @return what was before.
  static bool set(bool is_going_on) noexcept { return std::exchange(is_going_on_, is_going_on); }

private:
#ifdef ESPALIER_MPI_SIMULATED
  // Ranks are not threads, and each has its own copy of this.
  static constinit inline bool is_going_on_ = false;
#else
  // The initial-exec model costs no call; the library is loaded with the program, never later.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local inline bool is_going_on_ = false;
#endif
};

}  // namespace espalier::shim
