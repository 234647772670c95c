// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace espalier::measure {

/// A file of JSON lines, each written and flushed as a whole, so that whatever ends the program
/// leaves the lines before. Used on one rank only.
class JsonLines {
public:
  /// @param path `-` is standard output.
  /// @throws Error io
  explicit JsonLines(std::string const& path);

  /// @param line one JSON value, without the end of the line.
  /// @throws Error io, naming the file
  void write(std::string const& line);

private:
  struct Close {
    void operator()(std::FILE* file) const noexcept;
  };

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace espalier::measure
