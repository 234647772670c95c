// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/profile/call.hpp"
#include "espalier/profile/shape.hpp"

namespace espalier::plan {

/// Bytes of results, as rules have them.
struct SizeInterval {
  std::int64_t min_bytes = 0;
  std::optional<std::int64_t> max_bytes;  ///< inclusive; none: no limit
};

/// The sizes that a lesson of a call speaks of: the class of its size, or all where rules cannot
/// depend on it.
[[nodiscard]] SizeInterval lesson_sizes(profile::Call call, std::int64_t bytes) noexcept;

/// What was learned of one kind of call on communicators of one shape.
struct Lesson {
  profile::Call call = profile::Call::allgather;
  profile::Shape shape;
  std::int64_t min_bytes = 0;
  std::optional<std::int64_t> max_bytes;  ///< inclusive; none: no limit
  std::string algorithm;                  ///< `allgather/ring`, `native`
  double native_seconds = 0;
  double seconds = 0;  ///< of the algorithm
  int num_pairs = 0;   ///< of times that were compared

  friend bool operator==(Lesson const&, Lesson const&) = default;
};

/// Lessons as bytes of a message; from_bytes() is the inverse.
[[nodiscard]] std::string to_bytes(std::span<Lesson const> lessons);
/// @throws Error format
[[nodiscard]] std::vector<Lesson> lessons_from_bytes(std::string_view bytes);

/// A profile with what it said, and with the lessons in place of rules for the same calls.
/// @param document text of a profile; empty: there is none yet
/// @param origin of it, for messages
/// @throws Error format if the document is no profile, or one of another MPI.
[[nodiscard]] std::string with_lessons(
    std::string_view document,
    std::string_view origin,
    std::span<Lesson const> lessons,
    std::string_view vendor,
    std::string_view library_version
);

}  // namespace espalier::plan
