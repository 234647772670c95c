// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/measure/probe/message_memory.hpp"

namespace espalier::measure::probe {
namespace {

ProbePlan plan_between(TestKind kind, std::int64_t bytes, int messages) {
  TestRequest const request{
      .kind = kind,
      .label = "",
      .bytes = {bytes},
      .messages = messages,
      .sets = {{{.sender = 0, .receiver = 1}}},
  };
  return {.seed = 5, .tests = {request}};
}

/// Sends the message of rank 0 to a slot of rank 1.
void deliver(
    MessageMemory const& sender, MessageMemory& receiver, std::size_t slot, std::size_t n
) {
  if (n > 0) {
    std::memcpy(receiver.incoming(slot, n), sender.outgoing(), n);
  }
}

TEST(MessageMemory, AcceptsWhatWasSent) {
  for (std::size_t const bytes : {0U, 1U, 7U, 8U, 9U, 4097U}) {
    ProbePlan const plan = plan_between(TestKind::bandwidth, static_cast<std::int64_t>(bytes), 4);
    MessageMemory const sender(plan, 0);
    MessageMemory receiver(plan, 1);
    for (std::size_t slot = 0; slot < 4; ++slot) {
      deliver(sender, receiver, slot, bytes);
      EXPECT_NO_THROW(receiver.expect_message(slot, bytes, 0)) << bytes << " bytes, slot " << slot;
    }
  }
}

TEST(MessageMemory, SeesEveryChangedByte) {
  constexpr std::size_t bytes = 35;
  ProbePlan const plan = plan_between(TestKind::latency, bytes, 1);
  MessageMemory const sender(plan, 0);
  MessageMemory receiver(plan, 1);
  for (std::size_t changed = 0; changed < bytes; ++changed) {
    deliver(sender, receiver, 0, bytes);
    receiver.incoming(0, bytes)[changed] ^= std::byte{1};
    try {
      receiver.expect_message(0, bytes, 0);
      ADD_FAILURE() << "byte " << changed;
    } catch (Error const& error) {
      std::string const text = error.what();
      EXPECT_NE(
          text.find("rank 1: expected the message of 35 bytes from rank 0"), std::string::npos
      );
      EXPECT_NE(text.find("near byte " + std::to_string(changed / 8 * 8)), std::string::npos);
    }
  }
}

TEST(MessageMemory, SeesOldAndForeignMessages) {
  constexpr std::size_t bytes = 64;
  ProbePlan const plan = plan_between(TestKind::latency, bytes, 1);
  MessageMemory const sender(plan, 0);
  MessageMemory receiver(plan, 1);
  deliver(sender, receiver, 0, bytes);
  EXPECT_THROW(receiver.expect_message(0, bytes, 2), Error) << "another sender";
  receiver.forget(0, bytes);
  EXPECT_THROW(receiver.expect_message(0, bytes, 0), Error);

  ProbePlan other = plan;
  other.seed = 6;
  deliver(MessageMemory(other, 0), receiver, 0, bytes);
  EXPECT_THROW(receiver.expect_message(0, bytes, 0), Error) << "another seed";
}

TEST(MessageMemory, HasRoomOnlyForWhatTheRankTakesPartIn) {
  constexpr std::int64_t huge = std::int64_t{1} << 30;
  ProbePlan const plan = plan_between(TestKind::bandwidth, huge, 64);
  EXPECT_NO_THROW(MessageMemory(plan, 2)) << "3 GiB otherwise";
}

TEST(MessageMemory, FewLargeOrManySmallMessagesAreUnderWay) {
  auto const slots = [](std::int64_t bytes, int messages) {
    return num_slots({.kind = TestKind::bandwidth, .messages = messages}, bytes);
  };
  EXPECT_EQ(slots(0, 1000), 64U);
  EXPECT_EQ(slots(8, 1000), 64U);
  EXPECT_EQ(slots(1 << 18, 1000), 4U);
  EXPECT_EQ(slots(1 << 24, 1000), 2U);
  EXPECT_EQ(slots(8, 3), 3U);
  EXPECT_EQ(slots(1 << 24, 1), 1U);
}

}  // namespace
}  // namespace espalier::measure::probe
