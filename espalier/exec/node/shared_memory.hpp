// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace espalier::exec::node {

/// Memory of several processes. It has no name in any file system: the kernel removes it when the
/// last process that has it mapped ends, in whatever way. All bytes are 0 at the begin.
class SharedMemory {
public:
  /// Where another process finds the memory.
  struct Address {
    std::int64_t process = -1;  ///< -1: there is none
    std::int64_t file = -1;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
  };

  SharedMemory() = default;
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  SharedMemory(SharedMemory const&) = delete;
  SharedMemory& operator=(SharedMemory const&) = delete;
  ~SharedMemory();

  /// In one process. None if there is no such memory, or no byte is asked for.
  static std::optional<SharedMemory> create(std::size_t num_bytes) noexcept;
  /// In another process. None if the address means nothing here (another process namespace), or
  /// something else.
  static std::optional<SharedMemory> open(std::size_t num_bytes, Address const& address) noexcept;

  [[nodiscard]] Address address() const noexcept;

  /// Makes bytes exist, near this processor: later nothing can be missing.
  [[nodiscard]] bool back(std::size_t begin, std::size_t num_bytes) noexcept;

  /// The file is not needed any longer: every process has it open, or nobody will use it.
  void close_file() noexcept;

  [[nodiscard]] std::byte* data() const noexcept { return memory_; }

private:
  static std::optional<SharedMemory> map(std::size_t num_bytes, int file) noexcept;

  int file_ = -1;
  std::size_t num_bytes_ = 0;
  std::byte* memory_ = nullptr;
};

}  // namespace espalier::exec::node
