// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/profile/profile.hpp"

namespace espalier::profile {

/// What to do with a call, and why.
struct Decision {
  std::optional<algorithms::Choice> choice;  ///< none: the native call, unless there are neighbors
  /// Of a neighborhood collective, which has no choice; null: the native call.
  neighborhood::Algorithm const* neighbors = nullptr;
  std::string reason;
  int rule = -1;                    ///< position in Profile::rules(), -1 if no rule applies
  bool is_borrowed = false;         ///< the rule was made for another shape
  bool is_open = false;             ///< nobody decided: the native call for want of a rule
  Source source = Source::profile;  ///< of the rule

  [[nodiscard]] bool is_native() const noexcept { return !choice && neighbors == nullptr; }

  /// `native`, or the algorithm as files name it.
  [[nodiscard]] std::string algorithm_text() const;

  friend bool operator==(Decision const&, Decision const&) = default;
};

/// A decision for such calls that algorithm_text() names.
/// @throws Error argument if there is no such algorithm, or it does not serve the call.
[[nodiscard]] Decision decision_named(Call call, std::string_view algorithm, std::string reason);

/// The rules of one call in one form for one shape, resolved: every size has exactly one decision.
class DecisionTable {
public:
  /// The same decision for every size.
  explicit DecisionTable(Decision decision);
  /// Rules made for exactly this shape if there are any; sizes they leave out are native.
  /// Otherwise, for each size, the rule of the nearest shape that covers the size and whose
  /// algorithm accepts this number of ranks, see Distance; native if none is near enough.
  ///
  /// A nonblocking call takes rules for nonblocking calls in this way; where none of them covers a
  /// size it takes those for blocking calls.
  DecisionTable(std::span<Rule const> rules, CallForm call, Shape shape);

  DecisionTable(std::span<Rule const> rules, Call call, Shape shape)
      : DecisionTable(rules, CallForm{.call = call}, shape) {}

  /// These decisions, and those that another table has for exactly this shape where these are open
  /// or borrowed.
  [[nodiscard]] DecisionTable completed_by(DecisionTable const& other) const;

  /// Position of the decision for a result of so many bytes, bytes >= 0.
  [[nodiscard]] std::size_t find(std::int64_t bytes) const noexcept;

  [[nodiscard]] Decision const& at(std::int64_t bytes) const noexcept {
    return decisions_[find(bytes)];
  }

  [[nodiscard]] std::span<Decision const> decisions() const noexcept { return decisions_; }

  /// True if some size is not left to the native call.
  [[nodiscard]] bool chooses() const noexcept { return chooses_; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  DecisionTable() = default;

  void append(std::int64_t last_bytes, Decision decision);

  std::vector<std::int64_t> last_bytes_;  ///< ascending; the last one is no limit
  std::vector<Decision> decisions_;
  bool chooses_ = false;
};

/// Those that were made for exactly this shape.
[[nodiscard]] std::vector<Rule> rules_of_shape(std::span<Rule const> rules, Shape shape);

/// The shape of the nearest rules, of those for one call or of all that are for no neighborhood;
/// none if there are no rules.
[[nodiscard]] std::optional<Shape> nearest_shape(
    std::span<Rule const> rules, Shape shape, std::optional<CallForm> call = std::nullopt
);

/// Decision of one profile for one call.
[[nodiscard]] Decision
lookup(Profile const& profile, Call call, int num_ranks, int num_nodes, std::int64_t bytes);

}  // namespace espalier::profile
