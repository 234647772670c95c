// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

namespace espalier::capi {

/// Something that starts several collectives of a team one after another, where each begins when
/// the one before is over.
class OrderedSteps {
public:
  OrderedSteps() = default;
  OrderedSteps(OrderedSteps const&) = delete;
  OrderedSteps& operator=(OrderedSteps const&) = delete;
  OrderedSteps(OrderedSteps&&) = delete;
  OrderedSteps& operator=(OrderedSteps&&) = delete;
  virtual ~OrderedSteps() = default;

  /// Does what can be done without waiting.
  /// @return whether all of its collectives were started
  virtual bool move_on() = 0;
  [[nodiscard]] virtual bool is_over() const noexcept = 0;
};

/// Lets all members of a team start the same collectives in the same order, though a step begins at
/// another time on each of them: the next one in the queue begins when all collectives of this one
/// were started.
class StepQueue {
public:
  /// Refers to it until it is over.
  void add(OrderedSteps& steps) {
    underway_.push_back(&steps);
    move_on();
  }

  void move_on() {
    for (OrderedSteps* const steps : underway_) {
      if (!steps->move_on()) {
        break;
      }
    }
    std::erase_if(underway_, [](OrderedSteps const* steps) { return steps->is_over(); });
  }

  [[nodiscard]] bool is_empty() const noexcept { return underway_.empty(); }

private:
  std::vector<OrderedSteps*> underway_;
};

}  // namespace espalier::capi
