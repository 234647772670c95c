// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>

namespace espalier {

/// While one lives, nobody else changes a file: neither another program of ours nor the command
/// line (`locked` in python/espalier/io/output_files.py), which locks the same file beside it.
class FileLock {
public:
  /// Waits for a second at most: whoever writes needs a few milliseconds.
  /// @param path  of the file, which need not exist; its folder must
  /// @throws Error io if it cannot be locked, or not within that time.
  explicit FileLock(std::filesystem::path const& path);
  FileLock(FileLock const&) = delete;
  FileLock& operator=(FileLock const&) = delete;
  FileLock(FileLock&&) = delete;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

private:
  std::filesystem::path lock_;
  int descriptor_;
};

}  // namespace espalier
