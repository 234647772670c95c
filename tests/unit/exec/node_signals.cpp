// SPDX-License-Identifier: Apache-2.0

#include <cerrno>
#include <csignal>
#include <fcntl.h>

#include <gtest/gtest.h>

#include "espalier/exec/node/shared_memory.hpp"

/// In place of the one of the C library: as with Linux before 2024 while a profiler sends signals.
extern "C" int posix_fallocate(int file, off_t begin, off_t num_bytes) {
  sigset_t blocked{};
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  if (sigismember(&blocked, SIGPROF) == 0) {
    return EINTR;
  }
  return fallocate(file, 0, begin, num_bytes) == 0 ? 0 : errno;
}

namespace espalier::exec::node {
namespace {

TEST(NodeSignals, DoNotTakeMemoryAway) {
  auto memory = SharedMemory::create(8192);
  ASSERT_TRUE(memory);
  EXPECT_TRUE(memory->back(0, 8192));
  sigset_t blocked{};
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGPROF), 0);
}

}  // namespace
}  // namespace espalier::exec::node
