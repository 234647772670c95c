// SPDX-License-Identifier: Apache-2.0

#include "tests/property/changer.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace espalier::test {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

using Programs = std::vector<RankProgram>;

std::size_t at(int position) {
  return static_cast<std::size_t>(position);
}

class Changer {
public:
  Changer(Programs& programs, Random& random) : programs_(programs), random_(random) {}

  void change() {
    RankProgram& program = programs_[below(random_, programs_.size())];
    if (program.operations.empty()) {
      return;
    }
    std::size_t const index = below(random_, program.operations.size());
    switch (below(random_, 5)) {
    case 0:
      program.operations[index].after = static_cast<int>(below(random_, index + 1));
      break;
    case 1:
      wait_explicitly(program);
      break;
    case 2:
      drop_wait(program, index);
      break;
    case 3:
      swap_with_next(program, index);
      break;
    default:
      retag(program.operations[index]);
    }
  }

private:
  /// Makes a dataflow program of one in rounds, with some of the waits left out.
  void wait_explicitly(RankProgram& program) {
    if (program.is_dataflow()) {
      return;
    }
    for (Operation& operation : program.operations) {
      auto const begin = static_cast<int>(program.wait_pool.size());
      for (int i = 0; i < std::max(operation.after, operation.after_sends); ++i) {
        int const end =
            program.operations[at(i)].writes() ? operation.after : operation.after_sends;
        if (i < end && below(random_, 8) != 0) {
          program.wait_pool.push_back(i);
        }
      }
      operation.waits = {.begin = begin, .end = static_cast<int>(program.wait_pool.size())};
      operation.after = 0;
      operation.after_sends = 0;
    }
  }

  void drop_wait(RankProgram& program, std::size_t index) {
    Operation& operation = program.operations[index];
    if (operation.waits.size() > 0) {
      --operation.waits.end;
    }
  }

  void swap_with_next(RankProgram& program, std::size_t index) {
    if (index + 1 < program.operations.size() && !program.is_dataflow()) {
      std::swap(program.operations[index], program.operations[index + 1]);
      Operation& earlier = program.operations[index];
      earlier.after = std::min(earlier.after, static_cast<int>(index));
      earlier.after_sends = std::min(earlier.after_sends, static_cast<int>(index));
    }
  }

  /// Gives all messages of a pair and direction tags of their own.
  void retag(Operation const& chosen) {
    if (chosen.peer < 0) {
      return;
    }
    bool const sends = chosen.kind == Kind::send;
    std::size_t const me = static_cast<std::size_t>(
        std::ranges::find_if(
            programs_,
            [&](RankProgram const& program) {
              return &chosen >= program.operations.data() &&
                     &chosen < program.operations.data() + program.operations.size();
            }
        ) -
        programs_.begin()
    );
    int const sender = sends ? static_cast<int>(me) : chosen.peer;
    int const receiver = sends ? chosen.peer : static_cast<int>(me);
    number(programs_[at(sender)], Kind::send, receiver);
    number(programs_[at(receiver)], Kind::recv, sender);
  }

  static void number(RankProgram& program, Kind kind, int peer) {
    int tag = 0;
    for (Operation& operation : program.operations) {
      if (operation.kind == kind && operation.peer == peer) {
        operation.tag = tag++;
      }
    }
  }

  Programs& programs_;
  Random& random_;
};

}  // namespace

void change(Programs& programs, Random& random) {
  Changer(programs, random).change();
}

}  // namespace espalier::test
