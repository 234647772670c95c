// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/settings.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/plan/learning/learned.hpp"
#include "espalier/plan/learning/programs.hpp"

namespace espalier::plan {
namespace {

using profile::Call;

constexpr char const* profile_text =
    R"({"schema": "espalier-profile", "version": 1, "mpi": {"vendor": "openmpi"}, "rules": [
        {"collective": "bcast", "num_ranks": 4, "num_nodes": 1, "min_bytes": 0, "max_bytes": null,
         "algorithm": "bcast/binomial", "reason": "measured"}]})";

Settings forced(std::string const& force) {
  return Settings::parse({.force = force}, "openmpi");
}

Settings with_profile(std::string const& text, std::string const& vendor = "openmpi") {
  return Settings::parse({.profile_path = "p.json", .profile = text}, vendor);
}

profile::CallForm nonblocking(Call call) {
  return {.call = call, .form = profile::Form::nonblocking};
}

std::string decided(Settings const& settings, profile::CallForm call, int num_ranks) {
  std::vector<std::string> warnings;
  auto const table = decide(settings, call, {.num_ranks = num_ranks, .num_nodes = 1}, warnings);
  return table.at(1000).choice ? table.at(1000).choice->text() : "native";
}

std::string decided(Settings const& settings, Call call, int num_ranks) {
  return decided(settings, profile::CallForm{.call = call}, num_ranks);
}

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
      .watch = "30s",
      .watch_board = "/b",
  };
  EXPECT_EQ(SettingsText::from_bytes(text.to_bytes()), text);
  EXPECT_EQ(SettingsText::from_bytes(SettingsText().to_bytes()), SettingsText());
  EXPECT_THROW(static_cast<void>(SettingsText::from_bytes("nonsense")), Error);
  EXPECT_THROW(static_cast<void>(SettingsText::from_bytes("")), Error);
}

/// What rank 0 read of a program whose last runs learned in vain.
SettingsText in_vain() {
  nlohmann::json memory = {{"rules", nlohmann::json::array()}};
  note_run(
      memory, "8 x app", false, {.seconds_at_stake = 0.01, .seconds = 2, .cost_seconds = 0.08}
  );
  return {.learn = "on", .memory_path = "memory.json", .memory = memory, .program = "8 x app"};
}

TEST(SettingsText, RestsFromLearningInVain) {
  SettingsText text = in_vain();
  text.rest(0.9);
  EXPECT_EQ(text.resting, "learning took 80 ms of 2.00 s and found nothing faster in the last run");
  EXPECT_EQ(text.learn, "off");
  EXPECT_TRUE(text.memory.is_null());
  EXPECT_TRUE(text.memory_path.empty());
}

TEST(SettingsText, RestsOnlyByChance) {
  SettingsText text = in_vain();
  text.rest(0.1);
  EXPECT_EQ(text, in_vain());
}

/// Of the memory of such a program: with trials of the algorithm of its only rule.
nlohmann::json with_rule(nlohmann::json memory, char const* algorithm, char const* tried) {
  nlohmann::json calls = {{"collective", "bcast"}, {"num_ranks", 8}, {"num_nodes", 2}};
  calls["min_bytes"] = 8;
  calls["max_bytes"] = 15;
  memory["rules"] = {calls};
  memory["rules"][0]["algorithm"] = algorithm;
  memory["trials"] = {calls};
  memory["trials"][0]["candidates"] = {{{"algorithm", "native"}}, {{"algorithm", tried}}};
  return memory;
}

TEST(SettingsText, RestsOnlyIfItKnowsWhatRulesSave) {
  nlohmann::json const memory = in_vain().memory;
  EXPECT_TRUE(knows_what_rules_save(memory));
  EXPECT_TRUE(knows_what_rules_save(with_rule(memory, "bcast/flat", "bcast/flat")));
  EXPECT_TRUE(knows_what_rules_save(with_rule(memory, "native", "bcast/flat")));
  nlohmann::json other_sizes = with_rule(memory, "bcast/flat", "bcast/flat");
  other_sizes["rules"][0]["min_bytes"] = 16;
  other_sizes["rules"][0]["max_bytes"] = 31;
  EXPECT_FALSE(knows_what_rules_save(other_sizes));
  SettingsText tuned = in_vain();
  tuned.memory = with_rule(memory, "bcast/flat", "bcast/binomial");
  SettingsText after = tuned;
  after.rest(0.9);
  EXPECT_EQ(after, tuned);
}

