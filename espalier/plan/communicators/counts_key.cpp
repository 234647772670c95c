// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/counts_key.hpp"

#include <cstring>

namespace espalier::plan {

std::uint64_t hash_of(CountsKey const& key) noexcept {
  constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15U;
  std::uint64_t hash = 0;
  for (auto const& list : key) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      hash = (hash ^ static_cast<std::uint64_t>(list[i])) * multiplier;
      hash ^= hash >> 29U;
    }
    hash += list.size() + (list.is_wide() ? 1U : 0U);
  }
  return hash;
}

StoredCounts::StoredCounts(CountsKey const& key) {
  std::size_t num_bytes = 0;
  for (auto const& list : key) {
    num_bytes += list.bytes().size();
  }
  numbers_.reserve(num_bytes);
  for (std::size_t i = 0; i < key.size(); ++i) {
    auto const bytes = key[i].bytes();
    numbers_.insert(numbers_.end(), bytes.begin(), bytes.end());
    lists_[i] = {.size = static_cast<int>(key[i].size()), .is_wide = key[i].is_wide()};
  }
}

CountsKey StoredCounts::key() const noexcept {
  CountsKey result{};
  std::byte const* next = numbers_.data();
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = exec::Integers::of(next, lists_[i].is_wide).first(lists_[i].size);
    next += result[i].bytes().size();
  }
  return result;
}

bool StoredCounts::equals(CountsKey const& key) const noexcept {
  std::byte const* next = numbers_.data();
  for (std::size_t i = 0; i < key.size(); ++i) {
    bool const is_alike =
        lists_[i].size == static_cast<int>(key[i].size()) && lists_[i].is_wide == key[i].is_wide();
    if (!is_alike) {
      return false;
    }
    // Most calls have no lists.
    if (lists_[i].size > 0) {
      auto const theirs = key[i].bytes();
      if (std::memcmp(next, theirs.data(), theirs.size()) != 0) {
        return false;
      }
      next += theirs.size();
    }
  }
  return true;
}

}  // namespace espalier::plan
