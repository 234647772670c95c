// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace espalier::exec {

/// Counts or displacements as a call gives them: a list of int, or of 64-bit integers in calls with
/// large counts, whatever mpi.h calls their type. Refers to memory of others.
///
/// The lists of MPI have no length: the size is 0 until first() says how many numbers are meant.
class Integers {
public:
  constexpr Integers() noexcept = default;

  // Implicit, since each of them is such a list.
  constexpr Integers(std::nullptr_t) noexcept {}

  constexpr Integers(int const* first) noexcept : first_(first) {}

  Integers(std::span<int const> numbers) noexcept : first_(numbers.data()), size_(numbers.size()) {}

  Integers(std::span<std::int64_t const> numbers) noexcept
      : first_(numbers.data()), size_(numbers.size()), is_wide_(true) {}

  template <typename Number>
    requires std::is_same_v<Number, int> || std::is_same_v<Number, std::int64_t>
  Integers(std::vector<Number> const& numbers) noexcept
      : Integers(std::span<Number const>(numbers)) {}

  /// A list of int, or of 64-bit integers.
  static constexpr Integers of(void const* first, bool is_wide) noexcept {
    Integers result;
    result.first_ = first;
    result.is_wide_ = is_wide;
    return result;
  }

  static constexpr Integers wide(void const* first) noexcept { return of(first, true); }

  /// So many of its numbers; none if there is no list.
  [[nodiscard]] constexpr Integers first(int size) const noexcept {
    Integers result = *this;
    result.size_ = first_ == nullptr ? 0 : static_cast<std::size_t>(size);
    return result;
  }

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }

  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }

  [[nodiscard]] constexpr bool is_wide() const noexcept { return is_wide_; }

  /// Null if there is no list.
  [[nodiscard]] constexpr void const* data() const noexcept { return first_; }

  [[nodiscard]] std::span<std::byte const> bytes() const noexcept {
    return {static_cast<std::byte const*>(first_), size_ * width()};
  }

  /// @param index  also at or beyond size(), if the list is so long
  template <typename Index> [[nodiscard]] std::int64_t operator[](Index index) const noexcept {
    auto const* const place =
        static_cast<std::byte const*>(first_) + static_cast<std::size_t>(index) * width();
    // Read as memory: the types of large counts have several names.
    if (is_wide_) {
      std::int64_t number = 0;
      std::memcpy(&number, place, sizeof number);
      return number;
    }
    int number = 0;
    std::memcpy(&number, place, sizeof number);
    return number;
  }

  /// The same memory, not the same numbers.
  friend constexpr bool operator==(Integers const&, Integers const&) noexcept = default;

  friend constexpr bool operator==(Integers const& list, std::nullptr_t) noexcept {
    return list.first_ == nullptr;
  }

private:
  [[nodiscard]] constexpr std::size_t width() const noexcept {
    return is_wide_ ? sizeof(std::int64_t) : sizeof(int);
  }

  void const* first_ = nullptr;
  std::size_t size_ = 0;
  bool is_wide_ = false;
};

}  // namespace espalier::exec
