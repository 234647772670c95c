// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>
#include <vector>

namespace espalier::machine {

/// A word of a machine text and what stands in brackets behind it: `8n` and `latency=1us` of
/// `8n[latency=1us]`.
struct Word {
  std::string_view text;
  std::string_view brackets;
  bool has_brackets = false;
};

/// The words of a machine text, one list for each part between `+`. Words are separated by spaces
/// or by an x.
/// @throws Error argument for brackets that do not match, an x or + with nothing on one side.
[[nodiscard]] std::vector<std::vector<Word>> words_of(std::string_view text);

}  // namespace espalier::machine
