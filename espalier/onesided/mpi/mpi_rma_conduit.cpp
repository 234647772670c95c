// SPDX-License-Identifier: Apache-2.0

/// @file
/// Puts and gets are those of a window of MPI, which is open all the time. MPI has no order between
/// a put and what raises a counter behind it, but a flush, which goes there and back. So what
/// raises counters travels as mail, together with the data where that is small: one message, as the
/// long active message that a signaling put is in GASNet. Counters are then raised by their owner.
/// Source: [nishtala2009], section 3.

#include "espalier/onesided/mpi/mpi_rma_conduit.hpp"

#include <algorithm>
#include <cstring>
#include <sched.h>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/exec/node/mpi_shared_memory.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/onesided/mpi/mpi_attachment.hpp"
#include "espalier/onesided/mpi/mpi_mailbox.hpp"
#include "espalier/onesided/mpi/mpi_window.hpp"
#include "espalier/onesided/operations.hpp"

namespace espalier::onesided {
namespace {

using mpi::OwnCommunicator;
using mpi::require_success;

/// What an operation waits for.
enum class Stage : std::uint8_t {
  put,      ///< its request, and then a flush
  get,      ///< its request
  far_put,  ///< as a put; then it raises
  mail,     ///< room for mail: a small put that raises
  raise,    ///< room for mail: a signal
  over
};

struct Operation {
  Stage stage = Stage::over;
  MPI_Request request = MPI_REQUEST_NULL;
  std::uint64_t number = 0;  ///< of a put among what its rank has to flush
  Remote to;
  void const* from = nullptr;
  std::size_t num_bytes = 0;
  Raise raise;
};

/// What a conduit holds of MPI, in the order in which it is made.
struct Resources {
  Resources(MPI_Comm all, std::uint64_t segment_bytes)
      : comm(OwnCommunicator::duplicate(all)), window(comm.get(), segment_bytes), mailbox(comm) {}

  OwnCommunicator comm;
  MpiWindow window;
  MpiMailbox mailbox;
};

class RmaConduit final : public Conduit {
public:
  using Conduit::Attached;

  RmaConduit(Attached attached, std::unique_ptr<Resources> resources)
      : Conduit(std::move(attached)), resources_(std::move(resources)), window_(resources_->window),
        mailbox_(resources_->mailbox) {}

  RmaConduit(RmaConduit const&) = delete;
  RmaConduit& operator=(RmaConduit const&) = delete;
  RmaConduit(RmaConduit&&) = delete;
  RmaConduit& operator=(RmaConduit&&) = delete;

  ~RmaConduit() override {
    try {
      detach();
    } catch (Error const&) {
      // MPI failed. What is left to do is to give back what it has.
    }
  }

  /// A quarter of the room, so that one put does not take it all.
  [[nodiscard]] int most_raising_at_once(int /*rank*/, std::size_t num_bytes) const override {
    constexpr auto most = static_cast<int>(MpiMailbox::num_buffers / 4);
    return num_bytes <= MpiMailbox::payload_bytes ? most : 1;
  }

private:
  Slot do_put(Remote to, void const* from, std::size_t num_bytes) override {
    Slot const slot = operations_.take({.stage = Stage::put, .to = to});
    operations_[slot].request = window_.put(to, from, num_bytes);
    operations_[slot].number = window_.started(to.rank);
    return slot;
  }

  Slot do_get(void* to, Remote from, std::size_t num_bytes) override {
    Slot const slot = operations_.take({.stage = Stage::get, .to = from});
    operations_[slot].request = window_.get(to, from, num_bytes);
    return slot;
  }

  Slot do_put_raising(Remote to, void const* from, std::size_t num_bytes, Raise raise) override {
    bool const is_small = num_bytes <= MpiMailbox::payload_bytes;
    Slot const slot = operations_.take({
        .stage = is_small ? Stage::mail : Stage::far_put,
        .to = to,
        .from = from,
        .num_bytes = num_bytes,
        .raise = raise,
    });
    Operation& operation = operations_[slot];
    if (!is_small) {
      operation.request = window_.put(to, from, num_bytes);
      operation.number = window_.started(to.rank);
    }
    if (advance(operation)) {
      operations_.free(slot);
      return complete;
    }
    operations_.push(slot);
    return slot;
  }

  void do_post_put(Remote to, void const* from, std::size_t num_bytes) override {
    window_.post_put(to, from, num_bytes);
  }

