// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/file_lock.hpp"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "espalier/base/error.hpp"

namespace espalier {
namespace {

constexpr int num_tries = 100;
constexpr std::chrono::milliseconds between_tries{10};

/// False if its holder removed it while we waited: others lock a new one.
bool is_same_file(int descriptor, std::filesystem::path const& path) {
  struct stat opened {};

  struct stat named {};

  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// @return a descriptor of the locked file; -1 with errno if it cannot be locked now.
int open_locked(std::filesystem::path const& lock) {
  int const descriptor = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    return -1;
  }
  bool const is_locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  if (is_locked && is_same_file(descriptor, lock)) {
    return descriptor;
  }
  int const problem = is_locked ? EWOULDBLOCK : errno;
  close(descriptor);
  errno = problem;
  return -1;
}

int wait_for(std::filesystem::path const& lock) {
  int descriptor = open_locked(lock);
  for (int i = 1; i < num_tries && descriptor < 0 && errno == EWOULDBLOCK; ++i) {
    std::this_thread::sleep_for(between_tries);
    descriptor = open_locked(lock);
  }
  return descriptor;
}

}  // namespace

FileLock::FileLock(std::filesystem::path const& path)
    : lock_(path.parent_path() / ("." + path.filename().string() + ".lock")),
      descriptor_(wait_for(lock_)) {
  if (descriptor_ < 0) {
    throw Error(
        ErrorCode::io,
        path.string() + ": expected a file that can be written, and locked by " + lock_.string() +
            ", got '" + std::generic_category().message(errno) + "'"
    );
  }
}

FileLock::~FileLock() {
  unlink(lock_.c_str());
  close(descriptor_);
}

}  // namespace espalier
