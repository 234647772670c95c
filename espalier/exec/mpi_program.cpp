// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/mpi_program.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::exec {
namespace {

using schedule::Buffer;
using schedule::Kind;
using schedule::Range;
using Action = MpiStep::Action;

/// Messages of several runs up to this size are copied together by us: cheaper than a derived
/// datatype as long as the copy stays in the first-level cache.
constexpr std::int64_t largest_staged_bytes = 4096;

constexpr std::int64_t largest_int = std::numeric_limits<int>::max();

std::int64_t num_runs(std::span<Piece const> pieces) {
  std::int64_t result = 0;
  for (Piece const& piece : pieces) {
    result += piece.num_repeats;
  }
  return result;
}

/// Turns operations into steps; one member function per kind of operation.
class Compiler {
public:
  Compiler(BoundProgram const& program, MpiElements const& elements)
      : program_(program), elements_(elements) {
    result_.scratch_bytes = program.scratch_bytes;
  }

  MpiProgram run() {
    program_.is_dataflow() ? compile_dataflow() : compile_rounds();
    return std::move(result_);
  }

private:
  /// Waits are placed where an operation needs what an open receive writes; sends are waited for
  /// at the end, together with the last receives: their requests lie behind all others.
  void compile_rounds() {
    for (std::size_t i = 0; i < program_.operations.size(); ++i) {
      BoundOperation const& operation = program_.operations[i];
      if (operation.num_elements == 0) {
        continue;
      }
      wait_for_receives(operation.after);
      if (operation.kind == Kind::recv) {
        add_receive(operation, static_cast<int>(i));
      } else if (operation.kind == Kind::send) {
        add_send(operation);
      } else {
        add_local(operation);
      }
    }
    finish_rounds();
  }

  void add_receive(BoundOperation const& operation, int index) {
    auto const pieces = program_.pieces(operation);
    MpiStep step{.action = Action::recv, .peer = operation.peer, .tag = operation.tag};
    step.request = static_cast<int>(receives_.size());
    Receive receive{.operation = index};
    if (is_staged(operation)) {
      step.region = staging(operation.num_elements);
      receive.scatter = MpiStep{
          .action = Action::scatter,
          .source = operation.buffer,
          .region = step.region,
          .pieces = store(pieces),
      };
    } else {
      step.region = make_region(operation.buffer, pieces, elements_.output, result_.types);
    }
    receives_.push_back(receive);
    result_.steps.push_back(step);
  }

  void add_send(BoundOperation const& operation) {
    auto const pieces = program_.pieces(operation);
    MpiStep step{.action = Action::send, .peer = operation.peer, .tag = operation.tag};
    step.request = num_sends_++;
    if (is_staged(operation)) {
      step.region = staging(operation.num_elements);
      result_.steps.push_back({
          .action = Action::gather,
          .source = operation.buffer,
          .region = step.region,
          .pieces = store(pieces),
      });
    } else {
      step.region = message_region(operation);
    }
    result_.steps.push_back(step);
  }

  [[nodiscard]] MpiRegion message_region(BoundOperation const& operation) {
    MPI_Datatype const element = element_of(operation.buffer);
    return make_region(operation.buffer, program_.pieces(operation), element, result_.types);
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
    return !result_.steps.empty() && result_.steps.back().action == Action::recv;
  }

  /// The last step is a receive that is waited for at once: it needs no request.
  void receive_now() {
    result_.steps.back().action = Action::recv_now;
    Receive const receive = receives_.back();
    receives_.pop_back();
    add_scatter(receive);
  }

  void finish_rounds() {
    if (num_waited_ + 1 == receives_.size() && last_step_is_receive()) {
      receive_now();
    }
    auto const num_receives = static_cast<int>(receives_.size());
    for (MpiStep& step : result_.steps) {
      step.request += step.action == Action::send ? num_receives : 0;
    }
    result_.num_requests = num_receives + num_sends_;
    if (int const open = result_.num_requests - static_cast<int>(num_waited_); open > 0) {
      add_wait(static_cast<int>(num_waited_), open);
    }
    for (; num_waited_ < receives_.size(); ++num_waited_) {
      add_scatter(receives_[num_waited_]);
    }
  }

