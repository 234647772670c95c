// SPDX-License-Identifier: Apache-2.0

/// Messages between two threads through a channel; the thread sanitizer runs this, too.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/exec/node/link.hpp"

namespace espalier::exec::node {
namespace {

/// Memory of the channels of two ranks, as a segment has it.
class Pair {
public:
  explicit Pair(std::size_t chunk_bytes = 256, pid_t process = 0)
      : chunk_bytes_(chunk_bytes), process_(process), chunks_(2 * num_chunks * chunk_bytes) {}

  [[nodiscard]] std::unique_ptr<Link> link(int rank) {
    auto const own = static_cast<std::size_t>(rank);
    return std::make_unique<Link>(place(1 - own), place(own), process_);
  }

private:
  ChannelPlace place(std::size_t reader) {
    return {
        .channel = &channels_[reader],
        .chunks = chunks_.data() + reader * num_chunks * chunk_bytes_,
        .chunk_bytes = chunk_bytes_,
    };
  }

  std::size_t chunk_bytes_;
  pid_t process_;
  std::array<Channel, 2> channels_{};
  std::vector<std::byte> chunks_;
};

using Bytes = std::vector<std::byte>;
using Sizes = std::vector<std::size_t>;

Bytes message(std::size_t num_bytes, std::size_t seed) {
  Bytes bytes(num_bytes);
  for (std::size_t i = 0; i < num_bytes; ++i) {
    bytes[i] = static_cast<std::byte>((i * 31 + seed * 17 + i / 251) & 0xffU);
  }
  return bytes;
}

Request request(Bytes& bytes, int tag) {
  return {.data = bytes.data(), .num_bytes = bytes.size(), .tag = tag};
}

void wait(Link& link, Request& request) {
  while (request.is_open) {
    link.poll(request);
    std::this_thread::yield();
  }
}

/// Each sends `sizes` to the other and compares what comes.
void exchange(Link& link, Sizes const& sizes, std::size_t from, int* failures) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Bytes out = message(sizes[i], i + from);
    Bytes in(sizes[i]);
    Request send = request(out, 7);
    Request receive = request(in, 7);
    link.send(send);
    link.receive(receive);
    wait(link, receive);
    wait(link, send);
    *failures += in == message(sizes[i], i + 1 - from) ? 0 : 1;
  }
}

void exchange_on_threads(Pair& pair, Sizes const& sizes) {
  std::array<int, 2> failures{};
  std::array<std::thread, 2> threads;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    threads[rank] = std::thread([&, rank] {
      auto const link = pair.link(static_cast<int>(rank));
      exchange(*link, sizes, rank, &failures[rank]);
      EXPECT_TRUE(link->is_idle());
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(failures[0], 0);
  EXPECT_EQ(failures[1], 0);
}

/// One sends all sizes and never waits for the other, which compares them.
void stream_on_threads(Pair& pair, Sizes const& sizes) {
  int failures = 0;
  std::thread sender([&] {
    auto const link = pair.link(0);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      Bytes out = message(sizes[i], i);
      Request send = request(out, 3);
      link->send(send);
      wait(*link, send);
    }
  });
  auto const link = pair.link(1);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Bytes in(sizes[i]);
    Request receive = request(in, 3);
    link->receive(receive);
    wait(*link, receive);
    failures += in == message(sizes[i], i) ? 0 : 1;
  }
  sender.join();
  EXPECT_EQ(failures, 0);
}

Sizes awkward_sizes() {
  Sizes sizes;
  for (std::size_t const size :
       Sizes{0, 1, 8, 47, 48, 49, 64, 255, 256, 257, 511, 4095, 4096, 4097}) {
    sizes.push_back(size);
  }
  for (std::size_t const size : Sizes{11'000, 12'288, 20'001, 70'000}) {
    sizes.push_back(size);
  }
  for (std::size_t i = 0; i < 100; ++i) {
    sizes.push_back(i * 7 % 61);
  }
  return sizes;
}

TEST(NodeLink, MessagesOfAllSizesPassBothWays) {
  Pair pair;
  exchange_on_threads(pair, awkward_sizes());
}

TEST(NodeLink, AStreamMixesSizesWithAndWithoutChunks) {
  Pair pair;
  Sizes sizes;
  for (std::size_t i = 0; i < 40 * ChannelRules::lines; ++i) {
    bool const has_chunk = i % 5 == 0 || i / num_chunks % 3 == 0;
    sizes.push_back(has_chunk ? 200 + i % 100 : i % 48);
  }
  stream_on_threads(pair, sizes);
}

