// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace espalier::measure {

/// The command line of a measuring program: a plan in, samples out.
struct PlanAndOutput {
  static constexpr std::string_view usage =
      "expected --plan FILE --output FILE (- for standard input and output)";

  std::string plan;
  std::string output;

  /// @param words as in main(). @return nothing if they are not what usage says.
  static std::optional<PlanAndOutput> parse(int num_words, char const* const* words);

  /// @throws Error io
  [[nodiscard]] std::string read_plan() const;
};

}  // namespace espalier::measure