  struct Receive {
    int operation = 0;
    std::optional<MpiStep> scatter;
  };

  void add_wait(int first, int num_requests) {
    result_.steps.push_back({.action = Action::wait, .request = first, .num_requests = num_requests}
    );
  }

  void add_scatter(Receive const& receive) {
    if (receive.scatter) {
      result_.steps.push_back(*receive.scatter);
    }
  }

  void compile_dataflow() {
    MpiDataflow flow;
    std::vector<std::vector<int>> successors(program_.operations.size());
    for (std::size_t i = 0; i < program_.operations.size(); ++i) {
      BoundOperation const& operation = program_.operations[i];
      flow.step_begin.push_back(static_cast<int>(result_.steps.size()));
      flow.num_waits.push_back(link(successors, static_cast<int>(i)));
      if (flow.num_waits.back() == 0) {
        flow.initially_ready.push_back(static_cast<int>(i));
      }
      add_dataflow_operation(operation);
    }
    flow.step_begin.push_back(static_cast<int>(result_.steps.size()));
    for (std::vector<int> const& list : successors) {
      flow.successor_begin.push_back(static_cast<int>(flow.successors.size()));
      flow.successors.insert(flow.successors.end(), list.begin(), list.end());
    }
    flow.successor_begin.push_back(static_cast<int>(flow.successors.size()));
    result_.dataflow = std::move(flow);
  }

  /// Enters an operation with all it waits for; returns how many these are.
  int link(std::vector<std::vector<int>>& successors, int index) {
    BoundOperation const& operation = program_.operations[static_cast<std::size_t>(index)];
    int num_waits = 0;
    for (int const other : program_.waits(operation)) {
      successors[static_cast<std::size_t>(other)].push_back(index);
      ++num_waits;
    }
    for (int other = 0; other < operation.after; ++other) {
      if (program_.operations[static_cast<std::size_t>(other)].kind != Kind::send) {
        successors[static_cast<std::size_t>(other)].push_back(index);
        ++num_waits;
      }
    }
    return num_waits;
  }

  void add_dataflow_operation(BoundOperation const& operation) {
    if (operation.num_elements == 0) {
      return;
    }
    if (operation.kind == Kind::copy || operation.kind == Kind::reduce) {
      add_local(operation);
      return;
    }
    result_.steps.push_back({
        .action = operation.kind == Kind::send ? Action::send : Action::recv,
        .peer = operation.peer,
        .tag = operation.tag,
        .region = message_region(operation),
    });
    ++result_.num_requests;
  }

  void add_local(BoundOperation const& operation) {
    if (operation.kind == Kind::reduce) {
      throw Error(
          ErrorCode::unsupported,
          "the MPI executor runs programs of sends, receives and copies, got one that reduces"
      );
    }
    if (element_of(operation.buffer) == MPI_BYTE && element_of(operation.source) == MPI_BYTE) {
      copy_bytes(operation);
      return;
    }
    auto const destination = message_region(operation);
    auto const source = make_region(
        operation.source, program_.sources(operation), element_of(operation.source), result_.types
    );
    std::int64_t const size = describe(elements_.output).size_bytes;
    add_transfer(make_transfer(destination, source, operation.num_elements * size));
  }

  void add_transfer(MpiTransfer const& transfer) {
    auto const index = static_cast<int>(result_.transfers.size());
    result_.transfers.push_back(transfer);
    result_.steps.push_back({.action = Action::transfer, .request = index});
  }

