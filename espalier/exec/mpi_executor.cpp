// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/mpi_executor.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "espalier/exec/mpi_binding.hpp"
#include "espalier/exec/mpi_memory.hpp"
#include "espalier/exec/mpi_places.hpp"
#include "espalier/exec/mpi_program.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::RankProgram;
using Action = MpiStep::Action;

}  // namespace

class MpiExecutor::Implementation {
public:
  Implementation(RankProgram const& program, MpiSpec const& spec)
      : comm_(spec.context.comm), program_(bind_mpi(program, spec)),
        packing_(make_packing(spec, program_)), packs_first_(spec.packed.contributes),
        input_is_output_(spec.input_is_output), scratch_(program_.scratch_bytes),
        packed_(packing_ ? spec.output.layout.num_elements() : 0),
        requests_(static_cast<std::size_t>(program_.num_requests) + 1, MPI_REQUEST_NULL),
        statuses_(program_.dataflow ? requests_.size() : 0) {
    if (program_.dataflow) {
      std::size_t const num_operations = program_.dataflow->num_waits.size();
      open_waits_.resize(num_operations);
      ready_.reserve(num_operations);
      active_.resize(requests_.size());
      done_.resize(requests_.size());
    }
  }

  int run(void const* input, void* output) noexcept {
    if (first_error_ != MPI_SUCCESS) {
      return first_error_;
    }
    error_of_run_ = MPI_SUCCESS;
    Bases const bases = bases_of(input, output);
    if (watch::current_beacon() != nullptr) [[unlikely]] {
      return run_watched(bases);
    }
    int const code = packing_ ? run_packed<false>(bases, *packing_) : run_program<false>(bases);
    return code == MPI_SUCCESS ? error_of_run_ : fail(code);
  }

  int start(void const* input, void* output) noexcept {
    if (first_error_ != MPI_SUCCESS) {
      return first_error_;
    }
    error_of_run_ = MPI_SUCCESS;
    position_ = {.bases = bases_of(input, output)};
    if (packing_ && packs_first_) {
      note(run_transfer(comm_, program_.own_tag, around_packing(position_.bases), *packing_));
    }
    if (program_.dataflow) {
      begin_dataflow(*program_.dataflow);
    }
    return MPI_SUCCESS;
  }

  int progress(bool& is_complete) noexcept {
    is_complete = false;
    if (first_error_ != MPI_SUCCESS) {
      return first_error_;
    }
    Bases const bases = packing_ ? inside_packing(position_.bases) : position_.bases;
    int const code = program_.dataflow ? progress_dataflow(bases, *program_.dataflow, is_complete)
                                       : progress_rounds(bases, is_complete);
    if (code != MPI_SUCCESS) {
      return fail(code);
    }
    return is_complete ? end_of_run() : MPI_SUCCESS;
  }

  int finish() noexcept {
    if (first_error_ != MPI_SUCCESS) {
      return first_error_;
    }
    teller_.begin(program_);
    Bases const bases = packing_ ? inside_packing(position_.bases) : position_.bases;
    int const code =
        program_.dataflow ? finish_dataflow(bases, *program_.dataflow) : finish_rounds(bases);
    teller_.end();
    return code == MPI_SUCCESS ? end_of_run() : fail(code);
  }

  [[nodiscard]] bool is_broken() const noexcept { return first_error_ != MPI_SUCCESS; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return sizeof(*this) + program_.memory_bytes() + scratch_.num_bytes() + packed_.num_bytes() +
           requests_.capacity() * sizeof(MPI_Request) + statuses_.capacity() * sizeof(MPI_Status) +
           (open_waits_.capacity() + ready_.capacity() + active_.capacity() + done_.capacity()) *
               sizeof(int);
  }

private:
  /// A run whose waits are told: code of its own, so that nobody pays who is not watched.
  [[gnu::noinline, gnu::cold]] int run_watched(Bases const& bases) noexcept {
    teller_.begin(program_);
    int const code = packing_ ? run_packed<true>(bases, *packing_) : run_program<true>(bases);
    teller_.end();
    return code == MPI_SUCCESS ? error_of_run_ : fail(code);
  }

  /// Where a started run stands.
  struct Position {
    Bases bases{};              ///< of the user
    std::size_t step = 0;       ///< the next one
    int num_waited = 0;         ///< requests of a wait that are complete
    bool is_receiving = false;  ///< a receive that would be waited for at once is under way
  };

  [[nodiscard]] Bases bases_of(void const* input, void* output) const noexcept {
    return {{
        Bases::address(input_is_output_ ? output : input),
        Bases::address(output),
        Bases::address(scratch_.get()),
    }};
  }

