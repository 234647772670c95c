// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/shape.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::verify {
namespace {

using schedule::Buffer;
using schedule::Frame;
using schedule::Kind;
using schedule::Operation;
using schedule::Range;
using schedule::RankProgram;
using schedule::Slot;

constexpr int unlimited = std::numeric_limits<int>::max();

/// What is counted by round has room for all of them; no program of so many fits into memory.
constexpr int most_rounds = 1 << 24;

/// Checks one program; each function is true if all is well and otherwise leaves the violation.
class ShapeCheck {
public:
  ShapeCheck(RankProgram const& program, Contract const& contract, int rank)
      : program_(program), frame_(program.frame), contract_(contract) {
    violation_.rank = rank;
  }

  std::optional<Violation> run() {
    bool is_good = frame_fits() && (contract_.exchange != nullptr || input_fits());
    for (std::size_t i = 0; is_good && i < program_.operations.size(); ++i) {
      violation_.operation = static_cast<int>(i);
      is_good = operation_fits(program_.operations[i]);
    }
    return is_good ? std::nullopt : std::optional(std::move(violation_));
  }

private:
  bool fail(ProverRule rule, std::string text) {
    violation_.rule = rule;
    violation_.text = std::move(text);
    return false;
  }

  bool inside(std::string_view what, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (low <= value && value <= high) {
      return true;
    }
    return fail(
        ProverRule::bounds,
        low == high  ? formatted("{} must be {}, got {}", what, low, value)
        : high < low ? formatted("{}: no value is valid here, got {}", what, value)
                     : formatted("{} must be in {} .. {}, got {}", what, low, high, value)
    );
  }

  bool frame_fits() {
    int const p = contract_.num_ranks;
    return inside("rank of the program", program_.rank, violation_.rank, violation_.rank) &&
           inside("number of ranks of the program", frame_.num_ranks, p, p) &&
           (contract_.exchange != nullptr ? exchange_fits() : collective_fits());
  }

  bool collective_fits() {
    int const p = contract_.num_ranks;
    int const n = frame_.num_output_blocks;
    return inside("number of output blocks", n, least_output(), most_output()) &&
           (!schedule::has_parts(contract_.collective) ||
            inside("output blocks modulo the number of ranks", n % p, 0, 0)) &&
           output_labels_fit() && labels_fit(frame_.input_like) && labels_fit(frame_.scratch_like);
  }

  /// Every block has a size of its own, and so a label, whatever it is.
  bool exchange_fits() {
    auto const rank = static_cast<std::size_t>(program_.rank);
    auto const num_inputs = static_cast<std::int64_t>(contract_.exchange->inputs[rank].size());
    auto const num_outputs = static_cast<std::int64_t>(contract_.exchange->outputs[rank].size());
    return inside("output blocks", frame_.num_output_blocks, num_outputs, num_outputs) &&
           inside("output labels", std::ssize(frame_.output_like), num_outputs, num_outputs) &&
           inside("input blocks", std::ssize(frame_.input_like), num_inputs, num_inputs);
  }

  [[nodiscard]] bool is_alltoall() const { return contract_.collective == Collective::alltoall; }

  [[nodiscard]] int least_output() const {
    return is_alltoall()                                 ? contract_.num_ranks
           : contract_.collective == Collective::barrier ? 0
                                                         : 1;
  }

  [[nodiscard]] int most_output() const {
    return is_alltoall()                                 ? contract_.num_ranks
           : contract_.collective == Collective::barrier ? 0
                                                         : unlimited / contract_.num_ranks;
  }

  /// In an alltoall output block i comes from rank i.
  bool output_labels_fit() {
    int const p = contract_.num_ranks;
    int const expected = is_alltoall() ? p : 0;
    auto const size = static_cast<std::int64_t>(frame_.output_like.size());
    if (!inside("number of output labels", size, expected, expected)) {
      return false;
    }
    for (int i = 0; i < expected; ++i) {
      int const label = i * p + program_.rank;
      if (!inside("label of an output block", frame_.like(Buffer::output, i), label, label)) {
        return false;
      }
    }
    return true;
  }

