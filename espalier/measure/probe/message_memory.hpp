// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/measure/probe/probe_plan.hpp"

namespace espalier::measure::probe {

/// What a rank sends and where it receives: allocated once, at the largest size it takes part in,
/// and touched. Byte i of what rank r sends depends on seed, r and i, so that a receiver can tell
/// whether a message came unchanged.
class MessageMemory {
public:
  /// @throws Error no_memory
  MessageMemory(ProbePlan const& plan, int rank);

  [[nodiscard]] std::byte const* outgoing() const noexcept { return outgoing_.data(); }

  /// Place of one of several messages that may be under way at once.
  [[nodiscard]] std::byte* incoming(std::size_t slot, std::size_t bytes) noexcept {
    return incoming_.data() + slot * bytes;
  }

  /// Overwrites what was received before, so that expect_message() cannot see an old message.
  void forget(std::size_t slot, std::size_t bytes) noexcept;

  /// @throws Error mpi unless the slot holds what `sender` sends.
  void expect_message(std::size_t slot, std::size_t bytes, int sender) const;

private:
  std::uint64_t seed_;
  int rank_;
  std::vector<std::byte> outgoing_;
  std::vector<std::byte> incoming_;
};

/// How many receives of a test are posted ahead: two at least, more while they are small.
[[nodiscard]] std::size_t num_slots(TestRequest const& test, std::int64_t bytes) noexcept;

}  // namespace espalier::measure::probe
