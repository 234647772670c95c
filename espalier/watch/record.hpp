// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a rank says of itself. Written by the threads that make calls, read by the watch of any
/// process of the node at any time. Words only, all of them accessed by atomic_ref: no pointers, so
/// nothing that is read can be gone.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "espalier/watch/clock.hpp"
#include "espalier/watch/wait.hpp"

namespace espalier::watch {

/// What a call is; does not change while it runs. Texts end with a zero, and are cut to fit.
struct Description {
  Time begin = 0;
  std::int64_t bytes = 0;  ///< 0: not known
  std::int32_t num_ranks = 0;
  std::int32_t rank = 0;
  std::int32_t has_world_ranks = 0;
  std::int32_t reserved = 0;
  std::array<char, 40> function{};
  std::array<char, 64> algorithm{};
  std::array<char, 64> communicator{};
};

/// One call at a time: the one that holds it, or the last one that did.
struct CallEntry {
  static constexpr std::size_t num_words = sizeof(Description) / sizeof(std::uint64_t);

  std::uint64_t is_taken = 0;
  /// Odd while the description is written.
  std::uint64_t version = 0;
  std::uint64_t wait = 0;        ///< a Wait
  std::uint64_t since = 0;       ///< when that wait began
  std::uint64_t world_peer = 0;  ///< rank in MPI_COMM_WORLD of the peer + 1; 0: not known
  std::uint64_t num_rounds = 0;
  std::uint64_t end = 0;  ///< when the last call ended; 0: it did not
  std::array<std::uint64_t, num_words> description{};

  friend bool operator==(CallEntry const&, CallEntry const&) = default;
};

struct Record {
  static constexpr std::size_t num_entries = 8;
  /// Also the version of this layout.
  static constexpr std::uint64_t expected_magic = 0x4553'5057'4154'0001;

  std::uint64_t magic = 0;  ///< expected_magic once the rank is there
  std::uint64_t finished_since =
      0;  ///< when MPI_Finalize or the end of the process came; 0: not yet
  std::array<CallEntry, num_entries> entries{};
};

static_assert(sizeof(Description) % sizeof(std::uint64_t) == 0);
static_assert(std::is_trivially_copyable_v<Record> && std::is_standard_layout_v<Record>);
static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free);
static_assert(sizeof(Record) <= 4096, "one page for each rank");

/// Ordered: who sees a word sees what was stored before it.
inline void store(std::uint64_t& word, std::uint64_t value) noexcept {
  std::atomic_ref(word).store(value, std::memory_order_release);
}

/// Ordered: what is loaded after it is as new at least.
[[nodiscard]] inline std::uint64_t load(std::uint64_t& word) noexcept {
  return std::atomic_ref(word).load(std::memory_order_acquire);
}

/// An entry for one call; null if all are taken.
[[nodiscard]] CallEntry* take_entry(Record& record) noexcept;

/// Begins a call in an entry that was taken.
void enter(CallEntry& entry, Description const& description, Stage stage) noexcept;

/// Of the call in an entry of this thread.
[[nodiscard]] Description description_of(CallEntry const& entry) noexcept;

/// Ends it and gives the entry back.
void leave(CallEntry& entry) noexcept;

/// A copy of words that may change meanwhile: each of them is whole, together they need not fit.
void copy_words(Record& from, Record& to) noexcept;

/// A call as it was found.
struct Activity {
  std::uint64_t version = 0;  ///< changes with each call in the entry
  Description description{};
  Wait wait{};
  Time since = 0;
  int world_peer = -1;
  int num_rounds = 0;
};

/// What a rank was found to do.
struct Findings {
  struct Last {
    std::string function;
    Time end = 0;
  };

  /// By number of entry; none: no call is there.
  std::array<std::optional<Activity>, Record::num_entries> calls{};
  bool is_moving = false;  ///< calls come and go faster than one can look
  std::optional<Last> last;
  Time finished_since = 0;

  [[nodiscard]] bool is_in_call() const noexcept;
};

/// Copies a record; false if it cannot be read.
using Copy = std::function<bool(Record& to)>;

/// What stands in a record that may change meanwhile; none if there is no rank.
[[nodiscard]] std::optional<Findings> look_at(Copy const& copy);

}  // namespace espalier::watch
