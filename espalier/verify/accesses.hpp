// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/verify/cells.hpp"
#include "espalier/verify/happens_before.hpp"

namespace espalier::verify {

/// What an operation does to a block of some rank.
enum class Touch {
  read,
  fill,    ///< write, whatever was there
  update,  ///< read and write
};

/// A block in the memory of a rank.
struct BlockOfRank {
  int rank = 0;
  schedule::Buffer buffer = schedule::Buffer::output;
  int block = 0;
};

/// Calls visit(block, access, touch) for every block that an operation of one-sided programs
/// touches on any rank: first what it reads, then what it writes.
template <typename Visitor>
void for_each_access(AllOperations const& all, OperationReference reference, Visitor&& visit) {
  using schedule::Kind;
  schedule::RankProgram const& program = all.program(reference.rank);
  schedule::Operation const& operation = all[reference];
  auto const look = [&](std::span<schedule::Slot const> slots, bool is_remote, Touch touch) {
    Access const access{
        .operation = reference, .is_remote_write = is_remote && touch != Touch::read
    };
    int const rank = is_remote ? operation.peer : reference.rank;
    auto const visit_block = [&](schedule::Buffer buffer, int block) {
      visit(BlockOfRank{.rank = rank, .buffer = buffer, .block = block}, access, touch);
    };
    if (is_remote) {
      schedule::for_each_remote_block(slots, visit_block);
    } else {
      schedule::for_each_block(program.frame, slots, visit_block);
    }
  };
  look(program.sources(operation), schedule::has_remote_sources(operation.kind), Touch::read);
  look(
      program.slots(operation),
      schedule::has_remote_slots(operation.kind),
      operation.kind == Kind::reduce ? Touch::update : Touch::fill
  );
}

}  // namespace espalier::verify
