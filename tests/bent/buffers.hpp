// SPDX-License-Identifier: Apache-2.0

/// @file
/// Memory that shows whatever was written to it, also where nothing should be.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bent/random.hpp"

namespace bent {

/// FNV-1a over bytes.
class Digest {
public:
  void add(void const* bytes, std::size_t length);

  void add(std::uint64_t number) { add(&number, sizeof number); }

  [[nodiscard]] std::string text() const;

private:
  std::uint64_t state_ = 0xCBF29CE484222325U;
};

/// Room for so many elements of at most 16 bytes, between guards that are part of the digest.
class Buffer {
public:
  static constexpr std::size_t guard_bytes = 512;
  static constexpr std::size_t max_element_bytes = 16;

  Buffer() : Buffer(0) {}

  explicit Buffer(std::size_t num_elements)
      : bytes_((2 * guard_bytes) + (num_elements * max_element_bytes), 0xA5) {}

  [[nodiscard]] unsigned char* origin() { return bytes_.data() + guard_bytes; }

  /// Bytes after the origin, the guard behind not counted.
  [[nodiscard]] long room() const { return static_cast<long>(bytes_.size() - (2 * guard_bytes)); }

  [[nodiscard]] std::vector<unsigned char>& bytes() { return bytes_; }

  [[nodiscard]] std::vector<unsigned char> const& bytes() const { return bytes_; }

  [[nodiscard]] bool contains(void const* address) const {
    auto const* const byte = static_cast<unsigned char const*>(address);
    return byte >= bytes_.data() && byte < bytes_.data() + bytes_.size();
  }

  void fill(Random random);

  /// Small numbers of one type everywhere: their sums are exact.
  template <typename Number> void fill_numbers(Random random) {
    auto* const numbers = reinterpret_cast<Number*>(origin());
    for (long i = 0; i < room() / static_cast<long>(sizeof(Number)); ++i) {
      numbers[i] = static_cast<Number>(random.below(1000));
    }
  }

private:
  std::vector<unsigned char> bytes_;
};

}  // namespace bent
