// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/exec/node/waiting.hpp"
#include "espalier/onesided/handle.hpp"
#include "espalier/onesided/message.hpp"
#include "espalier/onesided/remote.hpp"

namespace espalier::onesided {

/// One-sided communication of one rank: whoever starts a transfer knows both addresses, and nothing
/// is matched at the other end. Every rank registers a segment when it attaches; the remote end of
/// every transfer lies in one.
///
/// Used by one thread at a time. Nothing is ordered but by the completions, counters, messages and
/// barriers below. All calls that wait also run handlers.
///
/// Calls throw Error argument, before anything happens, if they name a rank, a part of a segment, a
/// counter or a handler that does not exist; the conduit can be used after that.
class Conduit {
public:
  Conduit(Conduit const&) = delete;
  Conduit& operator=(Conduit const&) = delete;
  Conduit(Conduit&&) = delete;
  Conduit& operator=(Conduit&&) = delete;

  /// Collective, as attaching was; what it waits for depends on the conduit.
  virtual ~Conduit() = default;

  [[nodiscard]] int rank() const noexcept { return rank_; }

  [[nodiscard]] int num_ranks() const noexcept { return static_cast<int>(segment_bytes_.size()); }

  /// The memory of this rank that others reach, aligned to cache lines. Zero after attaching.
  [[nodiscard]] std::span<std::byte> segment() const noexcept { return segment_; }

  [[nodiscard]] std::uint64_t segment_bytes(int rank) const;

  /// Largest payload of a medium message. The same on all ranks.
  [[nodiscard]] std::size_t max_medium_bytes() const noexcept { return max_medium_bytes_; }

  /// Writes to a segment; over when the data is there.
  void put(Remote to, void const* from, std::size_t num_bytes);
  /// Reads from a segment; over when the data is here.
  void get(void* to, Remote from, std::size_t num_bytes);
  /// Writes, and raises a counter after that: who sees the raised counter sees the data. Over when
  /// `from` may be written again; that the data is there only the counter says.
  ///
  /// One writer makes it a signaling put, several writers to one counter a counting put.
  void put_raising(Remote to, void const* from, std::size_t num_bytes, Raise raise);

  /// So many raising puts of that size may be on their way to a rank at a time, each as one
  /// message. Where they are more, one that raises behind all of them costs less than each by
  /// itself.
  [[nodiscard]] virtual int most_raising_at_once(int /*rank*/, std::size_t /*num_bytes*/) const {
    return 1;
  }

  /// The same without waiting. `from` must stay, and `to` must not be read, until the handle says.
  [[nodiscard]] Handle start_put(Remote to, void const* from, std::size_t num_bytes);
  [[nodiscard]] Handle start_get(void* to, Remote from, std::size_t num_bytes);
  [[nodiscard]] Handle
  start_put_raising(Remote to, void const* from, std::size_t num_bytes, Raise raise);

  /// The same without handles: over at the next fence.
  void post_put(Remote to, void const* from, std::size_t num_bytes);
  void post_get(void* to, Remote from, std::size_t num_bytes);
  /// Waits for all that was posted, and for what dropped handles had started.
  void fence();
  /// Whether a fence would not wait. Polls.
  [[nodiscard]] bool test_fence();

  /// Whether `from` of a put may be written again. The handle stays open.
  [[nodiscard]] bool test_local(Handle& handle);
  void wait_local(Handle& handle);
  /// Whether the operation is over, as in its blocking form. Then so is the handle.
  /// @throws Error argument for a handle that is over, or began nothing here.
  [[nodiscard]] bool test(Handle& handle);
  /// The same without polling.
  [[nodiscard]] bool look(Handle& handle);
  void wait(Handle& handle);

  /// Adds to a counter of a rank, in no order with puts that are not over.
  void signal(Remote counter, std::uint64_t amount = 1);
  /// The same, if there is room for it; false if not. Waits for nobody, and does not poll.
  [[nodiscard]] bool begin_signal(Remote counter, std::uint64_t amount = 1);
  /// The value of a counter of this rank. Does not poll.
  [[nodiscard]] std::uint64_t counter(std::uint64_t offset);
  /// Waits until a counter of this rank is `at_least` that.
  void await(std::uint64_t offset, std::uint64_t at_least);

  /// Active messages. Over when the payload may be written again. They may overtake each other.
  /// @param handler  index into the list that all ranks attached with
  void send_short(int rank, std::uint32_t handler, Arguments const& arguments = {});
  void send_medium(
      int rank,
      std::uint32_t handler,
      std::span<std::byte const> payload,
      Arguments const& arguments = {}
  );
  /// The handler runs when the payload is in the segment.
  void send_long(
      Remote to,
      std::uint32_t handler,
      std::span<std::byte const> payload,
      Arguments const& arguments = {}
  );

