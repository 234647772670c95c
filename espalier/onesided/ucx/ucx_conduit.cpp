// SPDX-License-Identifier: Apache-2.0

/// @file
/// Puts, gets and atomic additions of UCX (ucx_transfers), and active messages (ucx_mailbox). A
/// small put that raises goes as one of these to where a put, a flush and an addition would take
/// longer. Source: [nishtala2009], section 3.

#include "espalier/onesided/ucx/ucx_conduit.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <sched.h>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/exec/node/mpi_shared_memory.hpp"
#include "espalier/mpi/progress.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/onesided/mpi/mpi_attachment.hpp"
#include "espalier/onesided/ucx/ucx_barrier.hpp"
#include "espalier/onesided/ucx/ucx_library.hpp"
#include "espalier/onesided/ucx/ucx_resources.hpp"
#include "espalier/onesided/ucx/ucx_transfers.hpp"

namespace espalier::onesided {
namespace {

class UcxConduit final : public Conduit {
public:
  using Conduit::Attached;

  UcxConduit(Attached attached, std::unique_ptr<UcxResources> resources)
      : Conduit(std::move(attached)), resources_(std::move(resources)),
        worker_(resources_->worker()), mailbox_(resources_->mailbox()),
        transfers_(worker_, resources_->peers(), rank(), own_segment()),
        barrier_(rank(), num_ranks()) {}

  UcxConduit(UcxConduit const&) = delete;
  UcxConduit& operator=(UcxConduit const&) = delete;
  UcxConduit(UcxConduit&&) = delete;
  UcxConduit& operator=(UcxConduit&&) = delete;

  ~UcxConduit() override {
    try {
      detach();
    } catch (Error const&) {
      // A connection or MPI failed. What is left to do is to give back what they have.
    }
  }

  /// Without room each is a put, a flush and an addition, so one put does not take all of it.
  [[nodiscard]] int most_raising_at_once(int rank, std::size_t num_bytes) const override {
    constexpr int most = 4;
    return goes_as_mail(rank, num_bytes) ? most : 1;
  }

private:
  /// A raising put, if there is room for a message.
  [[nodiscard]] bool goes_as_mail(int rank, std::size_t num_bytes) const {
    return num_bytes <= UcxOutbox::payload_bytes && resources_->peer(rank).is_far();
  }

  static_assert(complete == UcxTransfers::complete);

  Slot do_put(Remote to, void const* from, std::size_t num_bytes) override {
    return transfers_.put(to, from, num_bytes);
  }

  Slot do_get(void* to, Remote from, std::size_t num_bytes) override {
    return transfers_.get(to, from, num_bytes);
  }

  Slot do_put_raising(Remote to, void const* from, std::size_t num_bytes, Raise raise) override {
    if (goes_as_mail(to.rank, num_bytes) && mailbox_.has_room(to.rank, false)) {
      mail_put(to, {static_cast<std::byte const*>(from), num_bytes}, raise);
      return complete;
    }
    return transfers_.put_raising(to, from, num_bytes, raise);
  }

  void mail_put(Remote to, std::span<std::byte const> data, Raise raise) {
    mailbox_.send(
        to.rank,
        false,
        {
            .kind = UcxMailKind::raising_put,
            .num_bytes = data.size(),
            .offset = to.offset,
            .arguments = {raise.offset, raise.amount},
        },
        data
    );
  }

  void do_post_put(Remote to, void const* from, std::size_t num_bytes) override {
    transfers_.post_put(to, from, num_bytes);
  }

  void do_post_get(void* to, Remote from, std::size_t num_bytes) override {
    transfers_.post_get(to, from, num_bytes);
  }

  bool try_fence() override { return transfers_.try_fence(); }

  bool is_local(Slot slot) override { return transfers_.is_local(slot); }

  bool is_over(Slot slot) override { return transfers_.is_over(slot); }

  void leave_to_fence(Slot slot) noexcept override { transfers_.drop(slot); }

  bool try_signal(Remote counter, std::uint64_t amount) override {
    return transfers_.try_add(counter, amount);
  }

  std::uint64_t load_counter(std::uint64_t offset) override {
    auto& counter = *reinterpret_cast<std::uint64_t*>(own_segment() + offset);
    return std::atomic_ref<std::uint64_t>(counter).load(std::memory_order_acquire);
  }

  bool try_send(Outgoing const& outgoing) override {
    if (!mailbox_.has_room(outgoing.rank, outgoing.is_reply)) {
      return false;
    }
    UcxMailHeader header{
        .kind = kind_of(outgoing),
        .handler = static_cast<std::uint16_t>(outgoing.handler),
        .num_bytes = outgoing.payload.size(),
        .offset = outgoing.offset,
    };
    auto const arguments = outgoing.arguments.values();
    header.num_arguments = static_cast<std::uint8_t>(arguments.size());
    std::ranges::copy(arguments, header.arguments.begin());
    auto payload = outgoing.payload;
    if (header.kind == UcxMailKind::landed) {
      land({outgoing.rank, outgoing.offset}, payload);
      payload = {};
    }
    mailbox_.send(outgoing.rank, outgoing.is_reply, header, payload);
    return true;
  }

