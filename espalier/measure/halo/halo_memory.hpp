// SPDX-License-Identifier: Apache-2.0

/// @file
/// `halo_memory_real.cpp` or `halo_memory_simulated.cpp` is linked.

#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace espalier::measure {

/// What a rank sends and receives. A simulated rank has memory of its own up to 64 KiB; above, all
/// messages of all ranks are the same few pages, so that thousands of ranks fit, and no values are
/// moved.
class HaloMemory {
public:
  /// @param num_floats of all messages one way.
  /// @param most_floats of one message.
  /// @throws std::bad_alloc
  HaloMemory(std::size_t num_floats, std::size_t most_floats);

  /// Whether what is received can be compared.
  [[nodiscard]] bool holds_values() const noexcept { return holds_values_; }

  /// Only if it holds values.
  [[nodiscard]] std::span<float> sent() noexcept { return {floats_.get(), num_floats_}; }

  [[nodiscard]] std::span<float> received() noexcept {
    return {floats_.get() + num_floats_, num_floats_};
  }

  /// The memory of a message.
  /// @param offset in floats, see HaloGeometry::offset().
  [[nodiscard]] float* sent_at(std::size_t offset) noexcept {
    return floats_.get() + (holds_values_ ? offset : 0);
  }

  [[nodiscard]] float* received_at(std::size_t offset) noexcept {
    return floats_.get() + (holds_values_ ? num_floats_ + offset : 0);
  }

private:
  std::size_t num_floats_;
  bool holds_values_;
  std::unique_ptr<float, void (*)(float*)> floats_;
};

}  // namespace espalier::measure
