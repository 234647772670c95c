// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "espalier/exec/messages/message_order.hpp"
#include "espalier/exec/messages/mpi_steps.hpp"

namespace espalier::exec {
namespace {

using schedule::Kind;
using Action = MpiStep::Action;

/// Puts waits between the steps of a program in rounds.
class RoundsCompiler {
public:
  explicit RoundsCompiler(StepMaker& maker) : maker_(&maker), program_(&maker.program()) {}

  /// Waits are placed where an operation needs what an open receive writes, or that an open send
  /// is over; the other sends are waited for at the end: their requests lie behind all receives.
  void run() {
    for (std::size_t i = 0; i < maker_->bound().operations.size(); ++i) {
      BoundOperation const& operation = maker_->bound().operations[i];
      if (operation.is_empty()) {
        continue;
      }
      wait_for_receives(operation.after);
      wait_for_sends(operation.after_sends);
      if (operation.kind == Kind::recv) {
        add_receive(operation, static_cast<int>(i));
      } else if (operation.kind == Kind::send) {
        add_send(operation, static_cast<int>(i));
      } else if (operation.kind == Kind::native) {
        maker_->add_native(operation);
      } else {
        maker_->add_local(operation);
      }
    }
    finish_rounds();
    if constexpr (tags_keep_order) {
      number_messages();
    }
  }

private:
  struct Receive {
    int operation = 0;
    std::optional<MpiStep> scatter;
  };

  void add(MpiStep const& step) { program_->steps.push_back(step); }

  /// Gives the messages of a pair without tags of their own the tags 0, 1, 2, ...
  void number_messages() {
    std::map<int, int> sent;
    std::map<int, int> received;
    for (MpiStep& step : program_->steps) {
      bool const is_send = step.action == Action::send;
      bool const is_receive = step.action == Action::recv || step.action == Action::recv_now;
      if ((is_send || is_receive) && step.tag == 0) {
        step.tag = (is_send ? sent : received)[step.peer]++;
      }
    }
  }

  void add_receive(BoundOperation const& operation, int index) {
    auto const pieces = maker_->bound().pieces(operation);
    MpiStep step = maker_->message(operation);
    step.request = static_cast<int>(receives_.size());
    Receive receive{.operation = index};
    if (step.is_near()) {
      receive.scatter = maker_->place_near(operation, step);
    } else if (maker_->is_staged(operation)) {
      step.region = maker_->room(operation.num_elements);
      receive.scatter = maker_->staging(Action::scatter, operation.buffer, step.region, pieces);
    } else if (std::int64_t const num_bytes = maker_->bytes_to_unpack(operation); num_bytes > 0) {
      step.region = maker_->room(num_bytes);
      receive.scatter =
          maker_->transfer(make_transfer(maker_->message_region(operation), step.region));
    } else {
      step.region = maker_->message_region(operation);
    }
    receives_.push_back(receive);
    add(step);
  }

  void add_send(BoundOperation const& operation, int index) {
    auto const pieces = maker_->bound().pieces(operation);
    MpiStep step = maker_->message(operation);
    step.request = static_cast<int>(sends_.size());
    sends_.push_back(index);
    if (step.is_near()) {
      if (auto const gather = maker_->place_near(operation, step)) {
        add(*gather);
      }
    } else if (maker_->is_staged(operation)) {
      step.region = maker_->room(operation.num_elements);
      add(maker_->staging(Action::gather, operation.buffer, step.region, pieces));
    } else {
      step.region = maker_->message_region(operation);
    }
    add(step);
  }

  /// All sends before operation `after` are complete when the next step starts.
  void wait_for_sends(int after) {
    std::size_t const first = num_sends_waited_;
    while (num_sends_waited_ < sends_.size() && sends_[num_sends_waited_] < after) {
      ++num_sends_waited_;
    }
    if (auto const count = static_cast<int>(num_sends_waited_ - first); count > 0) {
      send_waits_.push_back(program_->steps.size());
      add_wait(static_cast<int>(first), count);
    }
  }

  /// All writes before operation `after` are complete when the next step starts.
  void wait_for_receives(int after) {
    std::size_t end = num_waited_;
    while (end < receives_.size() && receives_[end].operation < after) {
      ++end;
    }
    if (end == num_waited_) {
      return;
    }
    if (end == num_waited_ + 1 && end == receives_.size() && last_step_is_receive()) {
      receive_now();
      return;
    }
    add_wait(static_cast<int>(num_waited_), static_cast<int>(end - num_waited_));
    for (; num_waited_ < end; ++num_waited_) {
      add_scatter(receives_[num_waited_]);
    }
  }

  [[nodiscard]] bool last_step_is_receive() const {
    return !program_->steps.empty() && program_->steps.back().action == Action::recv;
  }

  /// The last step is a receive that is waited for at once: it needs no request.
  void receive_now() {
    program_->steps.back().action = Action::recv_now;
    Receive const receive = receives_.back();
    receives_.pop_back();
    add_scatter(receive);
  }

  void finish_rounds() {
    if (num_waited_ + 1 == receives_.size() && last_step_is_receive()) {
      receive_now();
    }
    auto const num_receives = static_cast<int>(receives_.size());
    auto const num_sends = static_cast<int>(sends_.size());
    for (MpiStep& step : program_->steps) {
      bool const is_send = step.action == Action::send || step.action == Action::put;
      step.request += is_send ? num_receives : 0;
    }
    for (std::size_t const index : send_waits_) {
      program_->steps[index].request += num_receives;
    }
    program_->num_requests = num_receives + num_sends;
    auto const open_receives = num_receives - static_cast<int>(num_waited_);
    auto const open_sends = num_sends - static_cast<int>(num_sends_waited_);
    if (open_receives > 0) {
      add_wait(static_cast<int>(num_waited_), open_receives);
    }
    if (open_sends > 0) {
      add_wait(num_receives + static_cast<int>(num_sends_waited_), open_sends);
    }
    for (; num_waited_ < receives_.size(); ++num_waited_) {
      add_scatter(receives_[num_waited_]);
    }
  }

  void add_wait(int first, int num_requests) {
    add({.action = Action::wait, .request = first, .num_requests = num_requests});
  }

  void add_scatter(Receive const& receive) {
    if (receive.scatter) {
      add(*receive.scatter);
    }
  }

  StepMaker* maker_;
  MpiProgram* program_;
  std::vector<Receive> receives_;
  std::size_t num_waited_ = 0;
  std::vector<int> sends_;  ///< their operations
  std::size_t num_sends_waited_ = 0;
  std::vector<std::size_t> send_waits_;  ///< steps that wait for sends
};

}  // namespace

void compile_rounds(StepMaker& maker) {
  RoundsCompiler(maker).run();
}

}  // namespace espalier::exec
