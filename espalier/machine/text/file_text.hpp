// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace espalier::machine {

/// Contents of a file of the kernel; nullopt if it cannot be read.
inline std::optional<std::string> file_text(std::filesystem::path const& path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return file.is_open() && !file.bad() ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace espalier::machine
