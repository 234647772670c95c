// SPDX-License-Identifier: Apache-2.0
/// What is learned, by whom, and what rests.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/plan/learning/learned.hpp"
#include "espalier/plan/learning/programs.hpp"
#include "espalier/plan/settings/settings.hpp"
#include "espalier/plan/settings/settings_text.hpp"
#include "tests/unit/plan/settings.hpp"

namespace espalier::plan {
namespace {

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
  memory["rules"] = nlohmann::json::array({calls});
  memory["rules"][0]["algorithm"] = algorithm;
  memory["trials"] = nlohmann::json::array({calls});
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

TEST(Settings, WhatALaterVersionLearnedIsLeftOut) {
  auto memory = nlohmann::json::parse(profile_text);
  memory["rules"].push_back(memory["rules"][0]);
  memory["rules"][0]["num_ranks"] = 8;
  memory["rules"][0]["algorithm"] = "bcast/carrier_pigeon";
  Settings const settings = learning("on", memory);
  EXPECT_TRUE(settings.warnings.empty());
  EXPECT_EQ(settings.memory_path, "memory.json");
  EXPECT_EQ(decided(settings, Call::bcast, 4), "bcast/binomial");
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
  EXPECT_EQ(table.at(1000).source, profile::Source::site);
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
  EXPECT_EQ(table.at(500).source, profile::Source::memory);
  EXPECT_EQ(table.at(1000).choice->text(), "bcast/binomial");
  EXPECT_EQ(table.at(1001).choice->text(), "bcast/flat");
}

TEST(Settings, RulesOfTheSiteMayNameAlgorithmsOfTheLibrary) {
  std::string const name = "native[algorithm=binomial]";
  Settings const settings = Settings::parse(with_site(with_algorithm(name)), "openmpi");
  std::vector<WantedNative> const wanted = settings.wanted_native();
  ASSERT_EQ(wanted.size(), 1);
  EXPECT_EQ(wanted[0].call, Call::bcast);
  EXPECT_EQ(wanted[0].choice.text(), "bcast/" + name);
}

TEST(Settings, RulesOfTheSiteAreForProgramsThatLearn) {
  SettingsText text = with_site(with_algorithm("flat"));
  text.learn = "off";
  EXPECT_EQ(decided(Settings::parse(text, "openmpi"), Call::bcast, 4), "native");
}

TEST(Settings, WhatWasLearnedServesWhereTheProfileHasNoRule) {
  auto of_profile = nlohmann::json::parse(profile_text);
  of_profile["rules"][0]["max_bytes"] = 999;
  auto own = nlohmann::json::parse(with_algorithm("chain"));
  own["rules"][0]["min_bytes"] = 500;
  own["rules"][0]["max_bytes"] = 1999;
  SettingsText text = with_site(with_algorithm("flat"), own);
  text.profile_path = "p.json";
  text.profile = of_profile.dump();
  std::vector<std::string> warnings;
  Settings const settings = Settings::parse(text, "openmpi");
  auto const table = decide(settings, Call::bcast, {.num_ranks = 4, .num_nodes = 1}, warnings);
  EXPECT_EQ(table.at(999).reason, "profile rule 0: measured");
  EXPECT_EQ(table.at(1000).reason, "rule of the memory: measured");
  EXPECT_EQ(table.at(1000).choice->text(), "bcast/chain");
  EXPECT_EQ(table.at(2000).reason, "rule of the site: measured");
}

TEST(Settings, ABrokenProfileLeavesCallsNative) {
  SettingsText text = with_site(with_algorithm("flat"));
  text.profile_path = "p.json";
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

}  // namespace
}  // namespace espalier::plan
