// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/lesson.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/profile/decision.hpp"
#include "espalier/profile/profile.hpp"

namespace espalier::plan {
namespace {

Lesson ring() {
  return {
      .call = profile::Call::allgather,
      .shape = {.num_ranks = 8, .num_nodes = 2},
      .min_bytes = 1024,
      .max_bytes = 2047,
      .algorithm = "allgather/ring",
      .native_seconds = 3e-4,
      .seconds = 1e-4,
      .num_pairs = 7,
  };
}

Lesson native_barrier() {
  return {
      .call = profile::Call::barrier,
      .shape = {.num_ranks = 8, .num_nodes = 2},
      .algorithm = "native",
      .native_seconds = 1e-5,
      .seconds = 1e-5,
      .num_pairs = 4,
  };
}

std::string with(std::string const& document, std::vector<Lesson> const& lessons) {
  return with_lessons(document, "memory.json", lessons, "mpich", "MPICH 4.0.2");
}

profile::Decision lookup(std::string const& document, std::int64_t bytes) {
  profile::Profile const profile = profile::Profile::parse(document, "memory.json");
  return profile::lookup(profile, profile::Call::allgather, 8, 2, bytes);
}

TEST(Lesson, TravelsAsBytes) {
  std::vector<Lesson> const lessons{ring(), native_barrier()};
  EXPECT_EQ(lessons_from_bytes(to_bytes(lessons)), lessons);
  EXPECT_THROW(static_cast<void>(lessons_from_bytes("nonsense")), Error);
  EXPECT_THROW(static_cast<void>(lessons_from_bytes(to_bytes(lessons).substr(3))), Error);
}

TEST(Lesson, BecomesARule) {
  std::string const document = with("", {ring(), native_barrier()});
  profile::Profile const profile = profile::Profile::parse(document, "memory.json");
  EXPECT_EQ(profile.rules().size(), 2);
  EXPECT_EQ(profile.vendor(), "mpich");
  EXPECT_EQ(lookup(document, 1500).choice->text(), "allgather/ring");
  EXPECT_EQ(
      lookup(document, 1500).reason,
      "profile rule 0: learned while a program ran: 3 times as fast, 100 us for native 300 us, 7 "
      "pairs of calls"
  );
  EXPECT_TRUE(lookup(document, 2048).is_open);
}

TEST(Lesson, ReplacesWhatWasLearnedBefore) {
  Lesson again = ring();
  again.algorithm = "allgather/bruck";
  Lesson larger = ring();
  larger.min_bytes = 2048;
  larger.max_bytes = 4095;
  std::string const document = with(with("", {ring(), native_barrier()}), {again, larger});
  EXPECT_EQ(profile::Profile::parse(document, "memory.json").rules().size(), 3);
  EXPECT_EQ(lookup(document, 1024).choice->text(), "allgather/bruck");
  EXPECT_EQ(lookup(document, 4095).choice->text(), "allgather/ring");
}

/// A rule of a profile may cover more sizes than a lesson.
TEST(Lesson, ReplacesRulesWithoutALimit) {
  Lesson unlimited = ring();
  unlimited.max_bytes.reset();
  std::string const document = with(with("", {unlimited}), {ring()});
  EXPECT_EQ(profile::Profile::parse(document, "memory.json").rules().size(), 1);
  EXPECT_TRUE(lookup(document, 4096).is_open);
}

TEST(Lesson, LeavesAloneWhatIsNoProfileOfThisMpi) {
  std::string const foreign = with_lessons("", "memory.json", {}, "openmpi", "Open MPI 4.1.4");
  for (std::string const& document : {foreign, std::string("{"), std::string("{\"rules\": 1}")}) {
    EXPECT_THROW(static_cast<void>(with(document, {ring()})), Error) << document;
  }
}

}  // namespace
}  // namespace espalier::plan
