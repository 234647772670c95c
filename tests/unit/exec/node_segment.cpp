// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cinttypes>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/exec/node/segment.hpp"
#include "espalier/exec/node/single_copy.hpp"
#include "espalier/exec/node/waiting.hpp"

namespace espalier::exec::node {
namespace {

std::optional<Segment> make_segment(SegmentShape shape) {
  auto memory = SharedMemory::create(shape.num_bytes());
  return memory ? std::optional<Segment>(std::in_place, shape, std::move(*memory)) : std::nullopt;
}

TEST(NodeSegment, PlacesOfChannelsDoNotOverlap) {
  for (int const num_ranks : {2, 3, 5, 8, 64, 256}) {
    SegmentShape const shape = SegmentShape::of(num_ranks);
    ASSERT_GT(shape.num_contexts, 1);
    auto const segment = make_segment(shape);
    ASSERT_TRUE(segment);
    std::set<std::pair<std::byte*, std::byte*>> ranges;
    for (int const context : {0, shape.num_contexts - 1}) {
      for (int to = 0; to < num_ranks; to += num_ranks > 8 ? 51 : 1) {
        for (int from = 0; from < num_ranks; from += from == to - 1 ? 2 : 1) {
          if (from == to) {
            continue;
          }
          ChannelPlace const place = segment->place({context, from, to, from, to, num_ranks});
          ASSERT_GE(place.chunk_bytes, line_bytes);
          auto* const channel = reinterpret_cast<std::byte*>(place.channel);
          ranges.emplace(channel, channel + sizeof(Channel));
          ranges.emplace(place.chunks, place.chunks + num_chunks * place.chunk_bytes);
        }
      }
    }
    std::byte* end = nullptr;
    for (auto const& [first, last] : ranges) {
      EXPECT_GE(first, end);
      end = last;
    }
  }
}

TEST(NodeSegment, SoManyRanksThatFragmentsAreTinyHaveNone) {
  EXPECT_EQ(SegmentShape::of(257).num_contexts, 0);
  EXPECT_FALSE(make_segment(SegmentShape::of(257)));
}

TEST(NodeSegment, MoreThanItsChunksHoldIsReadWhereItIsEvenOfManyRanks) {
  for (int const num_ranks : {2, 8, 64, 128, 256}) {
    auto const segment = make_segment(SegmentShape::of(num_ranks));
    ASSERT_TRUE(segment);
    ChannelPlace const place = segment->place({0, 1, 0, 1, 0, num_ranks});
    EXPECT_LE(place.copied_bytes(), std::max<std::size_t>(4096, num_chunks * place.chunk_bytes));
    EXPECT_GE(place.copied_bytes(), 4096);
  }
}

/// The flags of the mapping that an address is in, as /proc/self/smaps tells them.
std::string flags_of(void const* address) {
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  bool is_here = false;
  while (std::getline(maps, line)) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2) {
      auto const wanted = reinterpret_cast<std::uintptr_t>(address);
      is_here = begin <= wanted && wanted < end;
    } else if (is_here && line.starts_with("VmFlags:")) {
      return line + " ";
    }
  }
  return "";
}

TEST(NodeSegment, IsInNoCoreDump) {
  auto memory = SharedMemory::create(8192);
  ASSERT_TRUE(memory);
  std::string const flags = flags_of(memory->data());
  ASSERT_FALSE(flags.empty());
  EXPECT_NE(flags.find(" dd "), std::string::npos) << flags;
}

TEST(NodeSegment, AnotherProcessSharesIt) {
  SegmentShape const shape = SegmentShape::of(2);
  auto memory = SharedMemory::create(shape.num_bytes());
  ASSERT_TRUE(memory && memory->back(shape.area_begin(1), shape.area_bytes()));
  ChannelKey const key{.context = 0, .from = 1, .to = 0, .from_member = 1, .num_members = 2};
  SharedMemory::Address const address = memory->address();
  Segment const segment(shape, std::move(*memory));
  pid_t const child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto opened = SharedMemory::open(shape.num_bytes(), address);
    if (opened) {
      Segment(shape, std::move(*opened))
          .place(key)
          .channel->consumed.store(42, std::memory_order_release);
    }
    _exit(opened ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(segment.place(key).channel->consumed.load(std::memory_order_acquire), 42U);
}

TEST(NodeSegment, AnAddressThatMeansSomethingElseIsRefused) {
  auto const memory = SharedMemory::create(8192);
  ASSERT_TRUE(memory);
  SharedMemory::Address address = memory->address();
  EXPECT_TRUE(SharedMemory::open(8192, address));
  EXPECT_FALSE(SharedMemory::open(8193, address));
  EXPECT_FALSE(SharedMemory::open(8192, {}));
  ++address.inode;
  EXPECT_FALSE(SharedMemory::open(8192, address));
}

TEST(NodeSegment, ALimitOnFilesIsNoticedAndNotASignal) {
  pid_t const child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    rlimit const limit{.rlim_cur = 4096, .rlim_max = 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(SharedMemory::create(8192) ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(NodeSegment, ReadingMemoryThatIsNotThereFails) {
  std::array<char, 4> to{};
  char const from[] = "abc";
  EXPECT_TRUE(read_memory(getpid(), from, to.data(), 4));
  EXPECT_EQ(to[1], 'b');
  long const page = sysconf(_SC_PAGESIZE);
  void* const hidden =
      mmap(nullptr, static_cast<std::size_t>(page), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(hidden, MAP_FAILED);
  EXPECT_FALSE(read_memory(getpid(), hidden, to.data(), 4));
  munmap(hidden, static_cast<std::size_t>(page));
}

cpu_set_t cpus(std::vector<int> const& list) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int const cpu : list) {
    CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  return set;
}

TEST(NodeWaiting, RanksWithTooFewProcessorsShareThem) {
  cpu_set_t const a = cpus({0});
  cpu_set_t const b = cpus({1});
  cpu_set_t const both = cpus({0, 1});
  using Sets = std::vector<cpu_set_t>;
  EXPECT_FALSE(shares_processors(Sets{a, b}, 0));
  EXPECT_FALSE(shares_processors(Sets{both, both}, 0));
  EXPECT_FALSE(shares_processors(Sets{a, both}, 0));
  EXPECT_TRUE(shares_processors(Sets{a, a}, 0));
  EXPECT_TRUE(shares_processors(Sets{a, a, cpus({2, 3, 4})}, 0));
  EXPECT_TRUE(shares_processors(Sets{both, both, both}, 0));
  EXPECT_TRUE(shares_processors(Sets{a, b}, 1.5));
  EXPECT_FALSE(shares_processors(Sets{a, b}, 2));
}

TEST(NodeWaiting, ALongWaitSleepsWhereProcessorsAreShared) {
  auto const processor_time = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  Patience patience(true);
  double const start = processor_time();
  auto const begin = std::chrono::steady_clock::now();
  std::chrono::duration<double> waited{};
  for (int num_looks_at_mpi = 0; num_looks_at_mpi < 100 || waited.count() < 0.3;) {
    patience.pause([&] { ++num_looks_at_mpi; });
    waited = std::chrono::steady_clock::now() - begin;
  }
  EXPECT_LT(processor_time() - start, 0.5 * waited.count());
}

}  // namespace
}  // namespace espalier::exec::node