TEST(NodeLink, MessagesOfOneChunkAreOverAtOnce) {
  Pair pair;
  auto const a = pair.link(0);
  auto const b = pair.link(1);
  std::array<Bytes, num_chunks + 1> out;
  std::array<Request, num_chunks + 1> sends;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = message(256 - i, i);
    sends[i] = request(out[i], 2);
    a->send(sends[i]);
    EXPECT_EQ(sends[i].is_open, i == num_chunks) << "as long as there are chunks: " << i;
  }
  for (std::size_t i = 0; i < num_chunks; ++i) {
    Bytes in(256);
    Request receive = request(in, 2);
    b->receive(receive);
    EXPECT_FALSE(receive.is_open) << i;
    in.resize(out[i].size());
    EXPECT_EQ(in, out[i]);
  }
  Bytes last(256);
  Request receive = request(last, 2);
  b->receive(receive);
  EXPECT_TRUE(receive.is_open);
  a->progress();
  wait(*b, receive);
  EXPECT_FALSE(sends[num_chunks].is_open);
}

/// Chunks may be larger than the messages that are read in place.
TEST(NodeLink, OnlyMessagesThatAreNotReadInPlaceAreOneChunk) {
  Pair pair(most_copied + 4096, getpid());
  auto const a = pair.link(0);
  auto const b = pair.link(1);
  for (std::size_t const size : {most_copied, most_copied + 1}) {
    Bytes out = message(size, size);
    Bytes in(size);
    Request send = request(out, 1);
    Request receive = request(in, 1);
    a->send(send);
    EXPECT_EQ(send.is_open, size > most_copied);
    b->receive(receive);
    a->progress();
    EXPECT_FALSE(send.is_open || receive.is_open);
    EXPECT_EQ(in, out);
  }
}

