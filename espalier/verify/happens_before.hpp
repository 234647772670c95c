// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/verify/cells.hpp"
#include "espalier/verify/counters.hpp"

namespace espalier::verify {

/// When an access to memory ends: with its operation, or, for what a put writes in the memory of a
/// peer, when the data are there.
struct Access {
  OperationReference operation;
  bool is_remote_write = false;

  friend bool operator==(Access const&, Access const&) = default;
};

/// What of one-sided programs comes before what on all ranks, whatever the timing.
///
/// An operation starts after all for which it waits and after its rank has entered; an await ends
/// after every raise of its counter; a put raises a counter after its data are in the memory of
/// the peer. A rank leaves after all of its operations. Nothing else is ordered.
///
/// Needs a bit for each pair of operations.
class HappensBefore {
public:
  /// @param order  All operations, each behind those it comes after (OneSidedRun).
  /// @throws Error unsupported for more operations than there is memory for.
  HappensBefore(
      AllOperations const& all, Counters const& counters, std::span<OperationReference const> order
  );

  /// Whether `later` starts only when the access has ended; another operation than that of the
  /// access, and no await.
  [[nodiscard]] bool is_before(Access access, OperationReference later) const;
  /// Whether an operation starts only when a rank has entered.
  [[nodiscard]] bool starts_after_enter(OperationReference operation, int rank) const;
  /// Whether a rank leaves only when the access has ended.
  [[nodiscard]] bool is_before_leave(Access access, int rank) const;
  /// Whether a rank leaves only when another one has entered.
  [[nodiscard]] bool leaves_after_enter(int rank, int entered) const;

private:
  using Bits = std::vector<std::uint64_t>;

  /// Union over operations of one kind (writes, or sends) at the start of a program.
  struct Prefix {
    int num_operations = 0;
    Bits row;
  };

  [[nodiscard]] std::size_t bit_of_end(Access access) const;
  [[nodiscard]] std::size_t bit_of_enter(int rank) const;
  void number_remote_writes();
  void add(OperationReference reference, Counters const& counters);
  void add_prefix(Bits& row, Prefix& prefix, OperationReference reference, int end, bool writes);
  [[nodiscard]] Bits const& row_of(OperationReference reference) const;

  AllOperations const& all_;
  std::vector<int> remote_write_;  ///< of each operation: number among all puts; -1: no put
  std::size_t num_remote_writes_ = 0;
  std::size_t num_words_ = 0;
  std::vector<Bits> rows_;       ///< of each operation: what has ended when it ends
  std::vector<Bits> leaves_;     ///< of each rank: what has ended when it leaves
  std::vector<Prefix> written_;  ///< of each rank, as last asked
  std::vector<Prefix> sent_;
};

}  // namespace espalier::verify
