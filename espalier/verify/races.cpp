// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/races.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::verify {
namespace {

using schedule::Buffer;
using schedule::Frame;

std::string described(AllOperations const& all, OperationReference reference) {
  return formatted(
      "rank {}, operation {} ({})",
      reference.rank,
      reference.operation,
      to_text(all.program(reference.rank), all[reference])
  );
}

/// Walks through the operations in the order of one run and keeps for each block who wrote it last
/// and who has read it since. An access must come after the last write, a write after all reads
/// since. Then any two conflicting accesses are ordered, and every run sees the same values.
class RaceCheck {
public:
  RaceCheck(AllOperations const& all, Contract const& contract, HappensBefore const& happens_before)
      : all_(all), happens_before_(happens_before), may_overwrite_output_(contract.reduces()) {
    cells_.resize(static_cast<std::size_t>(all.num_ranks()));
    for (int rank = 0; rank < all.num_ranks(); ++rank) {
      Frame const& frame = all.program(rank).frame;
      for (Buffer const buffer : {Buffer::input, Buffer::output, Buffer::scratch}) {
        for (int block = 0; block < frame.num_blocks(buffer); ++block) {
          Cell cell;
          cell.has_value = contract.holds_at_start(frame, rank, buffer, block);
          cells_[static_cast<std::size_t>(rank)].push_back(std::move(cell));
        }
      }
    }
  }

  std::optional<Violation> run(std::span<OperationReference const> order) {
    for (OperationReference const reference : order) {
      for_each_access(all_, reference, [&](BlockOfRank where, Access access, Touch touch) {
        if (!violation_) {
          look_at(where, access, touch);
        }
      });
      if (violation_) {
        break;
      }
    }
    return violation_;
  }

private:
  struct Cell {
    bool has_value = false;
    std::optional<Access> writer;  ///< nothing: as at the start
    std::vector<Access> readers;   ///< since then
  };

  void look_at(BlockOfRank where, Access access, Touch touch) {
    Frame const& frame = all_.program(where.rank).frame;
    auto const index = static_cast<std::size_t>(cell_of(frame, where.buffer, where.block));
    Cell& cell = cells_[static_cast<std::size_t>(where.rank)][index];
    if (touch != Touch::fill && !cell.has_value) {
      report(ProverRule::not_held, access, formatted("{} has no value yet", named(where)));
    } else if (touch == Touch::fill && cell.has_value && !may_overwrite(where.buffer)) {
      std::string const by = cell.writer
                                 ? "was written by " + described(all_, cell.writer->operation)
                                 : "has its value from the start";
      report(ProverRule::written_twice, access, formatted("{} {}", named(where), by));
    } else if (follows(cell, where, access, touch)) {
      keep(cell, access, touch);
    }
  }

  [[nodiscard]] bool may_overwrite(Buffer buffer) const noexcept {
    return buffer == Buffer::scratch || (buffer == Buffer::output && may_overwrite_output_);
  }

  bool follows(Cell const& cell, BlockOfRank where, Access access, Touch touch) {
    if (cell.writer && !is_before(*cell.writer, access)) {
      report_unordered(where, access, "its writer", *cell.writer);
      return false;
    }
    for (Access const reader : cell.readers) {
      if (touch != Touch::read && !is_before(reader, access)) {
        report_unordered(where, access, "its reader", reader);
        return false;
      }
    }
    return true;
  }

  /// An operation may read what it writes; a put or a get has both on different ranks.
  [[nodiscard]] bool is_before(Access earlier, Access later) const {
    return earlier.operation == later.operation ||
           happens_before_.is_before(earlier, later.operation);
  }

  static void keep(Cell& cell, Access access, Touch touch) {
    if (touch == Touch::read) {
      cell.readers.push_back(access);
      return;
    }
    cell.has_value = true;
    cell.writer = access;
    cell.readers.clear();
  }

  static std::string named(BlockOfRank where) {
    return formatted("{} {} of rank {}", to_string(where.buffer), where.block, where.rank);
  }

  void
  report_unordered(BlockOfRank where, Access access, std::string_view whose, Access const& other) {
    report(
        ProverRule::unordered,
        access,
        formatted(
            "touches {}, does not come after {}, {}{}",
            named(where),
            whose,
            described(all_, other.operation),
            other.is_remote_write ? ": when its data arrive, only who awaits its counter knows" : ""
        )
    );
  }

  void report(ProverRule rule, Access access, std::string const& text) {
    violation_ = Violation{
        .rule = rule,
        .rank = access.operation.rank,
        .operation = access.operation.operation,
        .text = formatted(
            "{}: {}", to_text(all_.program(access.operation.rank), all_[access.operation]), text
        ),
    };
  }

  AllOperations const& all_;
  HappensBefore const& happens_before_;
  bool may_overwrite_output_;
  std::vector<std::vector<Cell>> cells_;  ///< of each rank
  std::optional<Violation> violation_;
};

}  // namespace

std::optional<Violation> check_races(
    AllOperations const& all,
    Contract const& contract,
    HappensBefore const& happens_before,
    std::span<OperationReference const> order
) {
  return RaceCheck(all, contract, happens_before).run(order);
}

}  // namespace espalier::verify