/// Whatever a channel has room for, up to a limit, is sent at once.
TEST(NodeLink, WhatFitsIntoAllChunksIsCopied) {
  struct Case {
    std::size_t chunk_bytes;
    std::size_t size;
    bool is_sent;
  };

  for (Case const& one : {
           Case{2048, 32'768, true},
           Case{2048, 32'769, false},
           Case{4096, 65'536, true},
           Case{8192, 65'537, false},
       }) {
    Pair pair(one.chunk_bytes, getpid());
    auto const a = pair.link(0);
    auto const b = pair.link(1);
    Bytes out = message(one.size, 5);
    Bytes in(one.size);
    Request send = request(out, 1);
    Request receive = request(in, 1);
    a->send(send);
    EXPECT_EQ(send.is_open, !one.is_sent) << one.size;
    b->receive(receive);
    while (send.is_open || receive.is_open) {
      a->progress();
      b->progress();
    }
    EXPECT_EQ(in, out);
  }
}

TEST(NodeLink, TheNextLinkGoesOnWhereTheLastOneEnded) {
  Pair pair;
  for (int i = 0; i < 5; ++i) {
    exchange_on_threads(pair, {8, 300, 0, 48, 5000, 12});
  }
}

TEST(NodeLink, OfAnotherShapeGoesOn) {
  // A channel serves communicators with chunks of different sizes, one after another.
  std::vector<std::byte> chunks(2 * num_chunks * 512);
  std::array<Channel, 2> channels{};
  for (std::size_t const chunk_bytes : Sizes{512, 128, 256}) {
    ChannelPlace const to_0{&channels[0], chunks.data(), chunk_bytes};
    ChannelPlace const to_1{&channels[1], chunks.data() + num_chunks * 512, chunk_bytes};
    Link a(to_1, to_0, 0);
    Link b(to_0, to_1, 0);
    Bytes out = message(3000, chunk_bytes);
    Bytes in(3000);
    Request send = request(out, 1);
    Request receive = request(in, 1);
    a.send(send);
    b.receive(receive);
    while (send.is_open || receive.is_open) {
      a.progress();
      b.progress();
    }
    EXPECT_EQ(in, out);
  }
}

TEST(NodeLink, ManySendsAreStartedBeforeTheFirstReceive) {
  Pair pair;
  auto const a = pair.link(0);
  auto const b = pair.link(1);
  std::vector<Bytes> out;
  std::vector<Request> sends(3 * ChannelRules::lines);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    out.push_back(message(i * 13, i));
  }
  for (std::size_t i = 0; i < sends.size(); ++i) {
    sends[i] = request(out[i], 0);
    a->send(sends[i]);
  }
  EXPECT_TRUE(sends.back().is_open);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    Bytes in(i * 13);
    Request receive = request(in, 0);
    b->receive(receive);
    while (receive.is_open) {
      a->progress();
      b->progress();
    }
    EXPECT_EQ(in, out[i]) << i;
  }
  EXPECT_TRUE(a->is_idle());
}

TEST(NodeLink, TagsAreReceivedInAnyOrder) {
  Pair pair;
  auto const a = pair.link(0);
  auto const b = pair.link(1);
  std::vector<Bytes> out;
  std::vector<Request> sends(6);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    out.push_back(message(40 + i * 400, i));
  }
  for (std::size_t i = 0; i < sends.size(); ++i) {
    sends[i] = request(out[i], static_cast<int>(i));
    a->send(sends[i]);
  }
  for (std::size_t const i : Sizes{3, 5, 0, 4, 1, 2}) {
    Bytes in(out[i].size());
    Request receive = request(in, static_cast<int>(i));
    b->receive(receive);
    while (receive.is_open) {
      a->progress();
      b->progress();
    }
    EXPECT_EQ(in, out[i]) << i;
  }
}

TEST(NodeLink, ReceivesOfOneTagKeepTheirOrder) {
  Pair pair;
  auto const a = pair.link(0);
  auto const b = pair.link(1);
  std::array<Bytes, 3> in{Bytes(600), Bytes(600), Bytes(600)};
  std::array<Request, 3> receives;
  std::array<Request, 4> sends;
  std::array<Bytes, 4> out{message(600, 1), message(600, 2), message(600, 3), message(4, 4)};
  receives[0] = request(in[0], 1);
  receives[1] = request(in[1], 1);
  b->receive(receives[0]);
  b->receive(receives[1]);
  for (std::size_t i = 0; i < 3; ++i) {
    sends[i] = request(out[i], 1);
    a->send(sends[i]);
  }
  // A message that nobody waits for lies in front of the third receive for a while.
  sends[3] = request(out[3], 2);
  a->send(sends[3]);
  b->progress();
  receives[2] = request(in[2], 1);
  b->receive(receives[2]);
  while (sends[2].is_open || receives[2].is_open) {
    a->progress();
    b->progress();
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(in[i], out[i]) << i;
  }
}

TEST(NodeLink, AMessageThatIsTooLongIsCutAndNothingElse) {
  for (std::size_t const size : Sizes{48, 500, 20'000}) {
    Pair pair(256, getpid());
    auto const a = pair.link(0);
    auto const b = pair.link(1);
    std::array<Bytes, 2> out{message(size, 1), message(size, 2)};
    std::array<Bytes, 2> in{Bytes(size / 2), Bytes(2 * size)};
    for (std::size_t i = 0; i < 2; ++i) {
      Request send = request(out[i], 0);
      Request receive = request(in[i], 0);
      a->send(send);
      b->receive(receive);
      while (send.is_open || receive.is_open) {
        a->progress();
        b->progress();
      }
      EXPECT_EQ(receive.is_truncated, i == 0);
      EXPECT_EQ(receive.moved, i == 0 ? size / 2 : receive.moved);
    }
    EXPECT_TRUE(std::equal(in[0].begin(), in[0].end(), out[0].begin()));
    EXPECT_TRUE(std::equal(out[1].begin(), out[1].end(), in[1].begin()));
  }
}

TEST(NodeLink, LargeMessagesAreReadInPlace) {
  Pair pair(256, getpid());
  exchange_on_threads(pair, awkward_sizes());
}

TEST(NodeLink, WhatCannotBeReadInPlaceIsCopied) {
  // No process has this number: every read fails, as from memory of a device.
  Pair pair(256, 0x7fffffff);
  exchange_on_threads(pair, awkward_sizes());
}

TEST(NodeLink, AnAbandonedReceiveLeavesTheNextOneAlone) {
  Pair pair;
  auto const a = pair.link(0);
  auto const b = pair.link(1);
  Bytes first = message(6000, 1);
  Bytes second = message(100, 2);
  Bytes lost(6000);
  Bytes in(100);
  Request send_first = request(first, 0);
  Request send_second = request(second, 0);
  Request dropped = request(lost, 0);
  Request receive = request(in, 0);
  a->send(send_first);
  b->receive(dropped);
  ASSERT_TRUE(dropped.is_open);
  b->abandon(dropped);
  a->send(send_second);
  b->receive(receive);
  while (receive.is_open || send_second.is_open) {
    a->progress();
    b->progress();
  }
  EXPECT_EQ(in, second);
}

}  // namespace
}  // namespace espalier::exec::node
