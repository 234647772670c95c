// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace espalier::shim::traffic {

/// How a message was asked for.
enum class Kind : std::uint8_t { point_to_point, one_sided, alltoall, neighborhood };

inline constexpr std::array<std::string_view, 4> kind_names = {
    "point_to_point",
    "one_sided",
    "alltoall",
    "neighborhood",
};

/// Messages and their bytes, counted by any number of threads.
class Amount {
public:
  void add(std::int64_t bytes) noexcept {
    messages_.fetch_add(1, std::memory_order_relaxed);
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }

  [[nodiscard]] std::int64_t messages() const noexcept {
    return messages_.load(std::memory_order_relaxed);
  }

  [[nodiscard]] std::int64_t bytes() const noexcept {
    return bytes_.load(std::memory_order_relaxed);
  }

private:
  std::atomic<std::int64_t> messages_{0};
  std::atomic<std::int64_t> bytes_{0};
};

/// What a rank sent, and what it fetched from others, by rank of MPI_COMM_WORLD.
class Amounts {
public:
  explicit Amounts(std::size_t num_ranks) : sent_(num_ranks), fetched_(num_ranks) {}

  /// @param rank of MPI_COMM_WORLD; negative for processes outside.
  void add_sent(Kind kind, int rank, std::int64_t bytes) noexcept { add(sent_, kind, rank, bytes); }

  void add_fetched(int rank, std::int64_t bytes) noexcept {
    add(fetched_, Kind::one_sided, rank, bytes);
  }

  [[nodiscard]] std::vector<Amount> const& sent() const noexcept { return sent_; }

  [[nodiscard]] std::vector<Amount> const& fetched() const noexcept { return fetched_; }

  [[nodiscard]] Amount const& outside() const noexcept { return outside_; }

  [[nodiscard]] Amount const& of(Kind kind) const noexcept {
    return kinds_.at(static_cast<std::size_t>(kind));
  }

private:
  void add(std::vector<Amount>& ranks, Kind kind, int rank, std::int64_t bytes) noexcept {
    kinds_[static_cast<std::size_t>(kind)].add(bytes);
    auto const position = static_cast<std::size_t>(rank);
    (rank >= 0 && position < ranks.size() ? ranks[position] : outside_).add(bytes);
  }

  std::vector<Amount> sent_;
  std::vector<Amount> fetched_;
  Amount outside_;
  std::array<Amount, kind_names.size()> kinds_;
};

}  // namespace espalier::shim::traffic