/// Or where rules of others are to be checked, or where nothing says that it was in vain.
TEST(SettingsText, DoesNotRestIfSomebodySaysWhatLearningMayCost) {
  SettingsText share = in_vain();
  share.learn = "1%";
  SettingsText profile = in_vain();
  profile.profile_path = "profile.json";
  SettingsText site = in_vain();
  site.site_path = "site.json";
  SettingsText other = in_vain();
  other.program = "9 x app";
  SettingsText broken = in_vain();
  broken.memory["programs"] = 1;
  for (SettingsText const& text : {share, profile, site, other, broken, SettingsText()}) {
    SettingsText after = text;
    after.rest(0.9);
    EXPECT_EQ(after, text);
  }
}

Settings learning(std::string const& learn, nlohmann::json const& memory = nullptr) {
  return Settings::parse(
      {.learn = learn, .memory_path = "memory.json", .memory = memory}, "openmpi"
  );
}

TEST(Settings, LearnOnlyIfAskedTo) {
  EXPECT_FALSE(learning("").learning);
  EXPECT_FALSE(learning("off").learning);
  EXPECT_FALSE(learning("off").may_choose(Call::bcast));
  EXPECT_TRUE(learning("on").may_choose(Call::bcast));
  EXPECT_FALSE(learning("on").has_choices());
  EXPECT_DOUBLE_EQ(learning("on").learning->share, 0.01);
  EXPECT_DOUBLE_EQ(learning("2.5%").learning->share, 0.025);
  EXPECT_DOUBLE_EQ(learning("2.5%").learning->seconds, 0.05);
  EXPECT_TRUE(learning("on").warnings.empty());
  for (char const* const wrong : {"much", "2", "%", "-1%", "101%", "2%%"}) {
    Settings const settings = learning(wrong);
    ASSERT_EQ(settings.warnings.size(), 1) << wrong;
    EXPECT_EQ(
        settings.warnings.front(),
        "ESPALIER_LEARN: expected on, off or what it may cost as in 2%, got '" +
            std::string(wrong) + "'; taking on"
    );
  }
}

TEST(Settings, WhatWasLearnedIsUsedOnItsShapeOnly) {
  Settings const settings = learning("on", nlohmann::json::parse(profile_text));
  EXPECT_EQ(settings.memory_path, "memory.json");
  EXPECT_EQ(decided(settings, Call::bcast, 4), "bcast/binomial");
  EXPECT_EQ(decided(settings, Call::bcast, 5), "native") << "a profile would lend it";
  EXPECT_EQ(decided(with_profile(profile_text), Call::bcast, 5), "bcast/binomial");
}

TEST(Settings, ARunAfterRunsInVainMayLoseLess) {
  auto memory = nlohmann::json::parse(profile_text);
  memory["programs"] = {{{"program", "16 x app"}, {"runs_in_vain", 8}, {"seconds_at_stake", 0.1}}};
  auto const bound_of = [&](char const* program) {
    SettingsText const text{
        .learn = "2%", .memory_path = "memory.json", .memory = memory, .program = program
    };
    return *Settings::parse(text, "openmpi").learning;
  };
  EXPECT_DOUBLE_EQ(bound_of("16 x app").seconds, 0.01);
  EXPECT_DOUBLE_EQ(bound_of("16 x app").share, 0.004);
  EXPECT_DOUBLE_EQ(bound_of("8 x app").seconds, 0.05);
}

TEST(Settings, AWrongMemoryIsLeftAlone) {
  auto foreign = nlohmann::json::parse(profile_text);
  foreign["mpi"]["vendor"] = "mpich";
  auto strange = nlohmann::json::parse(profile_text);
  strange["programs"] = {{{"program", "app"}}};
  for (nlohmann::json const& memory : {foreign, strange, nlohmann::json(1)}) {
    Settings const settings = learning("on", memory);
    EXPECT_FALSE(settings.memory);
    EXPECT_EQ(settings.memory_path, "") << "it would be overwritten";
    ASSERT_EQ(settings.warnings.size(), 1);
    EXPECT_TRUE(settings.warnings.front().starts_with("ESPALIER_MEMORY: memory.json"));
    EXPECT_TRUE(settings.learning) << "that goes on";
  }
}

SettingsText with_site(std::string const& site, nlohmann::json const& memory = nullptr) {
  return {
      .learn = "on",
      .memory_path = "memory.json",
      .memory = memory,
      .site_path = "site.json",
      .site = site,
  };
}