  bool labels_fit(std::vector<int> const& like) {
    for (int const label : like) {
      if (!inside("label of a block", label, 0, frame_.num_labels() - 1)) {
        return false;
      }
    }
    return true;
  }

  /// A separate input has the blocks that the rank contributes.
  bool input_fits() {
    int const p = contract_.num_ranks;
    schedule::BlockRun const own = is_alltoall()
                                       ? schedule::BlockRun{.begin = program_.rank * p, .size = p}
                                       : contract_.contributed(frame_, program_.rank);
    int const expected = contract_.has_input() ? own.size : 0;
    if (!inside("number of input blocks", frame_.num_blocks(Buffer::input), expected, expected)) {
      return false;
    }
    for (int i = 0; i < expected; ++i) {
      int const label = own.begin + i;
      if (frame_.like(Buffer::input, i) != label) {
        return fail(
            ProverRule::size,
            formatted(
                "input {} must have label {}, got {}", i, label, frame_.like(Buffer::input, i)
            )
        );
      }
    }
    return true;
  }

  bool operation_fits(Operation const& operation) {
    return range_fits("slots", operation.slots, program_.slot_pool.size()) &&
           range_fits("sources", operation.sources, program_.slot_pool.size()) &&
           range_fits("waits", operation.waits, program_.wait_pool.size()) &&
           inside("round", operation.round, 0, most_rounds - 1) && waits_fit(operation) &&
           (schedule::has_remote_slots(operation.kind) || slots_fit(program_.slots(operation))) &&
           (schedule::has_remote_sources(operation.kind) || slots_fit(program_.sources(operation))
           ) &&
           kind_fits(operation) && leaves_input(operation) && writes_own_memory(operation);
  }

  bool kind_fits(Operation const& operation) {
    int const num_slots = operation.slots.size();
    switch (operation.kind) {
    case Kind::send:
    case Kind::recv:
      return message_fits(operation);
    case Kind::copy:
    case Kind::reduce:
    case Kind::native:
      return inside("number of slots", num_slots, 1, unlimited) && local_fits(operation);
    case Kind::put:
    case Kind::get:
      return inside("number of slots", num_slots, 1, unlimited) && transfer_fits(operation);
    case Kind::signal:
      return inside("number of slots", num_slots, 0, 0) && message_fits(operation);
    case Kind::await:
      return await_fits(operation);
    }
    return false;
  }

  bool range_fits(std::string_view what, Range range, std::size_t pool_size) {
    auto const size = static_cast<std::int64_t>(pool_size);
    return inside(what, range.begin, 0, size) && inside(what, range.end, range.begin, size);
  }

  bool waits_fit(Operation const& operation) {
    if (!inside("after", operation.after, 0, violation_.operation) ||
        !inside("after_sends", operation.after_sends, 0, violation_.operation)) {
      return false;
    }
    for (int const waited_for : program_.waits(operation)) {
      if (!inside("operation waited for", waited_for, 0, violation_.operation - 1)) {
        return false;
      }
    }
    return true;
  }

  bool slots_fit(std::span<Slot const> slots) {
    for (Slot const& slot : slots) {
      int const size = frame_.num_blocks(slot.buffer);
      if (!inside("first block of a slot", slot.first, 0, size - 1) ||
          !inside("number of blocks of a slot", slot.num_blocks, 1, size) ||
          !inside("stride of a slot", slot.stride, 0, size - 1)) {
        return false;
      }
      if (slot.buffer != slots.front().buffer) {
        return fail(
            ProverRule::bounds,
            formatted(
                "slots of an operation must lie in one buffer, got {} and {}",
                to_string(slots.front().buffer),
                to_string(slot.buffer)
            )
        );
      }
    }
    return true;
  }

