// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/onesided/conduit.hpp"
#include "espalier/onesided/memory/postbox.hpp"

namespace espalier::onesided {

/// Raised by every notify(), and never reset: barrier number n is passed when all have come n
/// times.
struct Arrivals {
  alignas(line_bytes) std::atomic<std::uint64_t> num_notified;
};

/// Who has ended its conduit, so that nothing more comes from there.
struct Departures {
  alignas(line_bytes) std::atomic<std::uint64_t> num_ended;
  /// The least number of barriers that one of them has notified, and its rank; 0: nobody has ended.
  std::atomic<std::uint64_t> least;
};

/// The memory of all ranks, where the process of one of them sees it. Zero at the begin.
struct SharedView {
  PostShape shape;
  std::vector<std::byte*> areas;     ///< of active messages, by rank
  std::vector<std::byte*> segments;  ///< by rank
  Arrivals* arrivals = nullptr;
  Departures* departures = nullptr;
};

/// A conduit among ranks that reach the memory of each other by loads and stores. Puts and gets are
/// copies, over when they are started; counters are raised by one instruction.
///
/// Memory order: what raises a counter, posts a message or notifies stores with release, and what
/// sees it loads with acquire. Puts themselves are plain copies.
class MemoryConduit : public Conduit {
protected:
  MemoryConduit(Attached attached, SharedView view);

  /// The other ranks need not wait for this one any more. Once, while the memory is there.
  void note_end() noexcept;

  /// A message will be posted now: what is posted was noted.
  virtual void note_post(Outgoing const& outgoing);
  /// A message is about to be handed to its handler.
  virtual void note_delivery(int source, bool is_reply);

  Slot do_put(Remote to, void const* from, std::size_t num_bytes) override;
  Slot do_get(void* to, Remote from, std::size_t num_bytes) override;
  Slot do_put_raising(Remote to, void const* from, std::size_t num_bytes, Raise raise) override;
  void do_post_put(Remote to, void const* from, std::size_t num_bytes) override;
  void do_post_get(void* to, Remote from, std::size_t num_bytes) override;
  bool try_fence() override;
  bool is_local(Slot slot) override;
  bool is_over(Slot slot) override;
  void leave_to_fence(Slot slot) noexcept override;
  bool try_signal(Remote counter, std::uint64_t amount) override;
  std::uint64_t load_counter(std::uint64_t offset) override;
  bool try_send(Outgoing const& outgoing) final;
  void do_poll() final;
  void do_wait(exec::node::Patience& patience) final;
  void do_notify() override;
  bool has_passed() override;

private:
  [[nodiscard]] std::byte* memory(Remote remote) const noexcept;
  [[nodiscard]] std::atomic_ref<std::uint64_t> counter_at(Remote counter) const noexcept;
  [[nodiscard]] bool take(int source, bool is_reply);
  void require_others();
  void require_barrier(std::uint64_t least) const;
  void require_company();

  SharedView view_;
  Postbox postbox_;
  std::uint64_t num_barriers_ = 0;  ///< that this rank has notified
  bool is_alone_ = false;           ///< all others had ended before the last look at what is there
};

}  // namespace espalier::onesided
