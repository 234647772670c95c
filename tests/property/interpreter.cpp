// SPDX-License-Identifier: Apache-2.0

#include "tests/property/interpreter.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace espalier::test {
namespace {

using schedule::Buffer;
using schedule::Collective;
using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;
using schedule::Slot;
using verify::Contract;

using Programs = std::vector<RankProgram>;
/// Which contributions are in a block, as `2` or `(0+1)`; empty: garbage.
using Value = std::string;

std::size_t at(int position) {
  return static_cast<std::size_t>(position);
}

/// Runs the programs of all ranks once.
class Interpreter {
public:
  Interpreter(Programs const& programs, Contract const& contract, Random& random)
      : programs_(programs), contract_(contract), random_(random) {
    for (RankProgram const& program : programs) {
      ranks_.push_back({
          .states = std::vector<State>(program.operations.size()),
          .begun = {program.rank},
          .input = start_values(program, Buffer::input),
          .output = start_values(program, Buffer::output),
          .scratch = start_values(program, Buffer::scratch),
      });
    }
  }

  /// Empty if everything completed with the promised result.
  std::string run() {
    for (auto events = possible_events(); !events.empty(); events = possible_events()) {
      happen(events[below(random_, events.size())]);
    }
    return judge();
  }

private:
  enum class Phase { waiting, started, on_its_way, complete };

  struct State {
    Phase phase = Phase::waiting;
    int start_number = 0;        ///< order in which operations of the rank started
    std::set<int> begun;         ///< of a send: ranks known to have begun when it started
    std::vector<Value> carried;  ///< of a send on its way
  };

  struct Rank {
    std::vector<State> states;
    std::set<int> begun;  ///< ranks known to have begun
    std::vector<Value> input;
    std::vector<Value> output;
    std::vector<Value> scratch;
    int num_started = 0;
  };

  struct Event {
    enum class Type { start, leave, arrive, return_send } type;
    int rank;
    int operation;
    int other = -1;  ///< arrive: the send
  };

  std::vector<Value> start_values(RankProgram const& program, Buffer buffer) const {
    std::vector<Value> values;
    for (int block = 0; block < program.frame.num_blocks(buffer); ++block) {
      bool const is_held = contract_.holds_at_start(program.frame, program.rank, buffer, block);
      int const name = contract_.reduces() ? program.rank : program.frame.like(buffer, block);
      values.push_back(is_held ? std::to_string(name) : "");
    }
    return values;
  }

  Value& value(int rank, Buffer buffer, int block) {
    Rank& from = ranks_[at(rank)];
    auto& values = buffer == Buffer::input    ? from.input
                   : buffer == Buffer::output ? from.output
                                              : from.scratch;
    return values[at(block)];
  }

  Operation const& operation(int rank, int index) const {
    return programs_[at(rank)].operations[at(index)];
  }

  State& state(int rank, int index) { return ranks_[at(rank)].states[at(index)]; }

  bool may_start(int rank, int index) {
    RankProgram const& program = programs_[at(rank)];
    Operation const& asked = operation(rank, index);
    for (int i = 0; i < index; ++i) {
      int const end = program.operations[at(i)].writes() ? asked.after : asked.after_sends;
      if (i < end && state(rank, i).phase != Phase::complete) {
        return false;
      }
    }
    return std::ranges::all_of(program.waits(asked), [&](int i) {
      return state(rank, i).phase == Phase::complete;
    });
  }

  std::vector<Event> possible_events() {
    std::vector<Event> events;
    for (int rank = 0; rank < static_cast<int>(programs_.size()); ++rank) {
      auto const n = static_cast<int>(programs_[at(rank)].operations.size());
      bool has_startable = false;
      for (int i = 0; i < n; ++i) {
        Phase const phase = state(rank, i).phase;
        if (phase == Phase::waiting && may_start(rank, i)) {
          // Among those that may start, program order; any order if completion drives execution.
          if (!has_startable || programs_[at(rank)].is_dataflow()) {
            events.push_back({.type = Event::Type::start, .rank = rank, .operation = i});
          }
          has_startable = true;
        } else if (operation(rank, i).kind == Kind::send) {
          add_send_events(events, rank, i);
        }
      }
    }
    return events;
  }

  void add_send_events(std::vector<Event>& events, int rank, int index) {
    Phase const phase = state(rank, index).phase;
    if (phase == Phase::started) {
      events.push_back({.type = Event::Type::leave, .rank = rank, .operation = index});
    } else if (phase == Phase::on_its_way) {
      if (auto const receive = matching_receive(rank, index)) {
        events.push_back({
            .type = Event::Type::arrive,
            .rank = operation(rank, index).peer,
            .operation = *receive,
            .other = index,
        });
      }
    }
  }

  /// The receive that has started and stands at the same place among its pair, direction and tag.
  std::optional<int> matching_receive(int sender, int index) {
    Operation const& send = operation(sender, index);
    int const place = place_of(sender, index);
    auto const n = static_cast<int>(programs_[at(send.peer)].operations.size());
    for (int i = 0; i < n; ++i) {
      Operation const& candidate = operation(send.peer, i);
      if (candidate.kind == Kind::recv && candidate.peer == sender && candidate.tag == send.tag &&
          state(send.peer, i).phase == Phase::started && place_of(send.peer, i) == place) {
        return i;
      }
    }
    return std::nullopt;
  }

