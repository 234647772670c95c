// SPDX-License-Identifier: Apache-2.0

/// @file
/// Runs programs in rounds: their steps one after another, with one loop for all ways to wait.

#pragma once

#include <cstddef>

#include <mpi.h>

#include "espalier/exec/messages/mpi_run.hpp"

namespace espalier::exec {

/// Waits of a call that nobody watches.
struct PlainWaits {
  /// Whether for_message() is to be called where a message is received and waited for at once.
  static constexpr bool has_own_receive = false;
  static constexpr bool has_near_messages = false;

  /// One by one: all of them are needed, and so the code of an error needs no statuses.
  [[gnu::always_inline]] bool for_requests(MpiRun& run, MpiStep const& step) const noexcept {
    MPI_Request* const requests = &run.requests[static_cast<std::size_t>(step.request)];
    int const num_requests = step.num_requests;
    for (int i = 0; i < num_requests; ++i) {
      run.note(PMPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    }
    return true;
  }
};

/// Waits of a run with messages inside the node, which the watch is told of, too. None of them
/// leaves the processor to MPI while a message of the node needs this rank to go on.
struct NearWaits {
  static constexpr bool has_own_receive = true;
  static constexpr bool has_near_messages = true;

  [[gnu::always_inline]] bool
  for_requests(MpiRun& run, MpiStep const& step, int num_complete = 0) const noexcept {
    for (int i = step.request + num_complete; i < step.request + step.num_requests; ++i) {
      run.teller.wait_at(run.program, i);
      run.wait_for_any_kind(i);
    }
    return true;
  }

  bool for_message(MpiRun& run, Bases const& bases, MpiStep const& step) const noexcept {
    run.teller.wait_at(run.program, step.request);
    if (run.near.is_idle()) {
      run.note(run.perform(bases, step, step.request));
    } else {
      run.start_receive(bases, step);
      run.finish_receive();
    }
    return true;
  }
};

/// Waits that the watch is told of. Code of its own, so that nobody pays who is not watched.
struct ToldWaits {
  static constexpr bool has_own_receive = true;
  static constexpr bool has_near_messages = false;

  bool for_requests(MpiRun& run, MpiStep const& step, int num_complete = 0) const noexcept {
    for (int i = step.request + num_complete; i < step.request + step.num_requests; ++i) {
      run.teller.wait_at(run.program, i);
      run.note(PMPI_Wait(&run.requests[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE));
    }
    return true;
  }

  bool for_message(MpiRun& run, Bases const& bases, MpiStep const& step) const noexcept {
    run.teller.wait_at(run.program, step.request);
    run.note(run.perform(bases, step, step.request));
    return true;
  }
};

/// Looks whether a wait is over, and remembers what of it is.
class TestedWaits {
public:
  static constexpr bool has_own_receive = true;
  static constexpr bool has_near_messages = true;

  /// True if the requests are complete; a request that failed is.
  bool for_requests(MpiRun& run, MpiStep const& step) noexcept {
    return test(run, step.request, step.num_requests);
  }

  /// A receive that would be waited for at once: here it has the last request.
  bool for_message(MpiRun& run, Bases const& bases, MpiStep const& step) noexcept {
    if (!is_receiving_) {
      begin_message(run, bases, step);
    }
    bool const is_done = test(run, run.last_request(), 1);
    is_receiving_ = !is_done;
    return is_done;
  }

  /// The same receive, without a look whether its message is there.
  void begin_message(MpiRun& run, Bases const& bases, MpiStep const& step) noexcept {
    run.start_receive(bases, step);
    is_receiving_ = true;
  }

  /// Requests of the wait that are.
  [[nodiscard]] int num_complete() const noexcept { return num_complete_; }

  /// A step was begun that is not over.
  [[nodiscard]] bool is_within_step() const noexcept { return is_receiving_ || num_complete_ > 0; }