  void do_post_get(void* to, Remote from, std::size_t num_bytes) override {
    window_.post_get(to, from, num_bytes);
  }

  bool try_fence() override {
    if (!operations_.end_dropped([this](Slot slot) { return is_over(slot); })) {
      return false;
    }
    window_.flush_all();
    return true;
  }

  bool is_local(Slot slot) override {
    Operation& operation = operations_[slot];
    return operation.stage == Stage::put ? is_requested(operation) : advance(operation);
  }

  bool is_over(Slot slot) override {
    if (!advance(operations_[slot])) {
      return false;
    }
    operations_.free(slot);
    return true;
  }

  void leave_to_fence(Slot slot) noexcept override { operations_.drop(slot); }

  bool try_signal(Remote counter, std::uint64_t amount) override {
    if (!mailbox_.has_room_for_request(counter.rank)) {
      return false;
    }
    mail_signal(counter, amount);
    return true;
  }

  std::uint64_t load_counter(std::uint64_t offset) override {
    std::uint64_t value = 0;
    std::memcpy(&value, own_segment() + offset, sizeof value);
    return value;
  }

  bool try_send(Outgoing const& outgoing) override {
    bool const has_room = outgoing.is_reply ? mailbox_.has_room_for_reply()
                                            : mailbox_.has_room_for_request(outgoing.rank);
    if (!has_room) {
      return false;
    }
    MailHeader header{
        .kind = kind_of(outgoing),
        .handler = static_cast<std::uint16_t>(outgoing.handler),
        .num_bytes = outgoing.payload.size(),
        .offset = outgoing.offset,
    };
    auto const arguments = outgoing.arguments.values();
    header.num_arguments = static_cast<std::uint8_t>(arguments.size());
    std::ranges::copy(arguments, header.arguments.begin());
    auto payload = outgoing.payload;
    if (header.kind == MailKind::long_landed) {
      window_.post_put({outgoing.rank, outgoing.offset}, payload.data(), payload.size());
      window_.flush(outgoing.rank);
      payload = {};
    }
    mailbox_.send(outgoing.rank, outgoing.is_reply, header, payload);
    return true;
  }

  static MailKind kind_of(Outgoing const& outgoing) noexcept {
    switch (outgoing.kind) {
    case MessageKind::short_message:
      return MailKind::short_message;
    case MessageKind::medium_message:
      return MailKind::medium_message;
    case MessageKind::long_message:
      break;
    }
    return outgoing.payload.size() <= MpiMailbox::payload_bytes ? MailKind::long_message
                                                                : MailKind::long_landed;
  }

  /// Takes as much mail as there are buffers, so that nobody who polls stays in it for ever. A
  /// request is taken only where there is room for its reply; replies always.
  void do_poll() override {
    push_on();
    for (std::size_t i = 0; i < 2 * MpiMailbox::num_buffers; ++i) {
      MpiMailbox::Taken const taken = mailbox_.take(!mailbox_.has_room_for_reply());
      if (!taken.is_there()) {
        return;
      }
      open(taken);
    }
  }

  void open(MpiMailbox::Taken const& taken) {
    MailHeader const& header = taken.header();
    bool const is_for_segment =
        header.kind == MailKind::long_message || header.kind == MailKind::raising_put;
    if (is_for_segment && header.num_bytes > 0) {
      std::memcpy(own_segment() + header.offset, taken.payload(), header.num_bytes);
    }
    window_.sync();
    if (header.kind == MailKind::signal) {
      raise_own(header.offset, header.arguments[0]);
    } else if (header.kind == MailKind::raising_put) {
      raise_own(header.arguments[0], header.arguments[1]);
    } else {
      bool const is_here = header.kind == MailKind::medium_message;
      deliver({
          .source = taken.source(),
          .is_reply = taken.is_reply(),
          .handler = header.handler,
          .payload = {is_here ? taken.payload() : own_segment() + header.offset, header.num_bytes},
          .arguments = {header.arguments.data(), header.num_arguments},
      });
    }
  }

  void raise_own(std::uint64_t offset, std::uint64_t amount) {
    std::uint64_t const value = load_counter(offset) + amount;
    std::memcpy(own_segment() + offset, &value, sizeof value);
  }

