// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "espalier/base/field.hpp"
#include "espalier/plan/learning/kind_of_calls.hpp"

namespace espalier::plan {

/// What was learned of one kind of calls.
struct Lesson {
  KindOfCalls kind;
  std::string algorithm;  ///< `allgather/ring`, `native`
  double native_seconds = 0;
  double seconds = 0;  ///< of the algorithm
  int num_pairs = 0;   ///< of times that were compared

  friend bool operator==(Lesson const&, Lesson const&) = default;
};

/// The rule of a profile that a lesson is.
[[nodiscard]] nlohmann::json rule_of(Lesson const& lesson);

/// All of a lesson; from_json() is the inverse.
[[nodiscard]] nlohmann::json to_json(Lesson const& lesson);
/// @throws Error format
[[nodiscard]] Lesson lesson_from_json(Field const& object);

}  // namespace espalier::plan