  static UcxMailKind kind_of(Outgoing const& outgoing) noexcept {
    if (outgoing.kind != MessageKind::long_message) {
      return UcxMailKind::here;
    }
    bool const is_small = outgoing.payload.size() <= UcxOutbox::payload_bytes;
    return is_small ? UcxMailKind::for_segment : UcxMailKind::landed;
  }

  /// Waits until a payload is there. Runs no handlers: this may be the reply of one.
  void land(Remote to, std::span<std::byte const> payload) {
    Slot const slot = do_put(to, payload.data(), payload.size());
    while (slot != complete && !is_over(slot)) {
      worker_.progress();
      worker_.require_no_failure();
      look_around();
    }
  }

  void do_poll() override {
    worker_.progress();
    worker_.require_no_failure();
    transfers_.push_on();
    (void)has_passed();
    mailbox_.return_credits();
    // A bounded number, so that nobody who polls stays in it for ever.
    for (std::uint32_t i = 0; i < 2 * UcxMailbox::num_credits && mailbox_.has_mail(); ++i) {
      open(UcxMailbox::Taken(mailbox_));
    }
  }

  void open(UcxMailbox::Taken const& taken) {
    UcxMailHeader const& header = taken.header();
    bool const is_for_segment =
        header.kind == UcxMailKind::for_segment || header.kind == UcxMailKind::raising_put;
    if (is_for_segment && header.num_bytes > 0) {
      std::memcpy(own_segment() + header.offset, taken.payload(), header.num_bytes);
    }
    if (header.kind == UcxMailKind::raising_put) {
      raise_own(header.arguments[0], header.arguments[1]);
      return;
    }
    bool const is_here = header.kind == UcxMailKind::here;
    deliver({
        .source = static_cast<int>(header.source),
        .is_reply = taken.is_reply(),
        .handler = header.handler,
        .payload = {is_here ? taken.payload() : own_segment() + header.offset, header.num_bytes},
        .arguments = {header.arguments.data(), header.num_arguments},
    });
  }

  /// By UCX, as other additions to this counter are, which may be those of a network adapter.
  void raise_own(std::uint64_t offset, std::uint64_t amount) {
    while (!transfers_.try_add({rank(), offset}, amount)) {
      worker_.progress();
    }
  }

  void do_notify() override {
    barrier_.notify();
    (void)has_passed();
  }

  bool has_passed() override {
    auto const counter_of = [this](int rank, std::uint64_t counter) {
      return UcxSegment::counter_behind(segment_bytes(rank), counter);
    };
    return barrier_.advance(
        [&](int rank, std::uint64_t counter) {
          return try_signal({rank, counter_of(rank, counter)}, 1);
        },
        [&](std::uint64_t counter) { return load_counter(counter_of(rank(), counter)); }
    );
  }

  /// Lets MPI notice that the job is to end, and send what others wait for.
  void look_around() override {
    mpi::require_success(mpi::make_progress(resources_->comm()), "MPI_Iprobe");
  }

  /// All that this rank began is over, then all that the others did. Handlers are not run.
  void detach() {
    worker_.require_no_failure();
    while (!transfers_.is_done() || !mailbox_.is_empty()) {
      sched_yield();
      worker_.progress();
      worker_.require_no_failure();
    }
    resources_->close();
  }

  std::unique_ptr<UcxResources> resources_;
  UcxWorker& worker_;
  UcxMailbox& mailbox_;
  UcxTransfers transfers_;
  UcxBarrier barrier_;
};

}  // namespace

bool has_ucx() noexcept {
  try {
    load_ucx();
    return true;
  } catch (Error const&) {
    return false;
  }
}

std::unique_ptr<Conduit> attach_ucx(
    MPI_Comm comm, std::uint64_t segment_bytes, std::vector<Handler> handlers, UcxWatch watch
) {
  auto own = mpi::OwnCommunicator::duplicate(comm);
  int const rank = own.rank();
  std::vector<std::uint64_t> sizes = exchange_sizes(own.get(), segment_bytes, handlers.size());
  bool const shares_processors = exec::node::share_processors(ranks_of_node(own.get()).get());
  auto resources = std::make_unique<UcxResources>(std::move(own), sizes, watch);
  UcxConduit::Attached attached{
      .rank = rank,
      .segment_bytes = std::move(sizes),
      .segment = resources->segment().memory(),
      .max_medium_bytes = UcxOutbox::payload_bytes,
      .shares_processors = shares_processors,
      .handlers = std::move(handlers),
  };
  return std::make_unique<UcxConduit>(std::move(attached), std::move(resources));
}

}  // namespace espalier::onesided
