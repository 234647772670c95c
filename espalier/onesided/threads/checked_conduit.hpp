// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/onesided/threads/shadow.hpp"
#include "espalier/onesided/threads/thread_conduit.hpp"

namespace espalier::onesided {

/// One rank of a checked ThreadWorld: tells a shadow of all that it does, before it does it. Puts
/// and gets are over when their handle, or a fence, says so, and not when they were copied.
class CheckedConduit final : public ThreadConduit {
public:
  CheckedConduit(ThreadWorld& world, Shadow& shadow, int rank, std::vector<Handler> handlers);

private:
  void note_delivery(int source, bool is_reply) override;
  void note_post(Outgoing const& outgoing) override;

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
  void do_notify() override;
  bool has_passed() override;

  [[nodiscard]] std::optional<Span>
  local(AccessKind kind, void const* memory, std::size_t num_bytes) const;

  Shadow& shadow_;
  std::vector<Slot> posted_;
};

}  // namespace espalier::onesided
