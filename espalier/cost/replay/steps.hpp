// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "espalier/cost/replay/sizes.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::cost {

/// An operation of one of the programs, with what a replay needs to know. Steps are numbered over
/// all ranks: those of rank 0 in program order, those of rank 1, and so on.
struct Step {
  double bytes = 0;  ///< sent, received, copied or combined
  std::int32_t rank = 0;
  /// Send: the receive that takes it; receive: the send. -1 for a message without blocks that is no
  /// signal: it is never sent.
  std::int32_t partner = -1;
  std::int32_t after = 0;        ///< waits for all writes of the rank before this step
  std::int32_t after_sends = 0;  ///< waits for all sends of the rank before this step
  schedule::Kind kind = schedule::Kind::copy;
  std::uint8_t level = 0;         ///< of the machine: what a message crosses
  bool is_complete = false;       ///< kept here by Dependences, beside what is looked at with it
  std::int32_t num_blockers = 0;  ///< the same: conditions that are not fulfilled yet

  [[nodiscard]] bool writes() const noexcept { return kind != schedule::Kind::send; }
};

/// The programs of all ranks as one array, without blocks.
class Steps {
public:
  explicit Steps(Sizes sizes) : sizes_(std::move(sizes)) {}

  /// Adds the program of the next rank, beginning with rank 0.
  /// @throws Error argument if it is that of another rank or has other blocks than there are sizes
  ///   of; unsupported if there are too many steps.
  void add(schedule::RankProgram const& program);
  /// Finds partners, when all programs have been added: the messages of a pair of ranks match by
  /// tag, then in order.
  /// @throws Error argument if a send or a receive is left over, or the ends differ in size.
  void match();

  /// The same of blocks that are so many times as large.
  [[nodiscard]] Steps resized(double factor) const;
  /// Memory these steps hold.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

  [[nodiscard]] int num_ranks() const noexcept { return static_cast<int>(begins_.size()) - 1; }

  [[nodiscard]] std::int32_t size() const noexcept { return begins_.back(); }

  [[nodiscard]] std::int32_t begin(int rank) const {
    return begins_[static_cast<std::size_t>(rank)];
  }

  [[nodiscard]] std::int32_t end(int rank) const {
    return begins_[static_cast<std::size_t>(rank) + 1];
  }

  [[nodiscard]] Step const& operator[](std::int32_t step) const {
    return steps_[static_cast<std::size_t>(step)];
  }

  [[nodiscard]] Step& operator[](std::int32_t step) {
    return steps_[static_cast<std::size_t>(step)];
  }

  [[nodiscard]] std::span<Step> all() noexcept { return steps_; }

  [[nodiscard]] std::span<Step const> all() const noexcept { return steps_; }

  /// A step that explicitly waits for another one of its rank.
  struct Wait {
    std::int32_t awaited = 0;
    std::int32_t waiting = 0;
  };

  /// By the rank and then by the step that waits.
  [[nodiscard]] std::span<Wait const> waits() const noexcept { return waits_; }

private:
  /// One end of a message, seen from the rank that receives it.
  struct End {
    std::int32_t receiver = 0;
    std::int32_t sender = 0;
    std::int32_t tag = 0;
    std::int32_t step = 0;
  };

  void add_end(schedule::Operation const& operation, int rank);
  [[nodiscard]] std::vector<End> sends_by_receiver() const;
  void match(std::span<End> sends, std::span<End> receives);

  Sizes sizes_;
  std::vector<Step> steps_;
  std::vector<std::int32_t> begins_{0};
  std::vector<Wait> waits_;
  std::vector<End> sends_;
  std::vector<End> receives_;
};

}  // namespace espalier::cost
