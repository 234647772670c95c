// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/request_table.hpp"

#include <bit>

namespace espalier::plan {
namespace {

constexpr std::size_t least_capacity = 64;

/// What cells have in place of a handle. Looking goes on behind one that was erased.
constexpr std::uint64_t empty = 0;
constexpr std::uint64_t erased = ~std::uint64_t{0};

}  // namespace

RequestTable::Cell& RequestTable::look(Cells& cells, std::uint64_t handle) noexcept {
  std::size_t const mask = cells.size() - 1;
  std::size_t i = (handle * 0x9e3779b97f4a7c15U) >> static_cast<unsigned>(std::countl_zero(mask));
  for (;; ++i) {
    Cell& cell = cells[i & mask];
    std::uint64_t const found = cell.handle.load(std::memory_order_acquire);
    if (found == handle || found == empty) {
      return cell;
    }
  }
}

PlannedRequest* RequestTable::find(std::uint64_t handle) const noexcept {
  Cells* const cells = cells_.load(std::memory_order_acquire);
  if (cells == nullptr) {
    return nullptr;
  }
  Cell const& cell = look(*cells, handle);
  // An empty cell may just become that of another handle.
  return cell.handle.load(std::memory_order_acquire) == handle
             ? cell.request.load(std::memory_order_relaxed)
             : nullptr;
}

void RequestTable::put(Cell& cell, Entry const& entry) noexcept {
  cell.request.store(entry.second, std::memory_order_relaxed);
  cell.handle.store(entry.first, std::memory_order_release);
}

std::vector<RequestTable::Entry> RequestTable::entries() const {
  std::vector<Entry> result;
  if (Cells const* const cells = cells_.load(std::memory_order_relaxed)) {
    for (Cell const& cell : *cells) {
      std::uint64_t const handle = cell.handle.load(std::memory_order_relaxed);
      if (handle != empty && handle != erased) {
        result.emplace_back(handle, cell.request.load(std::memory_order_relaxed));
      }
    }
  }
  return result;
}

void RequestTable::renew() {
  std::size_t capacity = least_capacity;
  while (capacity < 4 * (size() + 1)) {
    capacity *= 2;
  }
  auto next = std::make_unique<Cells>(capacity);
  for (Entry const& entry : entries()) {
    put(look(*next, entry.first), entry);
  }
  all_cells_.push_back(std::move(next));
  cells_.store(all_cells_.back().get(), std::memory_order_release);
  num_used_ = size();
}

void RequestTable::insert(std::uint64_t handle, PlannedRequest* request) {
  Cells const* const cells = cells_.load(std::memory_order_relaxed);
  if (cells == nullptr || 2 * (num_used_ + 1) > cells->size()) {
    renew();
  }
  put(look(*cells_.load(std::memory_order_relaxed), handle), {handle, request});
  ++num_used_;
  size_.store(size() + 1, std::memory_order_relaxed);
}

// Cells that were erased are empty again if the next one is: nobody looks beyond that.
void RequestTable::erase(std::uint64_t handle) noexcept {
  Cells& cells = *cells_.load(std::memory_order_relaxed);
  std::size_t const mask = cells.size() - 1;
  auto place = static_cast<std::size_t>(&look(cells, handle) - cells.data());
  cells[place].handle.store(erased, std::memory_order_relaxed);
  size_.store(size() - 1, std::memory_order_relaxed);
  if (cells[(place + 1) & mask].handle.load(std::memory_order_relaxed) != empty) {
    return;
  }
  for (; cells[place].handle.load(std::memory_order_relaxed) == erased;
       place = (place - 1) & mask) {
    cells[place].request.store(nullptr, std::memory_order_relaxed);
    cells[place].handle.store(empty, std::memory_order_relaxed);
    --num_used_;
  }
}

}  // namespace espalier::plan
