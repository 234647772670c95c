// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "espalier/watch/members.hpp"
#include "espalier/watch/record.hpp"

namespace espalier::watch {

/// How the thread that makes a call says where it waits. What it is never waits, and takes no lock.
class Beacon {
public:
  /// `members` must outlive the object.
  Beacon(CallEntry& entry, Members const& members) noexcept : entry_(entry), members_(members) {}

  /// Which algorithm serves the call, if that was not known when it began.
  void set_algorithm(std::string_view algorithm) noexcept;

  void set_rounds(int num_rounds) noexcept {
    store(entry_.num_rounds, static_cast<std::uint64_t>(num_rounds));
  }

  /// `word` is that of a Wait.
  void wait_at(std::uint64_t word) noexcept {
    store(entry_.since, static_cast<std::uint64_t>(now()));
    auto const peer = std::int64_t{world_rank(Wait::from_word(word).peer)};
    store(entry_.world_peer, static_cast<std::uint64_t>(peer + 1));
    store(entry_.wait, word);
  }

  void wait_at(Wait const& wait) noexcept { wait_at(wait.to_word()); }

private:
  /// -1 if it is not known.
  [[nodiscard]] int world_rank(int peer) const noexcept {
    auto const i = static_cast<std::size_t>(peer);
    int const rank = i < members_.world_ranks.size() ? members_.world_ranks[i] : -1;
    return std::max(members_.has_world_ranks ? peer : rank, -1);
  }

  CallEntry& entry_;
  Members const& members_;
};

#ifdef ESPALIER_MPI_SIMULATED
/// Ranks are not threads there, and nothing hangs without the simulator saying so.
inline Beacon* current_beacon() noexcept {
  return nullptr;
}
#else
namespace detail {
#ifdef ESPALIER_MPI_VENDOR
// The initial-exec model costs no call; the library is loaded with the program, never later. What
// is linked into simulated programs, too, must not have it: there is a copy of it for each rank.
[[gnu::tls_model("initial-exec")]]
#endif
extern constinit thread_local Beacon* current;
}  // namespace detail

/// Of the call this thread is in; null if there is none, or nobody watches.
inline Beacon* current_beacon() noexcept {
  return detail::current;
}
#endif

}  // namespace espalier::watch
