// SPDX-License-Identifier: Apache-2.0

/// @file
/// The order of memory accesses in a channel, apart from what travels, so that tests can run this
/// very code on a model of memory.
///
/// A line belongs to its writer until `publish`, and to its reader until `release`. Whoever gives
/// a line away stores with release, and whoever takes it over loads with acquire; there is no other
/// synchronisation, and no read-modify-write. Numbers only grow (modulo 2^32) and are never reset:
/// a store of one communicator that arrives late means nothing to the next one.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace espalier::exec::node {

/// Lines of a channel; a power of two, as numbers of fragments wrap around.
inline constexpr std::uint32_t num_lines = 16;

/// A reader gives lines back in groups: each store makes the writer fetch a cache line again. Less
/// than all of them, so that a writer never waits for lines that the reader keeps.
inline constexpr std::uint32_t lines_at_once = num_lines / 4;

/// The flags of one channel, wherever they are. `Flag` is an atomic number.
template <typename Flag> struct Flags {
  Flag* first = nullptr;         ///< flag of line 0: the number of the fragment in it, from 1 on
  std::size_t stride_bytes = 0;  ///< from line to line
  Flag* consumed = nullptr;      ///< fragments that the reader has released, as far as it told

  [[nodiscard]] Flag& of_line(std::uint32_t index) const noexcept {
    auto* const base = reinterpret_cast<std::byte*>(first);
    return *reinterpret_cast<Flag*>(base + index * stride_bytes);
  }
};

/// How a channel works. Tests weaken it to see that the model notices.
struct ReleaseAcquire {
  static constexpr std::uint32_t lines = num_lines;
  static constexpr std::uint32_t at_once = lines_at_once;
  static constexpr auto store = std::memory_order_release;
  static constexpr auto load = std::memory_order_acquire;
};

/// The writer's end: one thread.
template <typename Flag, typename Rules = ReleaseAcquire> class Outflow {
public:
  /// Goes on where the last writer of the channel, this process, ended.
  explicit Outflow(Flags<Flag> flags) noexcept
      : flags_(flags), consumed_(flags.consumed->load(std::memory_order_acquire)) {
    sent_ = consumed_;
    while (sent_ - consumed_ < Rules::lines &&
           flags_.of_line(sent_ % Rules::lines).load(std::memory_order_relaxed) == sent_ + 1) {
      ++sent_;
    }
  }

  /// Whether line() may be written, and fewer than `most` lines are the reader's. Looks at the
  /// reader's flag only if there seem to be so many.
  [[nodiscard]] bool has_room(std::uint32_t most = Rules::lines) noexcept {
    if (sent_ - consumed_ < most) [[likely]] {
      return true;
    }
    consumed_ = flags_.consumed->load(Rules::load);
    return sent_ - consumed_ < most;
  }

  /// The line for the next fragment.
  [[nodiscard]] std::uint32_t line() const noexcept { return sent_ % Rules::lines; }

  /// Gives the line, with all that was written to it, to the reader.
  void publish() noexcept {
    Flag& flag = flags_.of_line(line());
    flag.store(++sent_, Rules::store);
  }

  /// Number of the last fragment that was published.
  [[nodiscard]] std::uint32_t last() const noexcept { return sent_; }

  /// Whether the reader has told that it released all that was published.
  [[nodiscard]] bool is_drained() noexcept {
    consumed_ = flags_.consumed->load(Rules::load);
    return consumed_ == sent_;
  }

private:
  Flags<Flag> flags_;
  std::uint32_t consumed_;  ///< at least
  std::uint32_t sent_ = 0;
};

/// The reader's end: one thread.
template <typename Flag, typename Rules = ReleaseAcquire> class Inflow {
public:
  /// Goes on where the last reader of the channel, this process, ended.
  explicit Inflow(Flags<Flag> flags) noexcept
      : flags_(flags), taken_(flags.consumed->load(std::memory_order_relaxed)) {}

  /// Whether line() has a fragment.
  [[nodiscard]] bool has_fragment() const noexcept {
    return flags_.of_line(line()).load(Rules::load) == taken_ + 1;
  }

  [[nodiscard]] std::uint32_t line() const noexcept { return taken_ % Rules::lines; }

  /// Number of the fragment in line().
  [[nodiscard]] std::uint32_t number() const noexcept { return taken_ + 1; }

  /// Gives the line back to the writer, who is told of it with others, `at_once` of them.
  void release(std::uint32_t at_once = Rules::at_once) noexcept {
    if (++taken_ % at_once == 0) {
      settle();
    }
  }

  /// Tells the writer of all lines that were released.
  void settle() noexcept { flags_.consumed->store(taken_, Rules::store); }

private:
  Flags<Flag> flags_;
  std::uint32_t taken_;
};

}  // namespace espalier::exec::node
