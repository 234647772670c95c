// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/choices/team_file.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::capi {
namespace {

using algorithms::Choice;
using schedule::Collective;
using schedule::Mechanism;

constexpr std::int64_t now = 1'800'000'000;

TeamShape const shape{.transport = "node", .num_ranks = 8, .num_nodes = 2};

Measured measured(std::string_view algorithm, std::int64_t block_bytes = 64) {
  return {
      .request =
          {.collective = Collective::bcast,
           .num_ranks = shape.num_ranks,
           .root = 3,
           .block_bytes = block_bytes,
           .mode = {.in = schedule::Sync::mysync, .out = schedule::Sync::allsync}},
      .named = {},
      .choice = {.choice = parse_choice(algorithm), .mechanism = Mechanism::eager},
  };
}

std::string
file_of(Measured const& one, TeamShape const& of = shape, std::string const& before = "") {
  return with_measured(before, "file", of, one, now);
}

TeamMemory memory_of(std::string const& file, TeamShape const& of, std::int64_t then = now) {
  return kept_memory(usable_part(file, "file", of.transport, then), of);
}

/// What is remembered for a request, as "remembered bcast/chain".
std::string recalled(std::string const& file, Measured const& one, TeamShape const& of = shape) {
  std::string text;
  for (auto const& [choice, origin] : memory_of(file, of).recall(one.request, one.named)) {
    text += std::string(to_string(origin)) + " " + choice.choice.text() + ";";
  }
  return text;
}

std::string replaced(std::string text, std::string const& old, std::string const& now_there) {
  std::size_t const place = text.find(old);
  EXPECT_NE(place, std::string::npos) << old;
  return text.replace(place, old.size(), now_there);
}

std::string complaint(std::string const& file) {
  std::vector<std::string> texts;
  auto const note = [&](auto const& action) {
    try {
      static_cast<void>(action());
      texts.emplace_back("nothing");
    } catch (Error const& error) {
      EXPECT_EQ(error.code(), ErrorCode::format);
      texts.emplace_back(error.what());
    }
  };
  note([&] { return usable_part(file, "file", shape.transport, now); });
  note([&] { return with_measured(file, "file", shape, measured("bcast/flat"), now); });
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[0].find('\n'), std::string::npos);
  return texts[0];
}

TEST(TeamFile, IsEmptyAtFirst) {
  EXPECT_EQ(kept_memory("", shape).size(), 0U);
}

TEST(TeamFile, KeepsAllOfWhatWasMeasured) {
  Measured one = measured("bcast/k_ary[k=2]");
  one.named = {.algorithm = Choice::parse("bcast/k_ary[k=2]"), .mechanism = Mechanism::eager};
  one.request.addresses = schedule::AddressMode::local;
  std::string const file = file_of(one);
  auto const found = memory_of(file, shape).recall(one.request, one.named);
  OriginalChoice const expected{.choice = one.choice, .origin = Origin::remembered};
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front(), expected);
  // One that differs in any part of its key is not the same.
  Measured other = one;
  other.named.mechanism = std::nullopt;
  EXPECT_EQ(recalled(file, other), "");
  other = one;
  other.request.mode.in = schedule::Sync::allsync;
  EXPECT_EQ(recalled(file, other), "");
  other = one;
  other.request.addresses = schedule::AddressMode::single;
  EXPECT_EQ(recalled(file, other), "");
  other = one;
  other.request.needs_rank_order = true;
  EXPECT_EQ(recalled(file, other), "");
}

TEST(TeamFile, TellsUnevenAndReproducibleRequestsApart) {
  Measured plain = measured("reduce/flat");
  plain.request.collective = Collective::reduce;
  for (bool SafeRequest::*const property :
       {&SafeRequest::has_uneven_blocks, &SafeRequest::is_reproducible}) {
    Measured special = plain;
    special.request.*property = true;
    EXPECT_EQ(recalled(file_of(special), special), "remembered reduce/flat;");
    EXPECT_EQ(recalled(file_of(special), plain), "");
    EXPECT_EQ(recalled(file_of(plain), special), "");
  }
}

TEST(TeamFile, KeepsTheCollectiveOfTheLibrary) {
  Measured const native = measured("bcast/native");
  EXPECT_EQ(recalled(file_of(native), native), "remembered bcast/native;");
}

TEST(TeamFile, ServesNearSizes) {
  std::string const file = file_of(measured("bcast/chain", 64));
  EXPECT_EQ(recalled(file, measured("bcast/chain", 128)), "nearest bcast/chain;");
  EXPECT_EQ(recalled(file, measured("bcast/chain", 129)), "");
}