std::string with_algorithm(std::string const& name) {
  std::string text = profile_text;
  return text.replace(text.find("binomial"), 8, name);
}

TEST(Settings, RulesOfTheSiteServeWhereNothingWasLearned) {
  Settings const settings = Settings::parse(with_site(with_algorithm("flat")), "openmpi");
  EXPECT_TRUE(settings.warnings.empty());
  EXPECT_EQ(decided(settings, Call::bcast, 4), "bcast/flat");
  EXPECT_EQ(decided(settings, Call::bcast, 5), "native") << "as with what was learned";
  std::vector<std::string> warnings;
  auto const table = decide(settings, Call::bcast, {.num_ranks = 4, .num_nodes = 1}, warnings);
  EXPECT_TRUE(table.at(1000).is_shared);
  EXPECT_EQ(table.at(1000).reason, "rule of the site: measured");
}

TEST(Settings, OwnLessonsComeBeforeRulesOfTheSite) {
  auto own = nlohmann::json::parse(profile_text);
  own["rules"][0]["min_bytes"] = 500;
  own["rules"][0]["max_bytes"] = 1000;
  Settings const settings = Settings::parse(with_site(with_algorithm("flat"), own), "openmpi");
  std::vector<std::string> warnings;
  auto const table = decide(settings, Call::bcast, {.num_ranks = 4, .num_nodes = 1}, warnings);
  EXPECT_EQ(table.at(499).choice->text(), "bcast/flat");
  EXPECT_EQ(table.at(500).choice->text(), "bcast/binomial");
  EXPECT_FALSE(table.at(500).is_shared);
  EXPECT_EQ(table.at(1000).choice->text(), "bcast/binomial");
  EXPECT_EQ(table.at(1001).choice->text(), "bcast/flat");
}

TEST(Settings, RulesOfTheSiteAreForProgramsThatLearnWithoutAProfile) {
  SettingsText text = with_site(with_algorithm("flat"));
  text.learn = "off";
  EXPECT_EQ(decided(Settings::parse(text, "openmpi"), Call::bcast, 4), "native");
  text.learn = "on";
  text.profile_path = "p.json";
  text.profile = profile_text;
  EXPECT_EQ(decided(Settings::parse(text, "openmpi"), Call::bcast, 4), "bcast/binomial");
  text.profile = "{";
  EXPECT_EQ(decided(Settings::parse(text, "openmpi"), Call::bcast, 4), "native");
}

TEST(Settings, AWrongSiteFileIsOneLine) {
  SettingsText unreadable = with_site("");
  unreadable.site_problem = "site.json: gone";
  std::string foreign = profile_text;
  foreign.replace(foreign.find("openmpi"), 7, "mpich");
  for (SettingsText const& text : {with_site(foreign), with_site("{"), with_site(""), unreadable}) {
    Settings const settings = Settings::parse(text, "openmpi");
    EXPECT_FALSE(settings.site);
    EXPECT_EQ(settings.memory_path, "memory.json") << "learning goes on";
    ASSERT_EQ(settings.warnings.size(), 1U);
    EXPECT_TRUE(settings.warnings[0].starts_with("rules of the site: site.json")) << text.site;
  }
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

TEST(Settings, ForceTakesNamesWithOrWithoutCollective) {
  Settings const settings = forced("allgather=bruck;bcast=bcast/k_nomial[k=4];allgatherv=native;");
  EXPECT_TRUE(settings.warnings.empty());
  EXPECT_EQ(decided(settings, Call::allgather, 5), "allgather/bruck");
  EXPECT_EQ(decided(settings, Call::bcast, 5), "bcast/k_nomial[k=4]");
  EXPECT_EQ(decided(settings, Call::allgatherv, 5), "native");
  EXPECT_TRUE(settings.may_choose(Call::bcast));
  EXPECT_TRUE(settings.has_choices());
  EXPECT_FALSE(settings.may_choose(Call::allgatherv));
  EXPECT_FALSE(settings.needs_nodes());
}

TEST(Settings, ForceServesAllgathervWithAlgorithmsOfAllgather) {
  EXPECT_EQ(decided(forced("allgatherv=ring"), Call::allgatherv, 5), "allgather/ring");
  EXPECT_EQ(decided(forced("allgatherv=allgather/ring"), Call::allgatherv, 5), "allgather/ring");
}

TEST(Settings, ForceHoldsForBothFormsUnlessTheNonblockingOneIsNamed) {
  Settings const settings = forced("allgather=ring;iallgather=bruck;bcast=binomial;iscan=native");
  EXPECT_TRUE(settings.warnings.empty());
  EXPECT_EQ(decided(settings, Call::allgather, 5), "allgather/ring");
  EXPECT_EQ(decided(settings, nonblocking(Call::allgather), 5), "allgather/bruck");
  EXPECT_EQ(decided(settings, nonblocking(Call::bcast), 5), "bcast/binomial");
  EXPECT_TRUE(settings.tells_forms_apart(Call::allgather));
  EXPECT_FALSE(settings.tells_forms_apart(Call::bcast));
  EXPECT_FALSE(settings.may_choose(nonblocking(Call::scan)));
}

TEST(Settings, ForceOfNonblockingCallsLeavesBlockingOnesAlone) {
  Settings const settings = forced("iallgather=bruck");
  EXPECT_FALSE(settings.may_choose(Call::allgather));
  EXPECT_TRUE(settings.may_choose(nonblocking(Call::allgather)));
  EXPECT_TRUE(settings.has_choices());
  EXPECT_FALSE(settings.needs_nodes());
}

TEST(Settings, ForceRefusesForNonblockingCallsWhatWaits) {
  Settings const settings = forced("iallgather=native[algorithm=ring]");
  std::vector<std::string> warnings;
  auto const table =
      decide(settings, nonblocking(Call::allgather), {.num_ranks = 4, .num_nodes = 1}, warnings);
  EXPECT_FALSE(table.chooses());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("in MPI_Iallgather"), std::string::npos) << warnings[0];
}

