// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/node/shared_memory.hpp"

#include <array>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "espalier/base/without_signals.hpp"

namespace espalier::exec::node {
namespace {

/// A process that makes a file longer than it may is killed.
bool exceeds_limit(std::size_t num_bytes) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         limit.rlim_cur < num_bytes;
}

}  // namespace

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : file_(std::exchange(other.file_, -1)), num_bytes_(other.num_bytes_),
      memory_(std::exchange(other.memory_, nullptr)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(num_bytes_, other.num_bytes_);
  std::swap(memory_, other.memory_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (memory_ != nullptr) {
    munmap(memory_, num_bytes_);
  }
  close_file();
}

void SharedMemory::close_file() noexcept {
  if (file_ >= 0) {
    close(std::exchange(file_, -1));
  }
}

std::optional<SharedMemory> SharedMemory::map(std::size_t num_bytes, int file) noexcept {
  SharedMemory made;
  made.file_ = file;
  made.num_bytes_ = num_bytes;
  void* const memory = mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    return std::nullopt;
  }
  // All ranks map all of it: the core of each that crashes would be as large as the node's memory.
  madvise(memory, num_bytes, MADV_DONTDUMP);
  made.memory_ = static_cast<std::byte*>(memory);
  return made;
}

std::optional<SharedMemory> SharedMemory::create(std::size_t num_bytes) noexcept {
  if (num_bytes == 0 || exceeds_limit(num_bytes)) {
    return std::nullopt;
  }
  int const file = memfd_create("espalier-node", MFD_CLOEXEC);
  if (file < 0) {
    return std::nullopt;
  }
  if (ftruncate(file, static_cast<off_t>(num_bytes)) != 0) {
    close(file);
    return std::nullopt;
  }
  return map(num_bytes, file);
}

SharedMemory::Address SharedMemory::address() const noexcept {
  struct stat status {};

  if (file_ < 0 || fstat(file_, &status) != 0) {
    return {};
  }
  return {
      .process = getpid(),
      .file = file_,
      .device = status.st_dev,
      .inode = status.st_ino,
  };
}

std::optional<SharedMemory>
SharedMemory::open(std::size_t num_bytes, Address const& address) noexcept {
  if (address.process < 0) {
    return std::nullopt;
  }
  std::array<char, 64> path{};
  std::snprintf(
      path.data(),
      path.size(),
      "/proc/%lld/fd/%lld",
      static_cast<long long>(address.process),
      static_cast<long long>(address.file)
  );

  // Looked at before it is opened: in another namespace the number is somebody else.
  struct stat status {};

  bool const is_it = stat(path.data(), &status) == 0 && status.st_dev == address.device &&
                     status.st_ino == address.inode &&
                     status.st_size == static_cast<off_t>(num_bytes);
  int const file = is_it ? ::open(path.data(), O_RDWR | O_CLOEXEC) : -1;
  return file < 0 ? std::nullopt : map(num_bytes, file);
}

bool SharedMemory::back(std::size_t begin, std::size_t num_bytes) noexcept {
  if (num_bytes == 0) {
    return true;
  }
  // Before 2024, Linux gave up at any signal, as profilers send all the time.
  WithoutSignals const undisturbed;
  return !exceeds_limit(num_bytes_) &&
         posix_fallocate(file_, static_cast<off_t>(begin), static_cast<off_t>(num_bytes)) == 0;
}

}  // namespace espalier::exec::node
