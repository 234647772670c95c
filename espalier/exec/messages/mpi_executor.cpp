// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/messages/mpi_executor.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "espalier/exec/messages/mpi_binding.hpp"
#include "espalier/exec/messages/mpi_dataflow.hpp"
#include "espalier/exec/messages/mpi_datatype.hpp"
#include "espalier/exec/messages/mpi_memory.hpp"
#include "espalier/exec/messages/mpi_rounds.hpp"
#include "espalier/exec/messages/mpi_run.hpp"

namespace espalier::exec {

using schedule::RankProgram;

class MpiExecutor::Implementation {
public:
  Implementation(RankProgram const& program, MpiSpec const& spec)
      : run_(make_run(program, spec)), packing_(make_packing(spec, run_.program)),
        packs_first_(spec.packed.contributes), input_is_output_(spec.input_is_output),
        scratch_(run_.program.scratch_bytes),
        packed_(packing_ ? spec.output.layout.num_elements() : 0), dataflow_(run_.program) {}

  [[gnu::always_inline]] int run(void const* input, void* output) noexcept {
    if (first_error_ != MPI_SUCCESS) {
      return first_error_;
    }
    run_.error = MPI_SUCCESS;
    Bases const bases = bases_of(input, output);
    if (run_.near.has_messages()) {
      return run_told<NearWaits>(bases);
    }
    if (watch::current_beacon() != nullptr) [[unlikely]] {
      return run_watched(bases);
    }
    int const code =
        packing_ ? run_packed<PlainWaits>(bases, *packing_) : run_program<PlainWaits>(bases);
    return code == MPI_SUCCESS ? run_.error : fail(code);
  }

  int start(void const* input, void* output) noexcept {
    if (first_error_ != MPI_SUCCESS) {
      return first_error_;
    }
    run_.error = MPI_SUCCESS;
    started_ = bases_of(input, output);
    if (packing_ && packs_first_) {
      transfer(started_, *packing_);
    }
    Bases const bases = packing_ ? inside_packing(started_) : started_;
    if (run_.program.dataflow) {
      dataflow_.start(*run_.program.dataflow);
      dataflow_.start_ready(run_, bases, *run_.program.dataflow);
    } else {
      rounds_.start(run_, bases);
    }
    return MPI_SUCCESS;
  }

  int progress(bool& is_complete) noexcept {
    is_complete = false;
    if (first_error_ != MPI_SUCCESS) {
      return first_error_;
    }
    Bases const bases = packing_ ? inside_packing(started_) : started_;
    int code = MPI_SUCCESS;
    if (run_.program.dataflow) {
      code = dataflow_.progress(run_, bases, *run_.program.dataflow, is_complete);
    } else {
      is_complete = rounds_.progress(run_, bases);
    }
    if (code != MPI_SUCCESS) {
      return fail(code);
    }
    return is_complete ? end_of_run() : MPI_SUCCESS;
  }

  [[nodiscard]] std::size_t position() const noexcept {
    return run_.program.dataflow ? dataflow_.num_complete() : rounds_.position();
  }

  int finish() noexcept {
    if (first_error_ != MPI_SUCCESS) {
      return first_error_;
    }
    run_.teller.begin(run_.program);
    Bases const bases = packing_ ? inside_packing(started_) : started_;
    int code = MPI_SUCCESS;
    if (run_.program.dataflow) {
      code = dataflow_.finish(run_, bases, *run_.program.dataflow);
    } else {
      rounds_.finish(run_, bases);
    }
    run_.teller.end();
    return code == MPI_SUCCESS ? end_of_run() : fail(code);
  }

  void shift_tags(int least, int shift) noexcept { run_.program.shift_tags(least, shift); }

  [[nodiscard]] bool has_tag_below(int limit) const noexcept {
    return run_.program.has_tag_below(limit);
  }

  [[nodiscard]] bool is_broken() const noexcept { return first_error_ != MPI_SUCCESS; }

