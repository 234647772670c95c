// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/hazards.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"
#include "espalier/verify/cells.hpp"
#include "espalier/verify/ordering.hpp"

namespace espalier::verify {
namespace {

using schedule::Buffer;
using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;
using schedule::Slot;

constexpr int nobody = -2;    ///< as writer of a block: it has no value yet
constexpr int at_start = -1;  ///< as writer of a block: it had its value before the program began
constexpr int no_read = -1;

/// Walks through the operations in program order and keeps for each block who wrote it last and who
/// has read it since. An access must come after the last write, a write after all reads since;
/// with that, and `waits only for earlier operations`, any two conflicting accesses are ordered.
class HazardCheck {
public:
  HazardCheck(RankProgram const& program, Contract const& contract)
      : program_(program), ordering_(program), may_overwrite_output_(contract.reduces()) {
    cells_.reserve(static_cast<std::size_t>(num_cells(program.frame)));
    for (Buffer const buffer : {Buffer::input, Buffer::output, Buffer::scratch}) {
      for (int block = 0; block < program.frame.num_blocks(buffer); ++block) {
        bool const is_held = contract.holds_at_start(program.frame, program.rank, buffer, block);
        cells_.push_back({.last_writer = is_held ? at_start : nobody});
      }
    }
  }

  std::optional<Violation> run() {
    for (Operation const& operation : program_.operations) {
      if (operation.kind == Kind::send) {
        visit(program_.slots(operation), &HazardCheck::read);
      } else {
        visit(program_.sources(operation), &HazardCheck::read);
        visit(
            program_.slots(operation),
            operation.kind == Kind::reduce ? &HazardCheck::update : &HazardCheck::fill
        );
      }
      if (violation_) {
        return violation_;
      }
      ++index_;
    }
    return std::nullopt;
  }

private:
  struct Cell {
    int last_writer = nobody;
    int last_read = no_read;  ///< into reads_
  };

  struct Read {
    int operation = 0;
    int previous = no_read;
  };

  void visit(std::span<Slot const> slots, void (HazardCheck::*access)(Cell&, Buffer, int)) {
    schedule::for_each_block(program_.frame, slots, [&](Buffer buffer, int block) {
      Cell& cell = cells_[static_cast<std::size_t>(cell_of(program_.frame, buffer, block))];
      if (!violation_) {
        (this->*access)(cell, buffer, block);
      }
    });
  }

  void read(Cell& cell, Buffer buffer, int block) {
    if (requires_value(cell, buffer, block)) {
      reads_.push_back({.operation = index_, .previous = cell.last_read});
      cell.last_read = static_cast<int>(reads_.size()) - 1;
    }
  }

  void fill(Cell& cell, Buffer buffer, int block) {
    if (cell.last_writer == nobody) {
      cell.last_writer = index_;
      return;
    }
    bool const may_overwrite =
        buffer == Buffer::scratch || (buffer == Buffer::output && may_overwrite_output_);
    if (may_overwrite) {
      if (follows_writer(cell, buffer, block) && follows_readers(cell, buffer, block)) {
        cell = {.last_writer = index_};
      }
      return;
    }
    std::string const by = cell.last_writer == at_start
                               ? "has its value from the start"
                               : "was written by " + written(cell.last_writer);
    report(ProverRule::written_twice, formatted("{} {}", named(buffer, block), by));
  }

  void update(Cell& cell, Buffer buffer, int block) {
    if (requires_value(cell, buffer, block) && follows_readers(cell, buffer, block)) {
      cell = {.last_writer = index_};
    }
  }

  bool follows_readers(Cell const& cell, Buffer buffer, int block) {
    for (int i = cell.last_read; i != no_read; i = reads_[static_cast<std::size_t>(i)].previous) {
      int const reader = reads_[static_cast<std::size_t>(i)].operation;
      if (!ordering_.is_before(reader, index_)) {
        report(
            ProverRule::unordered,
            formatted(
                "writes {}, does not wait for its reader, {}", named(buffer, block), written(reader)
            )
        );
        return false;
      }
    }
    return true;
  }

  /// The block has a value, and had it before this operation may start.
  bool requires_value(Cell const& cell, Buffer buffer, int block) {
    if (cell.last_writer == nobody) {
      report(ProverRule::not_held, formatted("{} has no value yet", named(buffer, block)));
      return false;
    }
    return follows_writer(cell, buffer, block);
  }

  bool follows_writer(Cell const& cell, Buffer buffer, int block) {
    if (cell.last_writer >= 0 && !ordering_.is_before(cell.last_writer, index_)) {
      report(
          ProverRule::unordered,
          formatted(
              "touches {}, does not wait for its writer, {}",
              named(buffer, block),
              written(cell.last_writer)
          )
      );
      return false;
    }
    return true;
  }

  static std::string named(Buffer buffer, int block) {
    return formatted("{} {}", to_string(buffer), block);
  }

  [[nodiscard]] std::string written(int operation) const {
    return formatted(
        "operation {} ({})",
        operation,
        to_text(program_, program_.operations[static_cast<std::size_t>(operation)])
    );
  }

  void report(ProverRule rule, std::string const& text) {
    violation_ = Violation{
        .rule = rule,
        .rank = program_.rank,
        .operation = index_,
        .text = formatted(
            "{}: {}", to_text(program_, program_.operations[static_cast<std::size_t>(index_)]), text
        ),
    };
  }

  RankProgram const& program_;
  Ordering ordering_;
  bool may_overwrite_output_;
  std::vector<Cell> cells_;
  std::vector<Read> reads_;
  int index_ = 0;
  std::optional<Violation> violation_;
};

}  // namespace

std::optional<Violation> check_hazards(RankProgram const& program, Contract const& contract) {
  return HazardCheck(program, contract).run();
}

}  // namespace espalier::verify