  /// Any of these messages, if there is room for it; false if not. Waits for nobody, and does not
  /// poll.
  [[nodiscard]] bool begin_send(Outgoing const& outgoing);

  /// @throws Error argument inside of a handler.
  void check_outside_handler() const;

  /// Runs handlers of messages that are there, and moves what is on the way. Never waits.
  void poll();

  /// Polls until a condition holds that others make true: every wait is of this form.
  template <typename Condition> void wait_until(Condition&& is_true) {
    exec::node::Patience patience(shares_processors_);
    while (!is_true()) {
      do_wait(patience);
    }
  }

  /// The same for what others do without this conduit, as in MPI.
  template <typename Condition> void poll_until(Condition&& is_true) {
    exec::node::Patience patience(shares_processors_);
    while (!is_true()) {
      let_pass(patience);
    }
  }

  /// First half of a barrier. It orders what was over before it; it waits for nothing.
  void notify();
  /// Second half: whether all ranks have notified. Polls.
  /// @throws Error argument if this rank has not, as does notify() if it has.
  [[nodiscard]] bool try_barrier();
  void barrier();

protected:
  /// What a rank knows after attaching.
  struct Attached {
    int rank = 0;
    std::vector<std::uint64_t> segment_bytes;  ///< by rank
    std::byte* segment = nullptr;
    std::size_t max_medium_bytes = 0;
    bool shares_processors = false;
    std::vector<Handler> handlers;
  };

  /// A conduit's own name of an operation that is underway.
  using Slot = std::uint32_t;
  static constexpr Slot complete = Handle::complete;

  explicit Conduit(Attached attached);

  [[nodiscard]] std::byte* own_segment() const noexcept { return segment_.data(); }

  /// Runs the handler of a message.
  void deliver(Incoming const& incoming);

  /// Polls, and lets some time pass. True now and then: the wait has become long.
  bool let_pass(exec::node::Patience& patience);

private:
  friend class Handle;
  friend class Message;

  // What a conduit has to do; arguments are checked, and num_bytes is not 0 for put and get.
  virtual Slot do_put(Remote to, void const* from, std::size_t num_bytes) = 0;
  virtual Slot do_get(void* to, Remote from, std::size_t num_bytes) = 0;
  /// num_bytes may be 0.
  virtual Slot do_put_raising(Remote to, void const* from, std::size_t num_bytes, Raise raise) = 0;
  virtual void do_post_put(Remote to, void const* from, std::size_t num_bytes) = 0;
  virtual void do_post_get(void* to, Remote from, std::size_t num_bytes) = 0;
  virtual bool try_fence() = 0;
  virtual bool is_local(Slot slot) = 0;
  /// True releases the slot.
  virtual bool is_over(Slot slot) = 0;
  /// Nobody will ask again.
  virtual void leave_to_fence(Slot slot) noexcept = 0;
  /// False if there is no room now.
  virtual bool try_signal(Remote counter, std::uint64_t amount) = 0;
  virtual std::uint64_t load_counter(std::uint64_t offset) = 0;
  /// False if there is no room now, which is never the case for a reply.
  virtual bool try_send(Outgoing const& outgoing) = 0;
  virtual void do_poll() = 0;
  /// Polls, and lets some time pass, or all until something happens.
  virtual void do_wait(exec::node::Patience& patience);
  virtual void do_notify() = 0;
  virtual bool has_passed() = 0;
  /// Called now and then while this rank waits.
  /// @throws Error if it would wait for ever.
  virtual void look_around() = 0;

  void check_rank(int rank) const;
  void check_range(char const* action, Remote remote, std::uint64_t num_bytes) const;
  void check_transfer(
      char const* action, Remote remote, void const* memory, std::uint64_t num_bytes
  ) const;
  void check_counter(Remote counter) const;
  void check_message(Outgoing const& outgoing) const;
  void check_open(Handle const& handle) const;
  void send(Outgoing const& outgoing);

  int rank_;
  bool shares_processors_;
  bool is_in_handler_ = false;
  bool has_notified_ = false;
  std::size_t max_medium_bytes_;
  std::span<std::byte> segment_;
  std::vector<std::uint64_t> segment_bytes_;
  std::vector<Handler> handlers_;
};

}  // namespace espalier::onesided