  [[nodiscard]] Bases around_packing(Bases const& user) const noexcept {
    return {{user.of_buffer[0], user.of_buffer[1], Bases::address(packed_.get())}};
  }

  [[nodiscard]] Bases inside_packing(Bases const& user) const noexcept {
    return {{user.of_buffer[0], Bases::address(packed_.get()), user.of_buffer[2]}};
  }

  /// The program works on bytes; the elements of the user are packed before or unpacked after.
  template <bool is_watched>
  int run_packed(Bases const& user, MpiTransfer const& packing) noexcept {
    Bases const around = around_packing(user);
    Bases const inside = inside_packing(user);
    if (packs_first_) {
      note(run_transfer(comm_, program_.own_tag, around, packing));
    }
    int const code = run_program<is_watched>(inside);
    if (code == MPI_SUCCESS && !packs_first_) {
      note(run_transfer(comm_, program_.own_tag, around, packing));
    }
    return code;
  }

  /// What comes after the program of a started run. @return the first error of the run.
  int end_of_run() noexcept {
    if (packing_ && !packs_first_) {
      note(run_transfer(comm_, program_.own_tag, around_packing(position_.bases), *packing_));
    }
    return error_of_run_;
  }

  /// Remembers the first error of a run. The run goes on: other ranks wait for what this one still
  /// has to send, and no message is left for the next collective to receive.
  void note(int code) noexcept {
    if (code != MPI_SUCCESS && error_of_run_ == MPI_SUCCESS) [[unlikely]] {
      error_of_run_ = code;
    }
  }

  template <bool is_watched> int run_program(Bases const& bases) noexcept {
    return program_.dataflow ? run_dataflow(bases, *program_.dataflow)
                             : run_rounds<is_watched>(bases);
  }

  template <bool is_watched> [[gnu::always_inline]] int run_rounds(Bases const& bases) noexcept {
    for (MpiStep const& step : program_.steps) {
      if (step.action == Action::wait) {
        wait<is_watched>(step.request, step.num_requests);
        continue;
      }
      if (is_watched && step.action == Action::recv_now) {
        teller_.wait_at(program_, step.request);
      }
      note(perform(bases, step, step.request));
    }
    return MPI_SUCCESS;
  }

  /// Goes on with the steps until a message is missing.
  int progress_rounds(Bases const& bases, bool& is_complete) noexcept {
    for (; position_.step < program_.steps.size(); ++position_.step) {
      MpiStep const& step = program_.steps[position_.step];
      bool is_done = true;
      if (step.action == Action::wait) {
        is_done = test(step.request, step.num_requests);
      } else if (step.action == Action::recv_now) {
        is_done = test_receive(bases, step);
      } else {
        note(perform(bases, step, step.request));
      }
      if (!is_done) {
        return MPI_SUCCESS;
      }
    }
    is_complete = true;
    return MPI_SUCCESS;
  }

  /// Goes on with the steps to the end.
  int finish_rounds(Bases const& bases) noexcept {
    for (; position_.step < program_.steps.size(); ++position_.step) {
      MpiStep const& step = program_.steps[position_.step];
      if (step.action == Action::wait) {
        wait<true>(step.request + position_.num_waited, step.num_requests - position_.num_waited);
        position_.num_waited = 0;
      } else if (step.action == Action::recv_now && position_.is_receiving) {
        teller_.wait_at(program_, step.request);
        note(PMPI_Wait(&requests_.back(), MPI_STATUS_IGNORE));
        position_.is_receiving = false;
      } else {
        if (step.action == Action::recv_now) {
          teller_.wait_at(program_, step.request);
        }
        note(perform(bases, step, step.request));
      }
    }
    return MPI_SUCCESS;
  }

  /// True if the requests are complete; a request that failed is.
  bool test(int first, int num_requests) noexcept {
    for (; position_.num_waited < num_requests; ++position_.num_waited) {
      auto& request = requests_[static_cast<std::size_t>(first + position_.num_waited)];
      int is_complete = 0;
      int const code = PMPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
      note(code);
      if (code == MPI_SUCCESS && is_complete == 0) {
        return false;
      }
    }
    position_.num_waited = 0;
    return true;
  }

  /// A receive that run() would wait for: here it has the last request.
  bool test_receive(Bases const& bases, MpiStep const& step) noexcept {
    auto const spare = static_cast<int>(requests_.size()) - 1;
    if (!position_.is_receiving) {
      MpiStep receive = step;
      receive.action = Action::recv;
      note(perform(bases, receive, spare));
    }
    bool const is_done = test(spare, 1);
    position_.is_receiving = !is_done;
    return is_done;
  }