  void mail_signal(Remote counter, std::uint64_t amount) {
    mailbox_.send(
        counter.rank,
        false,
        {.kind = MailKind::signal, .offset = counter.offset, .arguments = {amount}},
        {}
    );
  }

  void do_notify() override {
    window_.sync();
    require_success(PMPI_Ibarrier(resources_->comm.get(), &barrier_), "MPI_Ibarrier");
  }

  bool has_passed() override {
    int is_over = 0;
    require_success(PMPI_Test(&barrier_, &is_over, MPI_STATUS_IGNORE), "MPI_Test");
    window_.sync();
    return is_over != 0;
  }

  /// MPI is looked at in every poll.
  void look_around() override {}

  static bool is_requested(Operation& operation) {
    int is_over = 1;
    if (operation.request != MPI_REQUEST_NULL) {
      require_success(PMPI_Test(&operation.request, &is_over, MPI_STATUS_IGNORE), "MPI_Test");
    }
    return is_over != 0;
  }

  /// Whether a put is there. MPI cannot tell without a flush, which waits for the other end; one
  /// flush serves all puts to a rank that were started before it.
  bool is_there(Operation& operation) {
    if (!is_requested(operation)) {
      return false;
    }
    if (window_.flushed(operation.to.rank) < operation.number) {
      window_.flush(operation.to.rank);
    }
    return true;
  }

  /// Goes on with an operation as far as it can. True if it is over.
  bool advance(Operation& operation) {
    if (operation.stage == Stage::far_put && is_there(operation)) {
      operation.stage = Stage::raise;
    }
    bool is_over = operation.stage == Stage::over;
    if (operation.stage == Stage::put) {
      is_over = is_there(operation);
    } else if (operation.stage == Stage::get) {
      is_over = is_requested(operation);
    } else if (operation.stage == Stage::raise &&
               mailbox_.has_room_for_request(operation.to.rank)) {
      mail_signal({operation.to.rank, operation.raise.offset}, operation.raise.amount);
      is_over = true;
    } else if (operation.stage == Stage::mail && mailbox_.has_room_for_request(operation.to.rank)) {
      mail_put(operation);
      is_over = true;
    }
    operation.stage = is_over ? Stage::over : operation.stage;
    return is_over;
  }

  void mail_put(Operation const& operation) {
    mailbox_.send(
        operation.to.rank,
        false,
        {
            .kind = MailKind::raising_put,
            .num_bytes = operation.num_bytes,
            .offset = operation.to.offset,
            .arguments = {operation.raise.offset, operation.raise.amount},
        },
        {static_cast<std::byte const*>(operation.from), operation.num_bytes}
    );
  }

  /// Puts that raise go on without being asked for. Whether all of them are over.
  bool push_on() {
    return operations_.push_on([this](Operation& operation) { return advance(operation); });
  }

  /// All that this rank began is over, then all that the others did, then all mail is there.
  /// Meanwhile mail is taken, as others wait for that, but not opened.
  void detach() {
    while (!push_on()) {
      discard_mail();
    }
    for (Operation& operation : operations_) {
      while (!is_requested(operation)) {
        discard_mail();
      }
    }
    window_.flush_all();
    do_notify();
    while (!has_passed()) {
      discard_mail();
    }
    mailbox_.close();
    while (!mailbox_.has_ended()) {
      discard_mail();
    }
  }

  void discard_mail() {
    while (mailbox_.take(false).is_there()) {
    }
    sched_yield();
  }

  std::unique_ptr<Resources> resources_;
  MpiWindow& window_;
  MpiMailbox& mailbox_;
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  Operations<Operation> operations_;
};

}  // namespace

std::unique_ptr<Conduit>
attach_rma(MPI_Comm comm, std::uint64_t segment_bytes, std::vector<Handler> handlers) {
  auto resources = std::make_unique<Resources>(comm, segment_bytes);
  MPI_Comm const own = resources->comm.get();
  RmaConduit::Attached attached{
      .rank = resources->comm.rank(),
      .segment_bytes = exchange_sizes(own, segment_bytes, handlers.size()),
      .segment = resources->window.segment(),
      .max_medium_bytes = MpiMailbox::payload_bytes,
      .shares_processors = exec::node::share_processors(ranks_of_node(own).get()),
      .handlers = std::move(handlers),
  };
  return std::make_unique<RmaConduit>(std::move(attached), std::move(resources));
}

}  // namespace espalier::onesided
