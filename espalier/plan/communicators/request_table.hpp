// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace espalier::plan {

class PlannedRequest;

/// From the handle of a request, as a number, to what is behind it. One thread at a time may change
/// it; meanwhile any thread may look, without a lock, for what nobody takes away at that time.
class RequestTable {
public:
  using Entry = std::pair<std::uint64_t, PlannedRequest*>;

  RequestTable() = default;
  RequestTable(RequestTable const&) = delete;
  RequestTable& operator=(RequestTable const&) = delete;
  RequestTable(RequestTable&&) = delete;
  RequestTable& operator=(RequestTable&&) = delete;
  ~RequestTable() = default;

  /// Null if there is none.
  [[nodiscard]] PlannedRequest* find(std::uint64_t handle) const noexcept;

  /// A handle that is not there, neither 0 nor the largest number. Allocates if the table grows.
  void insert(std::uint64_t handle, PlannedRequest* request);
  /// A handle that is there.
  void erase(std::uint64_t handle) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

  /// In no order. Not while anybody changes it.
  [[nodiscard]] std::vector<Entry> entries() const;

private:
  struct Cell {
    std::atomic<std::uint64_t> handle{0};
    std::atomic<PlannedRequest*> request{nullptr};
  };

  /// A power of two of them, some of which are empty.
  using Cells = std::vector<Cell>;

  /// The cell with the handle, or the first empty one behind its place.
  [[nodiscard]] static Cell& look(Cells& cells, std::uint64_t handle) noexcept;
  static void put(Cell& cell, Entry const& entry) noexcept;
  /// Takes other cells, without those that were erased.
  void renew();

  std::atomic<Cells*> cells_{nullptr};
  /// The last ones, and before them smaller ones, in which somebody may be looking.
  std::vector<std::unique_ptr<Cells>> all_cells_;
  std::atomic<std::size_t> size_{0};
  std::size_t num_used_ = 0;  ///< cells that are not empty
};

}  // namespace espalier::plan
