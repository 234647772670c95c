// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "espalier/plan/learning/contest.hpp"
#include "espalier/plan/learning/exchange.hpp"
#include "espalier/plan/settings/statistics.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// The contests of one communicator: one for each function and class of sizes. Used by one thread
/// at a time.
class Learner {
public:
  /// @param kind  what all of them have in common
  Learner(Contest::Kind const& kind, Exchange::Ranks const& ranks)
      : kind_(kind), exchange_(ranks) {}

  Learner(Learner const&) = delete;
  Learner& operator=(Learner const&) = delete;
  Learner(Learner&&) = delete;
  Learner& operator=(Learner&&) = delete;
  ~Learner() = default;

  /// Before the first contest of a neighborhood collective.
  /// @param shape  with the neighborhood
  /// @param neighbors  must outlive this object
  void use(profile::Shape shape, Neighbors& neighbors) noexcept {
    neighbor_shape_ = shape;
    neighbors_ = &neighbors;
  }

  /// Before the first trial, if there is a context by then.
  void use(exec::MpiContext const& context) noexcept { exchange_.use(context); }

  /// The contest of a call, made with its first call. Collective over the communicator, as the
  /// call.
  /// @param decision  what rules or their absence say. Must outlive this object.
  [[nodiscard]] Contest& contest(
      profile::Call call, std::int64_t bytes, profile::Decision const& decision, Learning& learning
  ) {
    std::unique_ptr<OfSizes> const& row = contests_[profile::index_of(call)];
    if (row != nullptr) [[likely]] {
      if (Contest* const contest = (*row)[size_class(bytes)].get()) [[likely]] {
        return *contest;
      }
    }
    return make(call, bytes, decision, learning);
  }

  /// Notes what came to the trials of all contests, before this object goes. Local.
  void leave(Learning& learning);

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  using OfSizes = std::array<std::unique_ptr<Contest>, num_size_classes>;

  Contest& make(
      profile::Call call, std::int64_t bytes, profile::Decision const& decision, Learning& learning
  );

  Contest::Kind kind_;
  Exchange exchange_;  ///< of all contests
  profile::Shape neighbor_shape_;
  Neighbors* neighbors_ = nullptr;
  std::array<std::unique_ptr<OfSizes>, profile::num_rule_calls> contests_;
};

}  // namespace espalier::plan
