// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/preconditions.hpp"

#include <algorithm>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::schedule {

void require_messages(RankProgram const& program, char const* needed_by) {
  auto const found = std::ranges::find_if(program.operations, [](Operation const& operation) {
    return is_one_sided(operation.kind);
  });
  if (found != program.operations.end()) {
    throw Error(
        ErrorCode::unsupported,
        std::string(needed_by) +
            " needs a program of messages, got a one-sided one: " + to_text(program, *found)
    );
  }
}

void require_rounds(RankProgram const& program, char const* transform) {
  require_messages(program, transform);
  if (program.is_dataflow()) {
    throw Error(
        ErrorCode::unsupported,
        std::string(transform) + " needs a program in rounds, got a dataflow program; apply it " +
            "before segment"
    );
  }
}

void require_plain(RankProgram const& program, Operation const& operation, char const* transform) {
  bool const is_message = operation.kind == Kind::send || operation.kind == Kind::recv;
  bool const is_output = std::ranges::all_of(program.slots(operation), [](Slot const& slot) {
    return slot.buffer == Buffer::output;
  });
  if (!is_message || !is_output) {
    throw Error(
        ErrorCode::unsupported,
        std::string(transform) + " needs a program of sends and receives of output blocks, got " +
            to_text(program, operation)
    );
  }
}

}  // namespace espalier::schedule