  [[nodiscard]] RunCost cost() const {
    RunCost result{.scratch_bytes = run_.program.scratch_bytes};
    for (MpiStep const& step : run_.program.steps) {
      bool const is_sent =
          step.action == MpiStep::Action::send || step.action == MpiStep::Action::put;
      result.num_messages += is_sent ? 1 : 0;
      result.num_bytes += is_sent ? bytes_of(step) : 0;
    }
    return result;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return sizeof(*this) + run_.program.memory_bytes() + scratch_.num_bytes() +
           packed_.num_bytes() + run_.near.memory_bytes() +
           run_.requests.capacity() * sizeof(MPI_Request) + dataflow_.memory_bytes();
  }

private:
  static MpiRun make_run(RankProgram const& program, MpiSpec const& spec) {
    MpiRun run{.comm = spec.context.comm, .program = bind_mpi(program, spec), .requests = {}};
    auto const num_requests = static_cast<std::size_t>(run.program.num_requests) + 1;
    run.requests.assign(num_requests, MPI_REQUEST_NULL);
    node::Group* const group = run.program.links.empty() ? nullptr : spec.context.group;
    return {
        .comm = run.comm,
        .program = std::move(run.program),
        .requests = std::move(run.requests),
        .near = node::NearRun(group, num_requests),
    };
  }

  /// Of a message.
  static std::int64_t bytes_of(MpiStep const& step) {
    return step.is_near() ? step.num_bytes
                          : step.region.count * describe(step.region.type).size_bytes;
  }

  /// A run whose waits are told: code of its own, so that nobody pays who is not watched.
  [[gnu::noinline, gnu::cold]] int run_watched(Bases const& bases) noexcept {
    return run_told<ToldWaits>(bases);
  }

  template <typename Waits> int run_told(Bases const& bases) noexcept {
    run_.teller.begin(run_.program);
    int const code = packing_ ? run_packed<Waits>(bases, *packing_) : run_program<Waits>(bases);
    run_.teller.end();
    return code == MPI_SUCCESS ? run_.error : fail(code);
  }

  [[nodiscard]] Bases bases_of(void const* input, void* output) const noexcept {
    return {{
        Bases::address(input_is_output_ ? output : input),
        Bases::address(output),
        Bases::address(scratch_.get()),
    }};
  }

  [[nodiscard]] Bases inside_packing(Bases const& user) const noexcept {
    return {{user.of_buffer[0], Bases::address(packed_.get()), user.of_buffer[2]}};
  }

  /// Packs or unpacks the elements of the user.
  void transfer(Bases const& user, MpiTransfer const& packing) noexcept {
    Bases const around{{user.of_buffer[0], user.of_buffer[1], Bases::address(packed_.get())}};
    run_.note(run_transfer(run_.comm, run_.program.own_tag, around, packing));
  }

  /// The program works on bytes; the elements of the user are packed before or unpacked after.
  /// A call of its own: what it keeps in registers, runs without packing would have to save.
  template <typename Waits>
  [[gnu::noinline]] int run_packed(Bases const& user, MpiTransfer const& packing) noexcept {
    if (packs_first_) {
      transfer(user, packing);
    }
    int const code = run_program<Waits>(inside_packing(user));
    if (code == MPI_SUCCESS && !packs_first_) {
      transfer(user, packing);
    }
    return code;
  }

  /// What comes after the program of a started run. @return the first error of the run.
  int end_of_run() noexcept {
    if (packing_ && !packs_first_) {
      transfer(started_, *packing_);
    }
    return run_.error;
  }

  template <typename Waits> int run_program(Bases const& bases) noexcept {
    if (run_.program.dataflow) {
      dataflow_.start(*run_.program.dataflow);
      return dataflow_.finish(run_, bases, *run_.program.dataflow);
    }
    RoundsRun::run<Waits>(run_, bases);
    return MPI_SUCCESS;
  }

  /// The executor cannot go on: remembers why.
  int fail(int code) noexcept {
    first_error_ = code;
    run_.abandon();
    return code;
  }

  MpiRun run_;
  std::optional<MpiTransfer> packing_;
  bool packs_first_;
  bool input_is_output_;
  AlignedMemory scratch_;
  AlignedMemory packed_;
  RoundsRun rounds_;
  DataflowRun dataflow_;
  Bases started_{};                ///< of the user, in a run that was started
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

std::size_t MpiExecutor::position() const noexcept {
  return implementation_->position();
}

int MpiExecutor::finish() noexcept {
  return implementation_->finish();
}

void MpiExecutor::shift_tags(int least, int shift) noexcept {
  implementation_->shift_tags(least, shift);
}

bool MpiExecutor::has_tag_below(int limit) const noexcept {
  return implementation_->has_tag_below(limit);
}

bool MpiExecutor::is_broken() const noexcept {
  return implementation_->is_broken();
}

RunCost MpiExecutor::cost() const {
  return implementation_->cost();
}

std::size_t MpiExecutor::memory_bytes() const noexcept {
  return sizeof(*this) + implementation_->memory_bytes();
}

}  // namespace espalier::exec