  bool message_fits(Operation const& operation) {
    return peer_fits(operation) && inside("tag", operation.tag, 0, unlimited) &&
           inside("number of source slots", operation.sources.size(), 0, 0);
  }

  bool peer_fits(Operation const& operation) {
    if (operation.peer == program_.rank) {
      return fail(
          ProverRule::bounds, formatted("peer must be another rank, got {} itself", operation.peer)
      );
    }
    return inside("peer", operation.peer, 0, frame_.num_ranks - 1);
  }

  /// What stands in the memory of the peer is looked at where all programs are known.
  bool transfer_fits(Operation const& operation) {
    std::int64_t const num_blocks = schedule::num_blocks(program_.slots(operation));
    std::int64_t const num_sources = schedule::num_blocks(program_.sources(operation));
    bool const is_put = operation.kind == Kind::put;
    return peer_fits(operation) &&
           inside("number of source blocks", num_sources, num_blocks, num_blocks) &&
           inside("counter", operation.tag, is_put ? schedule::no_counter : 0, unlimited);
  }

  bool await_fits(Operation const& operation) {
    return inside("peer of an await", operation.peer, -1, -1) &&
           inside("counter", operation.tag, 0, unlimited) &&
           inside("number of arrivals", operation.arrivals, 1, unlimited) &&
           inside("number of slots", operation.slots.size(), 0, 0) &&
           inside("number of source slots", operation.sources.size(), 0, 0);
  }

  bool local_fits(Operation const& operation) {
    std::int64_t const num_blocks = schedule::num_blocks(program_.slots(operation));
    std::int64_t const num_sources = schedule::num_blocks(program_.sources(operation));
    return inside("peer of a copy or reduce", operation.peer, -1, -1) &&
           inside("number of source blocks", num_sources, num_blocks, num_blocks) &&
           sizes_agree(operation);
  }

  bool sizes_agree(Operation const& operation) {
    auto const to = size_classes(program_.slots(operation));
    auto const from = size_classes(program_.sources(operation));
    if (to == from || contract_.has_equal_blocks) {
      return true;
    }
    return fail(
        ProverRule::size,
        formatted(
            "sources must have the labels {}, got {}: {}",
            schedule::runs_to_text(to),
            schedule::runs_to_text(from),
            to_text(program_, operation)
        )
    );
  }

  [[nodiscard]] std::vector<int> size_classes(std::span<Slot const> slots) const {
    std::vector<int> classes;
    schedule::for_each_block(frame_, slots, [&](Buffer buffer, int block) {
      classes.push_back(frame_.like(buffer, block));
    });
    return classes;
  }

  bool leaves_input(Operation const& operation) {
    auto const slots = program_.slots(operation);
    if (!operation.writes() || slots.empty() || slots.front().buffer != Buffer::input) {
      return true;
    }
    return fail(
        ProverRule::input_written, "the input must stay as it is: " + to_text(program_, operation)
    );
  }

  /// Where nothing is contributed and nothing promised there is no memory.
  bool writes_own_memory(Operation const& operation) {
    int missing = -1;
    if (operation.writes()) {
      schedule::for_each_block(frame_, program_.slots(operation), [&](Buffer buffer, int block) {
        if (buffer == Buffer::output && !contract_.exists(frame_, program_.rank, block)) {
          missing = block;
        }
      });
    }
    return missing < 0 ||
           fail(
               ProverRule::bounds,
               formatted(
                   "output {} is no memory of this rank: {}", missing, to_text(program_, operation)
               )
           );
  }

  RankProgram const& program_;
  Frame const& frame_;
  Contract const& contract_;
  Violation violation_;
};

}  // namespace

std::optional<Violation>
check_shape(RankProgram const& program, Contract const& contract, int rank) {
  return ShapeCheck(program, contract, rank).run();
}

}  // namespace espalier::verify
