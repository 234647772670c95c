// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/mpi_program.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/exec/message_order.hpp"
#include "espalier/exec/mpi_places.hpp"

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

/// Most operands of one call of an operator.
constexpr std::int64_t longest_reduction = std::int64_t{1} << 30;

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
    result_.op = elements.op;
  }

  MpiProgram run() {
    program_.is_dataflow() ? compile_dataflow() : compile_rounds();
    return std::move(result_);
  }

private:
  /// Waits are placed where an operation needs what an open receive writes, or that an open send
  /// is over; the other sends are waited for at the end: their requests lie behind all receives.
  void compile_rounds() {
    for (std::size_t i = 0; i < program_.operations.size(); ++i) {
      BoundOperation const& operation = program_.operations[i];
      if (operation.is_empty()) {
        continue;
      }
      wait_for_receives(operation.after);
      wait_for_sends(operation.after_sends);
      if (operation.kind == Kind::recv) {
        add_receive(operation, static_cast<int>(i));
      } else if (operation.kind == Kind::send) {
        add_send(operation, static_cast<int>(i));
      } else {
        add_local(operation);
      }
    }
    finish_rounds();
    if constexpr (tags_keep_order) {
      number_messages();
    }
  }

  /// Gives the messages of a pair without tags of their own the tags 0, 1, 2, ...
  void number_messages() {
    std::map<int, int> sent;
    std::map<int, int> received;
    for (MpiStep& step : result_.steps) {
      bool const is_send = step.action == Action::send;
      bool const is_receive = step.action == Action::recv || step.action == Action::recv_now;
      if ((is_send || is_receive) && step.tag == 0) {
        step.tag = (is_send ? sent : received)[step.peer]++;
      }
    }
  }

  static MpiStep message(BoundOperation const& operation) {
    return {
        .action = operation.kind == Kind::send ? Action::send : Action::recv,
        .peer = operation.peer,
        .tag = operation.tag,
        .round = operation.round,
    };
  }

  void add_receive(BoundOperation const& operation, int index) {
    auto const pieces = program_.pieces(operation);
    MpiStep step = message(operation);
    step.request = static_cast<int>(receives_.size());
    Receive receive{.operation = index};
    if (is_staged(operation)) {
      step.region = room(operation.num_elements);
      receive.scatter = MpiStep{
          .action = Action::scatter,
          .source = operation.buffer,
          .region = step.region,
          .pieces = store(pieces),
      };
    } else if (std::int64_t const num_bytes = bytes_to_unpack(operation); num_bytes > 0) {
      step.region = room(num_bytes);
      receive.scatter = transfer(make_transfer(message_region(operation), step.region));
    } else {
      step.region = message_region(operation);
    }
    receives_.push_back(receive);
    result_.steps.push_back(step);
  }

  void add_send(BoundOperation const& operation, int index) {
    auto const pieces = program_.pieces(operation);
    MpiStep step = message(operation);
    step.request = static_cast<int>(sends_.size());
    sends_.push_back(index);
    if (is_staged(operation)) {
      step.region = room(operation.num_elements);
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
    if (operation.is_signal) {
      return {.type = MPI_BYTE};
    }
    return region_of(operation.buffer, program_.pieces(operation));
  }

  [[nodiscard]] MpiRegion region_of(Buffer buffer, std::span<Piece const> pieces) {
    return make_region(buffer, pieces, elements_of(buffer), result_.types);
  }

  /// All sends before operation `after` are complete when the next step starts.
  void wait_for_sends(int after) {
    std::size_t const first = num_sends_waited_;
    while (num_sends_waited_ < sends_.size() && sends_[num_sends_waited_] < after) {
      ++num_sends_waited_;
    }
    if (auto const count = static_cast<int>(num_sends_waited_ - first); count > 0) {
      send_waits_.push_back(result_.steps.size());
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
    auto const num_sends = static_cast<int>(sends_.size());
    for (MpiStep& step : result_.steps) {
      step.request += step.action == Action::send ? num_receives : 0;
    }
    for (std::size_t const index : send_waits_) {
      result_.steps[index].request += num_receives;
    }
    result_.num_requests = num_receives + num_sends;
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
    for (int other = 0; other < std::max(operation.after, operation.after_sends); ++other) {
      auto const o = static_cast<std::size_t>(other);
      bool const sends = program_.operations[o].kind == Kind::send;
      if (other < (sends ? operation.after_sends : operation.after)) {
        successors[o].push_back(index);
        ++num_waits;
      }
    }
    return num_waits;
  }

  void add_dataflow_operation(BoundOperation const& operation) {
    if (operation.is_empty()) {
      return;
    }
    if (operation.kind == Kind::copy || operation.kind == Kind::reduce) {
      add_local(operation);
      return;
    }
    MpiStep step = message(operation);
    step.region = message_region(operation);
    result_.steps.push_back(step);
    ++result_.num_requests;
  }

  void add_local(BoundOperation const& operation) {
    if (operation.kind == Kind::reduce) {
      add_reduce(operation);
    } else if (is_bytes(operation.buffer, program_.pieces(operation)) &&
               is_bytes(operation.source, program_.sources(operation))) {
      copy_bytes(operation);
    } else {
      auto const destination = message_region(operation);
      result_.steps.push_back(transfer(make_transfer(destination, source_region(operation))));
    }
  }

  /// The source of a copy to elements with gaps. Bytes are gathered first, so that they can be
  /// unpacked.
  [[nodiscard]] MpiRegion source_region(BoundOperation const& operation) {
    auto const pieces = program_.sources(operation);
    std::int64_t num_bytes = 0;
    for_each_run(pieces, [&](std::int64_t, std::int64_t size) { num_bytes += size; });
    bool const is_scattered = num_runs(pieces) > 1 && is_bytes(operation.source, pieces);
    if (!is_scattered || num_bytes > largest_int) {
      return region_of(operation.source, pieces);
    }
    MpiRegion const gathered = room(num_bytes);
    result_.steps.push_back({
        .action = Action::gather,
        .source = operation.source,
        .region = gathered,
        .pieces = store(pieces),
    });
    return gathered;
  }

  void add_reduce(BoundOperation const& operation) {
    if (elements_.op == MPI_OP_NULL) {
      throw Error(
          ErrorCode::argument,
          "an operator must be given for a program that reduces, got MPI_OP_NULL"
      );
    }
    std::int64_t const unit = elements_.elements_per_operand;
    Runs const runs{
        .extent_bytes = program_.element_extent_bytes, .longest = longest_reduction * unit
    };
    for_each_common_run(operation, runs, [&](MpiStep step) {
      step.action = Action::reduce;
      step.region.count = static_cast<int>(step.num_bytes / unit);
      step.region.type = elements_.operand;
      result_.steps.push_back(step);
    });
  }

  MpiStep transfer(MpiTransfer const& transfer) {
    auto const index = static_cast<int>(result_.transfers.size());
    result_.transfers.push_back(transfer);
    return {.action = Action::transfer, .request = index};
  }

  /// Bytes of a message that has to be unpacked after it was received; 0 if it has not.
  [[nodiscard]] std::int64_t bytes_to_unpack(BoundOperation const& operation) const {
    std::int64_t result = 0;
    for (Piece const& piece : program_.pieces(operation)) {
      auto const type = static_cast<std::size_t>(piece.type);
      bool const is_packed = operation.buffer == Buffer::output && elements_.packed_bytes[type] > 0;
      if (!is_packed) {
        return 0;
      }
      result += piece.num_repeats * piece.num_elements * elements_.packed_bytes[type];
    }
    return result;
  }

  void copy_bytes(BoundOperation const& operation) {
    for_each_common_run(operation, {}, [&](MpiStep step) {
      step.action = Action::copy;
      result_.steps.push_back(step);
    });
  }

  struct Runs {
    std::int64_t extent_bytes = 1;
    std::int64_t longest = std::numeric_limits<std::int64_t>::max();
  };

  /// Calls visit(step) for each run of elements that is adjacent on both sides; num_bytes of the
  /// step is the number of these elements.
  template <typename Visitor>
  void for_each_common_run(BoundOperation const& operation, Runs const& runs, Visitor&& visit) {
    std::vector<Extent> sources;
    for_each_run(program_.sources(operation), [&](std::int64_t offset, std::int64_t size) {
      sources.push_back({.offset_bytes = offset, .num_elements = size});
    });
    auto source = sources.begin();
    for_each_run(program_.pieces(operation), [&](std::int64_t offset, std::int64_t size) {
      while (size > 0) {
        std::int64_t const now = std::min({size, source->num_elements, runs.longest});
        visit(MpiStep{
            .source = operation.source,
            .region = {.buffer = operation.buffer, .offset_bytes = offset},
            .source_offset_bytes = source->offset_bytes,
            .num_bytes = now,
        });
        offset += now * runs.extent_bytes;
        size -= now;
        source->offset_bytes += now * runs.extent_bytes;
        source->num_elements -= now;
        source += source->num_elements == 0 ? 1 : 0;
      }
    });
  }

  [[nodiscard]] std::span<MPI_Datatype const> elements_of(Buffer buffer) const {
    switch (buffer) {
    case Buffer::input:
      return elements_.input;
    case Buffer::output:
      return elements_.output;
    case Buffer::scratch:
      break;
    }
    return {&elements_.scratch, 1};
  }

  [[nodiscard]] bool is_bytes(Buffer buffer, std::span<Piece const> pieces) const {
    auto const elements = elements_of(buffer);
    return std::ranges::all_of(pieces, [&](Piece const& piece) {
      return elements[static_cast<std::size_t>(piece.type)] == MPI_BYTE;
    });
  }

  [[nodiscard]] bool is_staged(BoundOperation const& operation) const {
    auto const pieces = program_.pieces(operation);
    return operation.num_elements <= largest_staged_bytes && num_runs(pieces) > 1 &&
           is_bytes(operation.buffer, pieces);
  }

  /// Scratch memory behind that of the program.
  MpiRegion room(std::int64_t num_bytes) {
    Piece const piece{.offset_bytes = result_.scratch_bytes, .num_elements = num_bytes};
    result_.scratch_bytes += 64 * ceil_div(num_bytes, std::int64_t{64});
    MPI_Datatype const byte = MPI_BYTE;
    return make_region(Buffer::scratch, {&piece, 1}, {&byte, 1}, result_.types);
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
  std::vector<int> sends_;  ///< their operations
  std::size_t num_sends_waited_ = 0;
  std::vector<std::size_t> send_waits_;  ///< steps that wait for sends
};

template <typename Element> std::size_t bytes_of(std::vector<Element> const& elements) {
  return elements.capacity() * sizeof(Element);
}

}  // namespace

std::size_t MpiProgram::memory_bytes() const noexcept {
  std::size_t result = sizeof(*this) + bytes_of(steps) + bytes_of(transfers) +
                       bytes_of(piece_pool) + bytes_of(types) + bytes_of(places);
  if (dataflow) {
    result += bytes_of(dataflow->step_begin) + bytes_of(dataflow->num_waits) +
              bytes_of(dataflow->successor_begin) + bytes_of(dataflow->successors) +
              bytes_of(dataflow->initially_ready);
  }
  return result;
}

MpiProgram compile(BoundProgram const& program, MpiElements const& elements) {
  MpiProgram result = Compiler(program, elements).run();
  add_places(program, result);
  return result;
}

MpiRegion make_region(
    Buffer buffer,
    std::span<Piece const> pieces,
    std::span<MPI_Datatype const> elements,
    std::vector<MpiType>& types
) {
  if (pieces.size() == 1 && pieces[0].num_repeats == 1 && pieces[0].num_elements <= largest_int) {
    return {
        .buffer = buffer,
        .offset_bytes = pieces[0].offset_bytes,
        .count = static_cast<int>(pieces[0].num_elements),
        .type = elements[static_cast<std::size_t>(pieces[0].type)],
    };
  }
  types.push_back(make_type(pieces, elements));
  return {.buffer = buffer, .offset_bytes = 0, .count = 1, .type = types.back().get()};
}

MpiTransfer make_transfer(MpiRegion const& destination, MpiRegion const& source) {
  auto method = MpiTransfer::Method::exchange;
  if (destination.type == MPI_BYTE) {
    method = MpiTransfer::Method::pack;
  } else if (source.type == MPI_BYTE) {
    method = MpiTransfer::Method::unpack;
  }
  return {.method = method, .destination = destination, .source = source};
}

}  // namespace espalier::exec