  /// Waits for the rest of that step.
  void finish_step(MpiRun& run, MpiStep const& step) noexcept {
    if (is_receiving_) {
      run.teller.wait_at(run.program, step.request);
      run.finish_receive();
    } else if (run.near.has_messages()) {
      NearWaits{}.for_requests(run, step, num_complete_);
    } else {
      ToldWaits{}.for_requests(run, step, num_complete_);
    }
    *this = {};
  }

private:
  bool test(MpiRun& run, int first, int num_requests) noexcept {
    if (run.near.has_messages()) {
      run.near.progress();
    }
    for (; num_complete_ < num_requests; ++num_complete_) {
      int const number = first + num_complete_;
      if (run.near.has_messages()) {
        if (run.near.is_open(number)) {
          return false;
        }
        run.note(run.near.result(number));
      }
      auto& request = run.requests[static_cast<std::size_t>(number)];
      int is_complete = 0;
      int const code = PMPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
      run.note(code);
      if (code == MPI_SUCCESS && is_complete == 0) {
        return false;
      }
    }
    num_complete_ = 0;
    return true;
  }

  int num_complete_ = 0;
  bool is_receiving_ = false;
};

/// Ends at the first wait, which is left to TestedWaits.
class UntestedWaits {
public:
  static constexpr bool has_own_receive = true;
  static constexpr bool has_near_messages = true;

  explicit UntestedWaits(TestedWaits& later) noexcept : later_(&later) {}

  bool for_requests(MpiRun& /*run*/, MpiStep const& /*step*/) const noexcept { return false; }

  bool for_message(MpiRun& run, Bases const& bases, MpiStep const& step) const noexcept {
    later_->begin_message(run, bases, step);
    return false;
  }

private:
  TestedWaits* later_;
};

/// Steps of a program in rounds. Errors are noted in the run, none of them ends it.
class RoundsRun {
public:
  /// All steps, without a look at those of a started run.
  template <typename Waits>
  [[gnu::always_inline]] static void run(MpiRun& run, Bases const& bases) noexcept {
    Waits waits;
    go_on(run, bases, 0, waits);
  }

  /// The steps before the first wait.
  void start(MpiRun& run, Bases const& bases) noexcept {
    *this = {};
    UntestedWaits waits(tested_);
    next_ = go_on(run, bases, next_, waits);
  }

  /// Goes on with the steps until a message is missing. @return true at the end.
  bool progress(MpiRun& run, Bases const& bases) noexcept {
    next_ = go_on(run, bases, next_, tested_);
    return next_ == run.program.steps.size();
  }

  /// Changes when a message is complete that the steps wait for.
  [[nodiscard]] std::size_t position() const noexcept {
    constexpr unsigned bits_of_requests = 32;
    return (next_ << bits_of_requests) + static_cast<std::size_t>(tested_.num_complete());
  }

  /// Goes on with the steps to the end.
  void finish(MpiRun& run, Bases const& bases) noexcept {
    if (tested_.is_within_step()) {
      tested_.finish_step(run, run.program.steps[next_++]);
    }
    if (run.near.has_messages()) {
      NearWaits waits;
      next_ = go_on(run, bases, next_, waits);
    } else {
      ToldWaits waits;
      next_ = go_on(run, bases, next_, waits);
    }
  }

private:
  /// From step `first` until waits end it. @return the step that is not over, or the number of
  /// steps.
  template <typename Waits>
  [[gnu::always_inline]] static std::size_t
  go_on(MpiRun& run, Bases const& bases, std::size_t first, Waits& waits) noexcept {
    MpiStep const* const begin = run.program.steps.data();
    MpiStep const* const end = begin + run.program.steps.size();
    for (MpiStep const* step = begin + first; step != end; ++step) {
      bool is_done = true;
      if (step->action == MpiStep::Action::wait) {
        is_done = waits.for_requests(run, *step);
      } else {
        is_done = perform(run, bases, *step, waits);
      }
      if (!is_done) {
        return static_cast<std::size_t>(step - begin);
      }
    }
    return run.program.steps.size();
  }

  /// Any step but a wait.
  template <typename Waits>
  [[gnu::always_inline]] static bool
  perform(MpiRun& run, Bases const& bases, MpiStep const& step, Waits& waits) noexcept {
    if constexpr (Waits::has_near_messages) {
      if (step.is_near()) {
        run.start_near(bases, step);
        return true;
      }
    }
    if constexpr (Waits::has_own_receive) {
      if (step.action == MpiStep::Action::native) {
        run.teller.wait_at(run.program, step.request);
      }
      if (step.action == MpiStep::Action::recv_now) {
        return waits.for_message(run, bases, step);
      }
    }
    run.note(run.perform(bases, step, step.request));
    return true;
  }

  std::size_t next_ = 0;  ///< step of a run that was started, not of run()
  TestedWaits tested_;
};

}  // namespace espalier::exec