TEST(Settings, RulesOfTheProfileAreForOneForm) {
  std::string text = profile_text;
  text.replace(text.find("\"bcast\""), 7, "\"ibcast\"");
  Settings const settings = with_profile(text);
  EXPECT_TRUE(settings.warnings.empty());
  EXPECT_EQ(decided(settings, nonblocking(Call::bcast), 4), "bcast/binomial");
  EXPECT_EQ(decided(settings, Call::bcast, 4), "native");
  EXPECT_FALSE(settings.may_choose(Call::bcast));
  EXPECT_TRUE(settings.may_choose(nonblocking(Call::bcast)));
  EXPECT_TRUE(settings.tells_forms_apart(Call::bcast));
  EXPECT_TRUE(settings.has_choices());
  EXPECT_TRUE(settings.needs_nodes());
  EXPECT_EQ(decided(with_profile(profile_text), nonblocking(Call::bcast), 4), "bcast/binomial");
}

TEST(Settings, CommasBetweenPairsAreTold) {
  for (std::string const force :
       {"allgather=ring,allreduce=recursive_doubling", "bcast=k_nomial[k=4,segments=2],bcast=flat"
       }) {
    Settings const settings = forced(force);
    EXPECT_EQ(
        settings.warnings,
        std::vector<std::string>{
            "ESPALIER_FORCE: expected call=algorithm pairs separated by ';' as in "
            "allgather=bruck;bcast=native, got '" +
            force + "'; ignoring this entry"
        }
    );
    EXPECT_EQ(decided(settings, Call::allgather, 5), "native");
  }
}

TEST(Settings, CommasInBracketsSeparateArguments) {
  Settings const settings = forced("bcast=k_nomial[k=4,segments=2];allgather=ring");
  EXPECT_TRUE(settings.warnings.empty());
  EXPECT_EQ(decided(settings, Call::bcast, 5), "bcast/k_nomial[k=4,segments=2]");
}

TEST(Settings, UnknownNamesInForceWarnAndStayNative) {
  Settings const settings = forced("allgather=rung;jalltoall=ring;bcast;allgatherv=ring");
  ASSERT_EQ(settings.warnings.size(), 3U);
  EXPECT_NE(settings.warnings[0].find("got 'rung'"), std::string::npos);
  EXPECT_NE(settings.warnings[1].find("got 'jalltoall'"), std::string::npos);
  EXPECT_NE(settings.warnings[2].find("got 'bcast'"), std::string::npos);
  EXPECT_EQ(decided(settings, Call::allgather, 4), "native");
  EXPECT_EQ(decided(settings, Call::bcast, 4), "native");
  EXPECT_EQ(decided(settings, Call::allgatherv, 4), "allgather/ring");
}