  /// How many operations like this one started before it.
  int place_of(int rank, int index) {
    Operation const& asked = operation(rank, index);
    int place = 0;
    auto const n = static_cast<int>(programs_[at(rank)].operations.size());
    for (int i = 0; i < n; ++i) {
      Operation const& other = operation(rank, i);
      bool const is_alike =
          other.kind == asked.kind && other.peer == asked.peer && other.tag == asked.tag;
      if (is_alike && state(rank, i).phase != Phase::waiting &&
          state(rank, i).start_number < state(rank, index).start_number) {
        ++place;
      }
    }
    return place;
  }

  void happen(Event const& event) {
    State& of = state(event.rank, event.operation);
    Operation const& what = operation(event.rank, event.operation);
    if (event.type == Event::Type::start) {
      of.phase = Phase::started;
      of.start_number = ranks_[at(event.rank)].num_started++;
      of.begun = ranks_[at(event.rank)].begun;
      if (what.kind == Kind::recv) {
        write(event.rank, what, {});
      } else if (what.kind != Kind::send) {
        combine(event.rank, what);
        of.phase = Phase::complete;
      }
    } else if (event.type == Event::Type::leave) {
      of.carried = read(event.rank, programs_[at(event.rank)].slots(what));
      of.phase = Phase::on_its_way;
    } else {
      State& send = state(what.peer, event.other);
      write(event.rank, what, send.carried);
      ranks_[at(event.rank)].begun.insert(send.begun.begin(), send.begun.end());
      of.phase = Phase::complete;
      send.phase = Phase::complete;
    }
  }

  std::vector<Value> read(int rank, std::span<Slot const> slots) {
    std::vector<Value> values;
    schedule::for_each_block(programs_[at(rank)].frame, slots, [&](Buffer buffer, int block) {
      values.push_back(value(rank, buffer, block));
    });
    return values;
  }

  /// Missing values are garbage.
  void write(int rank, Operation const& what, std::vector<Value> const& values) {
    RankProgram const& program = programs_[at(rank)];
    std::size_t i = 0;
    schedule::for_each_block(program.frame, program.slots(what), [&](Buffer buffer, int block) {
      value(rank, buffer, block) = i < values.size() ? values[i] : "";
      ++i;
    });
  }

  void combine(int rank, Operation const& what) {
    RankProgram const& program = programs_[at(rank)];
    std::vector<Value> values = read(rank, program.sources(what));
    if (what.kind == Kind::reduce) {
      std::vector<Value> const right = read(rank, program.slots(what));
      for (std::size_t i = 0; i < values.size(); ++i) {
        bool const is_good = !values[i].empty() && !right[i].empty();
        values[i] = is_good ? "(" + values[i] + "+" + right[i] + ")" : "";
      }
    }
    write(rank, what, values);
  }

  std::string judge() {
    for (int rank = 0; rank < static_cast<int>(programs_.size()); ++rank) {
      RankProgram const& program = programs_[at(rank)];
      if (!std::ranges::all_of(ranks_[at(rank)].states, [](State const& of) {
            return of.phase == Phase::complete;
          })) {
        return "rank " + std::to_string(rank) + " is stuck";
      }
      auto const promised = contract_.promised(program.frame, rank);
      for (int block = promised.begin; block < promised.begin + promised.size; ++block) {
        Value const& found = value(rank, Buffer::output, block);
        if (!is_promised(found, program, block)) {
          return "rank " + std::to_string(rank) + " has '" + found + "' in output " +
                 std::to_string(block);
        }
      }
      if (contract_.collective == Collective::barrier &&
          ranks_[at(rank)].begun.size() != programs_.size()) {
        return "rank " + std::to_string(rank) + " ends too early";
      }
    }
    return {};
  }

  bool is_promised(Value const& found, RankProgram const& program, int block) {
    if (!contract_.reduces()) {
      return found == std::to_string(program.frame.like(Buffer::output, block));
    }
    if (contract_.collective == Collective::allreduce &&
        contract_.order != schedule::OperandOrder::any &&
        found != value(0, Buffer::output, block)) {
      return false;
    }
    if (contract_.order == schedule::OperandOrder::left) {
      return found == left_fold(contract_.num_operands(program.rank));
    }
    // Ranks have one digit each.
    std::string digits = found;
    std::erase_if(digits, [](char c) { return c < '0' || c > '9'; });
    if (contract_.order == schedule::OperandOrder::any) {
      std::ranges::sort(digits);
    }
    std::string const all = "0123456789";
    return digits == all.substr(0, at(contract_.num_operands(program.rank)));
  }

  static Value left_fold(int num_operands) {
    Value result = "0";
    for (int rank = 1; rank < num_operands; ++rank) {
      result = "(" + result + "+" + std::to_string(rank) + ")";
    }
    return result;
  }

  Programs const& programs_;
  Contract const& contract_;
  Random& random_;
  std::vector<Rank> ranks_;
};

}  // namespace

std::string run_once(Programs const& programs, Contract const& contract, Random& random) {
  return Interpreter(programs, contract, random).run();
}

}  // namespace espalier::test