  /// One step for each run of bytes that is adjacent on both sides.
  void copy_bytes(BoundOperation const& operation) {
    std::vector<Extent> sources;
    for_each_run(program_.sources(operation), [&](std::int64_t offset, std::int64_t size) {
      sources.push_back({.offset_bytes = offset, .num_elements = size});
    });
    auto source = sources.begin();
    for_each_run(program_.pieces(operation), [&](std::int64_t offset, std::int64_t size) {
      while (size > 0) {
        std::int64_t const now = std::min(size, source->num_elements);
        result_.steps.push_back({
            .action = Action::copy,
            .source = operation.source,
            .region = {.buffer = operation.buffer, .offset_bytes = offset},
            .source_offset_bytes = source->offset_bytes,
            .num_bytes = now,
        });
        offset += now;
        size -= now;
        source->offset_bytes += now;
        source->num_elements -= now;
        source += source->num_elements == 0 ? 1 : 0;
      }
    });
  }

  [[nodiscard]] MPI_Datatype element_of(Buffer buffer) const {
    return buffer == Buffer::input ? elements_.input : elements_.output;
  }

  [[nodiscard]] bool is_staged(BoundOperation const& operation) const {
    return element_of(operation.buffer) == MPI_BYTE &&
           operation.num_elements <= largest_staged_bytes &&
           num_runs(program_.pieces(operation)) > 1;
  }

  MpiRegion staging(std::int64_t num_bytes) {
    MpiRegion const region{
        .buffer = Buffer::scratch,
        .offset_bytes = result_.scratch_bytes,
        .count = static_cast<int>(num_bytes),
        .type = MPI_BYTE,
    };
    result_.scratch_bytes += 64 * ceil_div(num_bytes, std::int64_t{64});
    return region;
  }

  Range store(std::span<Piece const> pieces) {
    auto const begin = static_cast<int>(result_.piece_pool.size());
    result_.piece_pool.insert(result_.piece_pool.end(), pieces.begin(), pieces.end());
    return {.begin = begin, .end = static_cast<int>(result_.piece_pool.size())};
  }

  BoundProgram const& program_;
  MpiElements const& elements_;
  MpiProgram result_;
  std::vector<Receive> receives_;
  std::size_t num_waited_ = 0;
  int num_sends_ = 0;
};

template <typename Element> std::size_t bytes_of(std::vector<Element> const& elements) {
  return elements.capacity() * sizeof(Element);
}

}  // namespace

std::size_t MpiProgram::memory_bytes() const noexcept {
  std::size_t result = sizeof(*this) + bytes_of(steps) + bytes_of(transfers) +
                       bytes_of(piece_pool) + bytes_of(types);
  if (dataflow) {
    result += bytes_of(dataflow->step_begin) + bytes_of(dataflow->num_waits) +
              bytes_of(dataflow->successor_begin) + bytes_of(dataflow->successors) +
              bytes_of(dataflow->initially_ready);
  }
  return result;
}

MpiProgram compile(BoundProgram const& program, MpiElements const& elements) {
  return Compiler(program, elements).run();
}

MpiRegion make_region(
    Buffer buffer, std::span<Piece const> pieces, MPI_Datatype element, std::vector<MpiType>& types
) {
  if (pieces.size() == 1 && pieces[0].num_repeats == 1 && pieces[0].num_elements <= largest_int) {
    return {
        .buffer = buffer,
        .offset_bytes = pieces[0].offset_bytes,
        .count = static_cast<int>(pieces[0].num_elements),
        .type = element,
    };
  }
  types.push_back(make_type(pieces, element));
  return {.buffer = buffer, .offset_bytes = 0, .count = 1, .type = types.back().get()};
}

MpiTransfer
make_transfer(MpiRegion const& destination, MpiRegion const& source, std::int64_t num_bytes) {
  auto method = MpiTransfer::Method::exchange;
  if (num_bytes <= largest_int && destination.type == MPI_BYTE) {
    method = MpiTransfer::Method::pack;
  } else if (num_bytes <= largest_int && source.type == MPI_BYTE) {
    method = MpiTransfer::Method::unpack;
  }
  return {.method = method, .destination = destination, .source = source};
}

}  // namespace espalier::exec