TEST(Settings, AForcedChoiceThatRefusesTheRanksWarnsAndStaysNative) {
  Settings const settings = forced("allgather=recursive_doubling");
  std::vector<std::string> warnings;
  auto const table = decide(settings, Call::allgather, {.num_ranks = 5, .num_nodes = 1}, warnings);
  EXPECT_FALSE(table.chooses());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(
      warnings[0],
      "ESPALIER_FORCE: allgather/recursive_doubling does not accept 5 ranks in MPI_Allgather: "
      "needs a power of two "
      "of ranks, got 5; using the native call on such communicators"
  );
  EXPECT_EQ(decided(settings, Call::allgather, 8), "allgather/recursive_doubling");
}

TEST(Settings, ForceOverridesTheProfile) {
  SettingsText const text{.force = "bcast=flat", .profile_path = "p.json", .profile = profile_text};
  EXPECT_EQ(decided(Settings::parse(text, "openmpi"), Call::bcast, 4), "bcast/flat");
  EXPECT_EQ(decided(with_profile(profile_text), Call::bcast, 4), "bcast/binomial");
  EXPECT_EQ(decided(with_profile(profile_text), Call::allgather, 4), "native");
  EXPECT_TRUE(with_profile(profile_text).needs_nodes());
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

TEST(Settings, ForceNamesAlgorithmsOfNeighborhoods) {
  Settings const settings = forced("neighbor_alltoall=combining;neighbor_allgather=native");
  EXPECT_TRUE(settings.may_choose(NeighborCall::alltoall));
  EXPECT_FALSE(settings.may_choose(NeighborCall::allgather));
  EXPECT_FALSE(settings.may_choose(NeighborCall::alltoallv));
  EXPECT_TRUE(settings.has_choices());
  EXPECT_FALSE(settings.needs_nodes());
}

TEST(Settings, ForceOfANeighborhoodHoldsForItsNonblockingFormToo) {
  auto const started = [](NeighborCall call) {
    return NeighborForm{.call = call, .form = profile::Form::nonblocking};
  };
  Settings const settings =
      forced("neighbor_alltoall=combining;ineighbor_alltoall=native;neighbor_allgather=direct;"
             "ineighbor_alltoallw=direct;ineighbor_alltoallv=combining");
  EXPECT_TRUE(settings.may_choose(NeighborCall::alltoall));
  EXPECT_FALSE(settings.may_choose(started(NeighborCall::alltoall)));
  EXPECT_TRUE(settings.may_choose(started(NeighborCall::allgather)));
  EXPECT_FALSE(settings.may_choose(NeighborCall::alltoallw));
  EXPECT_TRUE(settings.may_choose(started(NeighborCall::alltoallw)));
  EXPECT_EQ(settings.forced_for(started(NeighborCall::allgatherv)), nullptr);
  EXPECT_TRUE(settings.has_choices());
  EXPECT_TRUE(settings.may_choose_any());
  EXPECT_FALSE(forced("ineighbor_alltoall=native;bcast=native").may_choose_any());
  EXPECT_TRUE(forced("ineighbor_alltoall=direct").may_choose_any());
  EXPECT_EQ(forced("ineighbor_bcast=direct").warnings.size(), 1U);
}

TEST(Settings, NeighborhoodsFollowRulesAndLearn) {
  std::string const text =
      R"({"schema": "espalier-profile", "version": 1, "mpi": {"vendor": "openmpi"}, "rules": [
          {"collective": "neighbor_alltoall", "num_ranks": 4, "num_nodes": 1, "min_bytes": 0,
           "max_bytes": null, "topology": "grid", "max_neighbors": 4,
           "algorithm": "neighbor_alltoall/direct", "reason": "measured"}]})";
  Settings const ruled = with_profile(text);
  EXPECT_EQ(ruled.warnings.size(), 0U);
  EXPECT_TRUE(ruled.may_choose(NeighborCall::alltoall));
  EXPECT_FALSE(ruled.may_choose(NeighborCall::allgather));
  EXPECT_TRUE(ruled.has_choices());
  EXPECT_TRUE(ruled.needs_nodes());
  EXPECT_EQ(complaint_about_shape(ruled, {.num_ranks = 4, .num_nodes = 1}), std::nullopt);

  Settings const learning =
      Settings::parse({.force = "neighbor_allgather=native", .learn = "on"}, "openmpi");
  EXPECT_TRUE(learning.may_choose(NeighborCall::alltoall));
  EXPECT_FALSE(learning.may_choose(NeighborCall::allgather));
  EXPECT_FALSE(learning.has_choices());
}

}  // namespace
}  // namespace espalier::plan
