// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::machine {

/// A line of one of SLURM's files, with all that was continued by a backslash.
struct ConfLine {
  int number = 0;                             ///< of its last part, from 1
  std::map<std::string, std::string> values;  ///< by key in small letters
};

/// @throws Error format `origin:line: text`
[[noreturn]] void fail_at(std::string_view origin, int line, std::string const& text);

/// The lines that hold anything; comments begin with #.
/// @throws Error format for a word that is not key=value, or a key twice in a line.
[[nodiscard]] std::vector<ConfLine> conf_lines(std::string_view text, std::string_view origin);

/// In small letters.
[[nodiscard]] std::string lower(std::string text);

}  // namespace espalier::machine
