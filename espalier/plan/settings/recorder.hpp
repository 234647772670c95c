// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "espalier/plan/settings/completions.hpp"
#include "espalier/plan/settings/manner.hpp"
#include "espalier/profile/call.hpp"
#include "espalier/profile/decision.hpp"

namespace espalier::plan {

/// Sizes are counted in classes: 0 bytes, and 2^(k-1) .. 2^k - 1 bytes for k = 1, 2, ...
inline constexpr std::size_t num_size_classes = 65;

[[nodiscard]] std::size_t size_class(std::int64_t bytes) noexcept;
[[nodiscard]] std::int64_t min_bytes_of(std::size_t size_class) noexcept;
[[nodiscard]] std::int64_t max_bytes_of(std::size_t size_class) noexcept;

struct Counter {
  std::uint64_t count = 0;
  std::int64_t bytes = 0;
  double seconds = 0.0;

  void add(Counter const& other) noexcept;
};

/// Sizes of parts in one call, as far as this rank makes them.
struct PartSizes {
  /// The number of the call among those that are counted together, from 1 on; equal on all ranks.
  std::uint64_t call = 0;
  /// In bytes: the part of this rank, or for alltoallv and alltoallw what it sends to each rank.
  std::vector<std::int64_t> bytes;
  std::int64_t received_bytes = 0;  ///< from all ranks; of alltoallv and alltoallw
};

/// Parts are kept on communicators of at most so many ranks: 4 KiB for each row.
inline constexpr int most_ranks_with_parts = 512;

/// Calls on one communicator. Used by one thread at a time; allocates only when a call, a size
/// class, a decision and a manner come together for the first time.
class Recorder {
public:
  /// Of a call, a size class and a decision; further ones are counted together.
  static constexpr std::size_t most_manners = 32;

  struct Row {
    profile::Call call;
    std::size_t size_class;
    profile::Decision const* decision;  ///< not owned
    Manner manner;
    Counter counter{};
    std::unique_ptr<PartSizes> parts{};          ///< null: none are known
    std::shared_ptr<Completions> completions{};  ///< null: none are counted
    std::uint32_t next = 0;                      ///< of the rows of this call and class, in a ring
  };

  Recorder();
  /// @param bytes of the result, as rules have it
  /// @param own_bytes of this rank, counted where not every rank knows those of the result
  /// @return the row that counts the call, until the next one is recorded
  Row& record(
      profile::Call call,
      std::int64_t bytes,
      profile::Decision const& decision,
      double seconds,
      Manner manner = {},
      std::int64_t own_bytes = 0
  );

  [[nodiscard]] std::vector<Row> const& rows() const noexcept { return rows_; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  [[nodiscard]] Row& row_of(
      profile::Call call, std::size_t position, profile::Decision const& decision, Manner manner
  );

  /// Row used last for each call and class, -1 if none yet.
  std::array<std::array<std::int32_t, num_size_classes>, profile::num_calls> latest_;
  std::vector<Row> rows_;
};

}  // namespace espalier::plan
