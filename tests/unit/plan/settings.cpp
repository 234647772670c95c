// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/settings.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/plan/settings/settings_text.hpp"
#include "tests/unit/plan/settings.hpp"

namespace espalier::plan {
namespace {

TEST(SettingsText, SurvivesTheBroadcast) {
  std::string const any_bytes("\xff\x00\xfe \"quoted\"\n", 13);
  SettingsText const text{
      .is_off = true,
      .is_verbose = true,
      .force = "allgather=ring",
      .statistics = any_bytes,
      .profile_path = "p",
      .profile = std::string(100000, 'x'),
      .profile_problem = "gone",
      .mapping = "off",
      .dims = "balanced",
      .machine = any_bytes,
      .machine_origin = "m",
      .machine_problem = "unreadable",
      .learn = "2%",
      .memory_path = "memory.json",
      .memory = {{"rules", {1, 2}}},
      .memory_problem = "unreadable",
      .program = "16 x app",
      .resting = "it was in vain",
      .site_path = "site.json",
      .site = any_bytes,
      .site_problem = "open to all",
      .node = "on",
      .progress = "thread",
      .watch = "30s",
      .watch_board = "/b",
      .run = "of today",
  };
  EXPECT_EQ(SettingsText::from_bytes(text.to_bytes()), text);
  EXPECT_EQ(SettingsText::from_bytes(SettingsText().to_bytes()), SettingsText());
  EXPECT_THROW(static_cast<void>(SettingsText::from_bytes("nonsense")), Error);
  EXPECT_THROW(static_cast<void>(SettingsText::from_bytes("")), Error);
}

TEST(Settings, MappingIsToldUnlessItIsQuiet) {
  EXPECT_TRUE(Settings::parse({.mapping = "on"}, "openmpi").tells_mapping);
  EXPECT_FALSE(Settings::parse({.mapping = "off"}, "openmpi").tells_mapping);
  Settings const quiet = Settings::parse({.mapping = "quiet"}, "openmpi");
  EXPECT_TRUE(quiet.maps_topologies);
  EXPECT_FALSE(quiet.tells_mapping);
  EXPECT_TRUE(quiet.warnings.empty());
}

TEST(Settings, TopologiesAreMappedOnRequestOnly) {
  EXPECT_FALSE(Settings::parse({}, "openmpi").maps_topologies);
  EXPECT_TRUE(Settings::parse({.mapping = "on"}, "openmpi").maps_topologies);
  Settings const off = Settings::parse({.mapping = "off"}, "openmpi");
  EXPECT_FALSE(off.maps_topologies);
  EXPECT_FALSE(off.cares_for_topologies());
  EXPECT_TRUE(off.warnings.empty());
  EXPECT_FALSE(Settings::parse({.is_off = true, .dims = "balanced"}, "x").cares_for_topologies());
}

TEST(Settings, DimensionsAreNativeUnlessAskedFor) {
  EXPECT_FALSE(Settings::parse({}, "openmpi").balances_dims);
  EXPECT_FALSE(Settings::parse({.dims = "native"}, "openmpi").balances_dims);
  Settings const balanced = Settings::parse({.mapping = "off", .dims = "balanced"}, "openmpi");
  EXPECT_TRUE(balanced.balances_dims);
  EXPECT_TRUE(balanced.cares_for_topologies());
}

TEST(Settings, AThreadMakesProgressOnRequestOnly) {
  EXPECT_FALSE(Settings::parse({}, "openmpi").has_progress_thread);
  EXPECT_FALSE(Settings::parse({.progress = "calls"}, "openmpi").has_progress_thread);
  EXPECT_TRUE(Settings::parse({.progress = "thread"}, "openmpi").has_progress_thread);
  Settings const wrong = Settings::parse({.progress = "on"}, "openmpi");
  EXPECT_FALSE(wrong.has_progress_thread);
  ASSERT_EQ(wrong.warnings.size(), 1U);
  EXPECT_EQ(
      wrong.warnings.front(), "ESPALIER_PROGRESS: expected calls or thread, got 'on'; taking calls"
  );
}

TEST(Settings, NobodyWatchesUnlessAskedTo) {
  for (std::string const text : {"", "off", "0"}) {
    Settings const settings = Settings::parse({.watch = text, .watch_board = "/b"}, "openmpi");
    EXPECT_FALSE(settings.watches()) << text;
    EXPECT_FALSE(settings.records());
    EXPECT_TRUE(settings.warnings.empty());
  }
  EXPECT_FALSE(Settings::parse({.is_off = true, .watch = "30s"}, "openmpi").watches());
}

TEST(Settings, WhoWatchesLooksAtEveryCall) {
  Settings const settings = Settings::parse({.watch = "2min", .watch_board = "/b"}, "openmpi");
  EXPECT_EQ(settings.watch, 120'000'000'000);
  EXPECT_EQ(settings.watch_board, "/b");
  EXPECT_TRUE(settings.records());
}

TEST(Settings, AWatchThatIsMisspeltIsOff) {
  Settings const settings = Settings::parse({.watch = "soon"}, "openmpi");
  EXPECT_FALSE(settings.watches());
  EXPECT_EQ(
      settings.warnings,
      std::vector<std::string>{
          "ESPALIER_WATCH: expected a time as in 30s, 500ms or 2min, or off, got 'soon'; taking off"
      }
  );
}

TEST(Settings, UnknownWordsAreToldAndChangeNothing) {
  Settings const settings = Settings::parse({.mapping = "never", .dims = "best"}, "openmpi");
  EXPECT_FALSE(settings.maps_topologies);
  EXPECT_FALSE(settings.balances_dims);
  EXPECT_EQ(
      settings.warnings,
      (std::vector<std::string>{
          "ESPALIER_MAPPING: expected on, quiet or off, got 'never'; taking off",
          "ESPALIER_DIMS: expected native or balanced, got 'best'; taking native",
      })
  );
}

TEST(Settings, RanksOfANodeShareMemoryWhereAChoiceMayUseIt) {
  Settings const plain = Settings::parse({}, "openmpi");
  EXPECT_EQ(plain.node_memory, NodeMemory::automatic);
  EXPECT_FALSE(plain.may_share_memory()) << "nobody would use it";
  EXPECT_TRUE(Settings::parse({.learn = "on"}, "openmpi").may_share_memory());
  EXPECT_FALSE(Settings::parse({.learn = "on", .node = "off"}, "openmpi").may_share_memory());
  EXPECT_TRUE(Settings::parse({.node = "on"}, "openmpi").may_share_memory());
  EXPECT_FALSE(Settings::parse({.is_off = true, .node = "on"}, "openmpi").may_share_memory());

  std::string const force = "allgather=ring;barrier=dissemination[shared_memory=1]";
  EXPECT_TRUE(Settings::parse({.force = force}, "openmpi").may_share_memory());
  EXPECT_FALSE(Settings::parse({.force = force, .node = "off"}, "openmpi").may_share_memory());
  EXPECT_FALSE(Settings::parse({.force = "allgather=ring"}, "openmpi").may_share_memory());
}

TEST(Settings, RulesMaySayThatRanksOfANodeShareMemory) {
  std::string const profile = R"({"schema": "espalier-profile", "version": 1,
      "mpi": {"vendor": "openmpi", "version": "4.1.4"}, "rules": [
      {"collective": "allreduce", "num_ranks": 2, "num_nodes": 1, "min_bytes": 0,
       "max_bytes": null, "algorithm": "allreduce/recursive_doubling[shared_memory=1]",
       "reason": "measured"}]})";
  Settings const settings =
      Settings::parse({.profile_path = "p.json", .profile = profile}, "openmpi");
  EXPECT_EQ(settings.warnings, std::vector<std::string>{});
  EXPECT_TRUE(settings.has_shared_memory_choices());
  EXPECT_TRUE(settings.may_share_memory());
}

TEST(Settings, NodeMemoryIsAutoOnOrOff) {
  EXPECT_EQ(Settings::parse({.node = "off"}, "openmpi").node_memory, NodeMemory::off);
  EXPECT_EQ(Settings::parse({.node = "auto"}, "openmpi").node_memory, NodeMemory::automatic);
  EXPECT_EQ(Settings::parse({.node = "on"}, "openmpi").node_memory, NodeMemory::on);
  Settings const wrong = Settings::parse({.node = "yes"}, "openmpi");
  EXPECT_EQ(wrong.node_memory, NodeMemory::automatic);
  EXPECT_EQ(
      wrong.warnings,
      std::vector<std::string>{"ESPALIER_NODE: expected auto, on or off, got 'yes'; taking auto"}
  );
}

TEST(Settings, MachinesAreReadOnce) {
  Settings const good = Settings::parse({.machine = "2n x 4c", .machine_origin = "m"}, "openmpi");
  EXPECT_EQ(good.machine, (MachineText{.text = "2n x 4c", .origin = "m"}));
  EXPECT_TRUE(good.warnings.empty());
  for (SettingsText const& text :
       {SettingsText{.machine = "two nodes", .machine_origin = "m"},
        SettingsText{.machine_origin = "m", .machine_problem = "m: gone"}}) {
    Settings const bad = Settings::parse(text, "openmpi");
    EXPECT_EQ(bad.machine, MachineText());
    ASSERT_EQ(bad.warnings.size(), 1U);
    EXPECT_TRUE(bad.warnings[0].starts_with("ESPALIER_MACHINE: ")) << bad.warnings[0];
  }
}

TEST(Settings, NothingSetMeansNativeCalls) {
  Settings const settings = Settings::parse({}, "openmpi");
  EXPECT_TRUE(settings.warnings.empty());
  EXPECT_FALSE(settings.records());
  EXPECT_FALSE(settings.needs_nodes());
  EXPECT_FALSE(settings.may_choose(Call::bcast));
  EXPECT_EQ(decided(settings, Call::bcast, 4), "native");
}

TEST(Settings, UnusableProfilesWarnOnceAndStayNative) {
  for (Settings const& settings :
       {with_profile("corrupt"),
        with_profile(profile_text, "mpich"),
        with_profile(R"({"schema": "espalier-profile", "version": 99})"),
        Settings::parse({.profile_path = "p", .profile_problem = "p: gone"}, "openmpi")}) {
    ASSERT_EQ(settings.warnings.size(), 1U);
    EXPECT_TRUE(settings.warnings[0].starts_with("ESPALIER_PROFILE: p")) << settings.warnings[0];
    EXPECT_TRUE(settings.warnings[0].ends_with("; using native calls")) << settings.warnings[0];
    EXPECT_EQ(decided(settings, Call::bcast, 4), "native");
    EXPECT_FALSE(settings.may_choose(Call::bcast));
  }
}

TEST(Settings, ProfilesOfSimulatedMachinesAreForSimulatedPrograms) {
  std::string text = profile_text;
  text.replace(text.find("openmpi"), 7, "smpi");
  EXPECT_EQ(decided(with_profile(text, "smpi"), Call::bcast, 4), "bcast/binomial");
  Settings const real = with_profile(text, "openmpi");
  ASSERT_EQ(real.warnings.size(), 1U);
  EXPECT_NE(real.warnings[0].find("got one tuned with 'smpi'"), std::string::npos);
  EXPECT_EQ(decided(real, Call::bcast, 4), "native");
}

TEST(Settings, OffMeansNothingAtAll) {
  Settings const settings = Settings::parse(
      {.is_off = true,
       .is_verbose = true,
       .force = "nonsense",
       .statistics = "folder",
       .profile_path = "p",
       .profile = "corrupt"},
      "openmpi"
  );
  EXPECT_TRUE(settings.warnings.empty());
  EXPECT_FALSE(settings.records());
  EXPECT_FALSE(settings.may_choose(Call::allgather));
}

TEST(ComplaintAboutShape, NamesTheJobAndTheNearestRules) {
  Settings const settings = with_profile(profile_text);
  auto const complaint = complaint_about_shape(settings, {.num_ranks = 9, .num_nodes = 1});
  ASSERT_TRUE(complaint);
  EXPECT_EQ(
      *complaint,
      "p.json: expected rules for 9 ranks on 1 node, or for as many nodes and ranks within a "
      "factor "
      "of 2, the nearest "
      "are for 4 ranks on 1 node; using native calls on MPI_COMM_WORLD, tune with this job to add "
      "its shape"
  );
}

TEST(ComplaintAboutShape, IsSilentWhereRulesAreNearOrNothingIsAsked) {
  Settings const settings = with_profile(profile_text);
  for (int const num_ranks : {1, 2, 4, 8}) {
    EXPECT_FALSE(complaint_about_shape(settings, {.num_ranks = num_ranks, .num_nodes = 1}));
  }
  EXPECT_FALSE(complaint_about_shape(forced("bcast=flat"), {.num_ranks = 9, .num_nodes = 1}));
}

}  // namespace
}  // namespace espalier::plan