TEST(TeamFile, TellsShapesApart) {
  Measured const one = measured("bcast/chain");
  TeamShape other = shape;
  other.num_nodes = 1;
  std::string const file = file_of(measured("bcast/flat"), other, file_of(one));
  EXPECT_EQ(recalled(file, one), "remembered bcast/chain;");
  EXPECT_EQ(recalled(file, one, other), "remembered bcast/flat;");
  other = shape;
  other.transport = "rma";
  EXPECT_EQ(recalled(file, one, other), "");
}

/// Of ranks that were dealt to nodes, another algorithm is fastest.
TEST(TeamFile, TellsPlacementsApart) {
  Measured const one = measured("bcast/chain");
  TeamShape dealt = shape;
  dealt.placement = "in turn";
  std::string file = file_of(measured("bcast/flat"), dealt, file_of(one));
  EXPECT_EQ(recalled(file, one), "remembered bcast/chain;");
  EXPECT_EQ(recalled(file, one, dealt), "remembered bcast/flat;");
  file = file_of(measured("bcast/binomial"), shape, file);
  EXPECT_EQ(recalled(file, one), "remembered bcast/binomial;");
  EXPECT_EQ(recalled(file, one, dealt), "remembered bcast/flat;");
}

TEST(TeamFile, ReplacesWhatItSaidOfTheSame) {
  Measured const one = measured("bcast/chain");
  std::string file = file_of(measured("bcast/flat", 4096), shape, file_of(measured("bcast/flat")));
  file = file_of(one, shape, file);
  EXPECT_EQ(recalled(file, one), "remembered bcast/chain;");
  EXPECT_EQ(recalled(file, measured("bcast/flat", 4096)), "remembered bcast/flat;");
}

TEST(TeamFile, ForgetsAfterAWhile) {
  Measured const one = measured("bcast/chain");
  std::string const file = file_of(one);
  auto const later = [&](std::int64_t seconds) {
    return memory_of(file, shape, now + seconds).size();
  };
  EXPECT_EQ(later(most_seconds_kept), 1U);
  EXPECT_EQ(later(most_seconds_kept + 1), 0U);
}

TEST(TeamFile, IsBounded) {
  std::string file;
  for (int i = 0; i < 260; ++i) {
    file = with_measured(file, "file", shape, measured("bcast/chain", i), now - 2000 + i);
  }
  EXPECT_EQ(memory_of(file, shape).size(), 256U);
  EXPECT_EQ(recalled(file, measured("bcast/chain", 1)), "") << "an old one";
  EXPECT_NE(recalled(file, measured("bcast/chain", 259)), "") << "the latest one";
}

TEST(TeamFile, KeepsWhatAnotherVersionWrote) {
  Measured const one = measured("bcast/chain");
  std::string const other = replaced(file_of(one), "bcast/chain", "bcast/of_tomorrow");
  EXPECT_EQ(recalled(other, one), "");
  std::string const file = file_of(measured("bcast/flat", 4096), shape, other);
  EXPECT_NE(file.find("bcast/of_tomorrow"), std::string::npos);
  EXPECT_EQ(recalled(file, measured("bcast/flat", 4096)), "remembered bcast/flat;");
}

TEST(TeamFile, RefusesOtherFilesInOneLine) {
  std::string const file = file_of(measured("bcast/chain"));
  EXPECT_EQ(complaint(file), "nothing");
  EXPECT_NE(complaint("{"), "nothing");
  EXPECT_NE(complaint("[]"), "nothing");
  auto const with = [&](std::string const& old, std::string const& changed) {
    return complaint(replaced(file, old, changed));
  };
  EXPECT_NE(with("espalier-teams", "espalier-profile").find("espalier-teams"), std::string::npos);
  EXPECT_NE(with("\"version\": 1", "\"version\": 2").find("version 1"), std::string::npos);
  EXPECT_NE(with("\"root\": 3", "\"root\": 8").find("root"), std::string::npos);
  EXPECT_NE(with("bcast/chain", "scatter/flat").find("an algorithm of bcast"), std::string::npos);
  EXPECT_NE(with("\"block_bytes\"", "\"bytes\"").find("block_bytes"), std::string::npos);
  EXPECT_NE(with("\"measured_at\"", "\"at\"").find("measured_at"), std::string::npos);
  EXPECT_NE(with("\"num_nodes\": 2", "\"num_nodes\": 0").find("num_nodes"), std::string::npos);
}

}  // namespace
}  // namespace espalier::capi
