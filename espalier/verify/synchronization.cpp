// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/synchronization.hpp"

#include <string>

#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"
#include "espalier/verify/accesses.hpp"

namespace espalier::verify {
namespace {

using schedule::Buffer;
using schedule::Sync;

class SynchronizationCheck {
public:
  SynchronizationCheck(
      AllOperations const& all, Contract const& contract, HappensBefore const& happens_before
  )
      : all_(all), mode_(contract.synchronization), happens_before_(happens_before) {}

  std::optional<Violation> run() {
    for (int rank = 0; rank < all_.num_ranks() && !violation_; ++rank) {
      auto const num_operations = static_cast<int>(all_.program(rank).operations.size());
      for (OperationReference reference{rank, 0}; reference.operation < num_operations;
           ++reference.operation) {
        look_at(reference);
      }
    }
    return violation_;
  }

private:
  /// Slots of an operation lie in one buffer: its first block says all.
  void look_at(OperationReference reference) {
    bool has_read = false;
    bool has_written = false;
    for_each_access(all_, reference, [&](BlockOfRank where, Access access, Touch touch) {
      bool& is_known = touch == Touch::read ? has_read : has_written;
      if (!is_known && !violation_ && where.buffer != Buffer::scratch) {
        check_enter(where, access);
        check_leave(where, access);
      }
      is_known = true;
    });
  }

  void check_enter(BlockOfRank where, Access access) {
    for (int rank = 0; rank < all_.num_ranks(); ++rank) {
      bool const is_meant =
          mode_.in == Sync::allsync || (mode_.in == Sync::mysync && rank == where.rank);
      if (is_meant && !happens_before_.starts_after_enter(access.operation, rank)) {
        report(
            ProverRule::too_early, where, access, formatted("rank {} may not have entered", rank)
        );
        return;
      }
    }
  }

  void check_leave(BlockOfRank where, Access access) {
    if (mode_.out == Sync::nosync) {
      int rank = 0;
      while (rank < all_.num_ranks() && !happens_before_.is_before_leave(access, rank)) {
        ++rank;
      }
      if (rank == all_.num_ranks()) {
        report(ProverRule::too_late, where, access, "all ranks may have left");
      }
      return;
    }
    for (int rank = 0; rank < all_.num_ranks(); ++rank) {
      bool const is_meant = mode_.out == Sync::allsync || rank == where.rank;
      if (is_meant && !happens_before_.is_before_leave(access, rank)) {
        report(ProverRule::too_late, where, access, formatted("rank {} may have left", rank));
        return;
      }
    }
  }

  void report(ProverRule rule, BlockOfRank where, Access access, std::string const& why) {
    if (violation_) {
      return;
    }
    OperationReference const reference = access.operation;
    violation_ = Violation{
        .rule = rule,
        .rank = reference.rank,
        .operation = reference.operation,
        .text = formatted(
            "{}: {} in {} touches {} {} of rank {}: {}",
            to_text(all_.program(reference.rank), all_[reference]),
            access.is_remote_write ? "what arrives" : "the operation",
            to_string(mode_),
            to_string(where.buffer),
            where.block,
            where.rank,
            why
        ),
    };
  }

  AllOperations const& all_;
  schedule::Synchronization mode_;
  HappensBefore const& happens_before_;
  std::optional<Violation> violation_;
};

}  // namespace

std::optional<Violation> check_synchronization(
    AllOperations const& all, Contract const& contract, HappensBefore const& happens_before
) {
  return SynchronizationCheck(all, contract, happens_before).run();
}

}  // namespace espalier::verify