  /// Any step but a wait. `request`: place of the request of a send or recv. Inlined: this is the
  /// hot path, and a call would cost as much as what it does.
  [[gnu::always_inline]] int
  perform(Bases const& bases, MpiStep const& step, int request) noexcept {
    MpiRegion const& region = step.region;
    void* const memory = bases.at(region);
    if (step.action == Action::recv) {
      auto* const open = &requests_[static_cast<std::size_t>(request)];
      return PMPI_Irecv(memory, region.count, region.type, step.peer, step.tag, comm_, open);
    }
    if (step.action == Action::send) {
      auto* const open = &requests_[static_cast<std::size_t>(request)];
      return PMPI_Isend(memory, region.count, region.type, step.peer, step.tag, comm_, open);
    }
    if (step.action == Action::recv_now) {
      auto* const status = MPI_STATUS_IGNORE;
      return PMPI_Recv(memory, region.count, region.type, step.peer, step.tag, comm_, status);
    }
    return run_local(comm_, program_, bases, step);
  }

  /// One by one: all of them are needed, and so the code of an error needs no statuses.
  template <bool is_watched>
  [[gnu::always_inline]] void wait(int first, int num_requests) noexcept {
    MPI_Request* const requests = &requests_[static_cast<std::size_t>(first)];
    for (int i = 0; i < num_requests; ++i) {
      if constexpr (is_watched) {
        teller_.wait_at(program_, first + i);
      }
      note(PMPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    }
  }

  /// Starts what is ready, lowest number first, and lets completed messages make more ready.
  int run_dataflow(Bases const& bases, MpiDataflow const& flow) noexcept {
    begin_dataflow(flow);
    return finish_dataflow(bases, flow);
  }

  int finish_dataflow(Bases const& bases, MpiDataflow const& flow) noexcept {
    for (;;) {
      start_ready(bases, flow);
      if (num_active_ == 0) {
        return MPI_SUCCESS;
      }
      if (int const code = finish_one(flow); code != MPI_SUCCESS) {
        return code;
      }
    }
  }

  void begin_dataflow(MpiDataflow const& flow) noexcept {
    std::ranges::copy(flow.num_waits, open_waits_.begin());
    ready_.assign(flow.initially_ready.begin(), flow.initially_ready.end());
    num_active_ = 0;
  }

  int progress_dataflow(Bases const& bases, MpiDataflow const& flow, bool& is_complete) noexcept {
    start_ready(bases, flow);
    is_complete = num_active_ == 0;
    return is_complete ? MPI_SUCCESS : finish_some(flow);
  }

  void start_ready(Bases const& bases, MpiDataflow const& flow) noexcept {
    while (!ready_.empty()) {
      std::ranges::pop_heap(ready_, std::greater{});
      int const operation = ready_.back();
      ready_.pop_back();
      auto const i = static_cast<std::size_t>(operation);
      bool is_message = false;
      for (int s = flow.step_begin[i]; s < flow.step_begin[i + 1]; ++s) {
        MpiStep const& step = program_.steps[static_cast<std::size_t>(s)];
        int const code = perform(bases, step, num_active_);
        note(code);
        bool const is_start = step.action == Action::send || step.action == Action::recv;
        is_message = is_start && code == MPI_SUCCESS;
      }
      if (is_message) {
        active_[static_cast<std::size_t>(num_active_++)] = operation;
      } else {
        complete(flow, operation);
      }
    }
  }

  /// Waits. One message at a time, since MPI_Waitsome would look at all others too, and simulators
  /// charge time for each look at a message that is not there.
  /// @return an error after which nobody knows which message it was; others are noted.
  int finish_one(MpiDataflow const& flow) noexcept {
    teller_.wait_at_any(program_, {active_.data(), static_cast<std::size_t>(num_active_)});
    int done = MPI_UNDEFINED;
    int const code = PMPI_Waitany(num_active_, requests_.data(), &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) {
      return finish_failed(flow, done, code);
    }
    complete_message(flow, done);
    drop_done();
    return MPI_SUCCESS;
  }

  /// Does not wait. @return as finish_one().
  int finish_some(MpiDataflow const& flow) noexcept {
    int num_done = 0;
    int const code =
        PMPI_Testsome(num_active_, requests_.data(), &num_done, done_.data(), statuses_.data());
    if (code == MPI_ERR_IN_STATUS) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(std::max(num_done, 0)); ++i) {
        note(statuses_[i].MPI_ERROR);
      }
    } else if (code != MPI_SUCCESS) {
      return finish_failed(flow, MPI_UNDEFINED, code);
    }
    for (int i = 0; i < num_done; ++i) {
      complete_message(flow, done_[static_cast<std::size_t>(i)]);
    }
    drop_done();
    return MPI_SUCCESS;
  }

  /// After a wait that failed: one message is over, and Open MPI frees all others that failed, too.
  int finish_failed(MpiDataflow const& flow, int done, int code) noexcept {
    note(code);
    bool is_any_done = false;
    for (int i = 0; i < num_active_; ++i) {
      if (i == done || requests_[static_cast<std::size_t>(i)] == MPI_REQUEST_NULL) {
        complete_message(flow, i);
        is_any_done = true;
      }
    }
    drop_done();
    return is_any_done ? MPI_SUCCESS : code;
  }

  /// `index`: of the request, among the active ones.
  void complete_message(MpiDataflow const& flow, int index) noexcept {
    int& operation = active_[static_cast<std::size_t>(index)];
    complete(flow, operation);
    operation = -1;
  }

  void complete(MpiDataflow const& flow, int operation) noexcept {
    auto const i = static_cast<std::size_t>(operation);
    for (int s = flow.successor_begin[i]; s < flow.successor_begin[i + 1]; ++s) {
      int const next = flow.successors[static_cast<std::size_t>(s)];
      if (--open_waits_[static_cast<std::size_t>(next)] == 0) {
        ready_.push_back(next);
        std::ranges::push_heap(ready_, std::greater{});
      }
    }
  }

  /// Closes the gaps that finished messages left among the active ones.
  void drop_done() noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(num_active_); ++i) {
      if (active_[i] >= 0) {
        active_[kept] = active_[i];
        requests_[kept] = requests_[i];
        ++kept;
      }
    }
    std::fill(
        requests_.begin() + static_cast<std::ptrdiff_t>(kept),
        requests_.begin() + num_active_,
        MPI_REQUEST_NULL
    );
    num_active_ = static_cast<int>(kept);
  }

  /// The executor cannot go on: remembers why and leaves no request behind. A message that cannot
  /// be cancelled gets some time to complete and is then left to MPI.
  int fail(int code) noexcept {
    constexpr int num_tests = 1000;
    first_error_ = code;
    for (MPI_Request& request : requests_) {
      if (request == MPI_REQUEST_NULL) {
        continue;
      }
      PMPI_Cancel(&request);
      int is_complete = 0;
      for (int i = 0; i < num_tests && is_complete == 0; ++i) {
        if (PMPI_Test(&request, &is_complete, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
          break;
        }
      }
      if (request != MPI_REQUEST_NULL) {
        PMPI_Request_free(&request);
      }
    }
    return code;
  }

  MPI_Comm comm_;
  MpiProgram program_;
  std::optional<MpiTransfer> packing_;
  bool packs_first_;
  bool input_is_output_;
  AlignedMemory scratch_;
  AlignedMemory packed_;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
  std::vector<int> open_waits_;
  std::vector<int> ready_;   ///< heap, lowest number of operation on top
  std::vector<int> active_;  ///< operation of each of the first num_active_ requests
  std::vector<int> done_;
  int num_active_ = 0;
  Teller teller_;
  Position position_{};  ///< of a run that was started, not of run()
  int error_of_run_ = MPI_SUCCESS;
  int first_error_ = MPI_SUCCESS;  ///< after which no run is possible
};

MpiExecutor::MpiExecutor(RankProgram const& program, MpiSpec const& spec)
    : implementation_(std::make_unique<Implementation>(program, spec)) {}

MpiExecutor::MpiExecutor(MpiExecutor&&) noexcept = default;
MpiExecutor& MpiExecutor::operator=(MpiExecutor&&) noexcept = default;
MpiExecutor::~MpiExecutor() = default;

int MpiExecutor::run(void const* input, void* output) noexcept {
  return implementation_->run(input, output);
}

int MpiExecutor::start(void const* input, void* output) noexcept {
  return implementation_->start(input, output);
}

int MpiExecutor::progress(bool& is_complete) noexcept {
  return implementation_->progress(is_complete);
}

int MpiExecutor::finish() noexcept {
  return implementation_->finish();
}

bool MpiExecutor::is_broken() const noexcept {
  return implementation_->is_broken();
}

std::size_t MpiExecutor::memory_bytes() const noexcept {
  return sizeof(*this) + implementation_->memory_bytes();
}

}  // namespace espalier::exec
