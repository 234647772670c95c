// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "espalier/onesided/remote.hpp"

namespace espalier::onesided {

enum class AccessKind : std::uint8_t {
  put,   ///< writes
  get,   ///< reads
  raise  ///< adds to a counter, or looks at one; in order with others of this kind
};

/// Bytes of a segment, and what happens to them.
struct Span {
  AccessKind kind = AccessKind::get;
  Remote remote;
  std::uint64_t num_bytes = 0;
};

/// Which bytes of segments were accessed by whom, and which accesses are ordered.
///
/// Every rank has a clock, which moves when it tells others something: by a counter, a message or
/// a barrier. Who learns of it takes over all that the teller knew (vector clocks, as in race
/// detectors for threads). An access is ordered before another one if it was over when its rank, or
/// whoever learned that it is over, told so, and the rank of the other one knows. Accesses that
/// overlap, are not ordered, and do not both read (or both raise) are an error.
///
/// All members may be called by any thread. Those that begin accesses throw Error argument, which
/// names both accesses; then none has begun.
class Shadow {
public:
  using Ticket = std::uint32_t;

  explicit Shadow(std::size_t num_ranks);

  /// An operation of a rank begins: its remote end, and the other one if that is in a segment, too.
  [[nodiscard]] Ticket begin(int rank, Span const& remote, std::optional<Span> const& local);
  /// The memory of this rank is not needed any longer.
  void end_local(int rank, Ticket ticket);
  void end(int rank, Ticket ticket);

  void raise(int rank, Remote counter);
  /// Writes, and raises a counter by which the owner learns that the write is over.
  void raise_after(int rank, Span const& written, Remote counter);
  /// The owner looks at a counter.
  void look(int rank, std::uint64_t offset);

  /// A message, and what it writes to the segment of its receiver; 0 bytes: nothing.
  void send(int rank, int to, bool is_reply, Span const& written);
  void deliver(int rank, int source, bool is_reply);

  void notify(int rank);
  void pass(int rank);

private:
  using Clock = std::vector<std::uint64_t>;

  struct Access {
    int rank = 0;
    Span span;
    bool is_over = false;
    int known_by = 0;        ///< whose clock tells when it was over
    std::uint64_t time = 0;  ///< on that clock

    [[nodiscard]] std::uint64_t begin() const { return span.remote.offset; }

    [[nodiscard]] std::uint64_t end() const { return begin() + span.num_bytes; }
  };

  using Shared = std::shared_ptr<Access>;

  struct Operation {
    Shared remote;
    Shared local;
  };

  /// Accesses of some bytes, up to `end`, as far as later ones have to be compared with them.
  struct Stretch {
    std::uint64_t end = 0;
    std::vector<Shared> accesses;
  };

  using Stretches = std::map<std::uint64_t, Stretch>;

  /// On the way to whoever looks at a counter or gets a message.
  struct News {
    Clock clock;
    std::vector<Shared> accesses;  ///< that are over then
  };

  [[nodiscard]] Clock& clock(int rank) { return clocks_[static_cast<std::size_t>(rank)]; }

  [[nodiscard]] Stretches& stretches_of(Access const& access) {
    return segments_[static_cast<std::size_t>(access.span.remote.rank)];
  }

  /// An access that conflicts with none; not kept yet. Null if it has no bytes.
  [[nodiscard]] Shared check(int rank, Span const& span);
  void keep(Shared const& access);
  [[nodiscard]] bool is_ordered(Access const& earlier, int rank) const;
  void close(Access& access, int rank);
  void tell(int rank, Clock& to);
  void learn(int rank, Clock const& from);
  void learn(int rank, News& news);

  std::mutex mutex_;
  std::vector<Clock> clocks_;
  std::vector<Stretches> segments_;
  std::vector<std::vector<Operation>> open_;  ///< by rank and ticket
  std::vector<std::vector<Ticket>> free_;     ///< tickets, by rank
  std::map<std::pair<int, std::uint64_t>, News> counters_;
  std::map<std::tuple<int, int, bool>, std::deque<News>> messages_;
  std::array<Clock, 2> barriers_;
  std::vector<std::uint64_t> num_notified_;
};

}  // namespace espalier::onesided
