// SPDX-License-Identifier: Apache-2.0
/// Algorithms that a user names, by ESPALIER_FORCE or in a profile.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/plan/settings/settings.hpp"
#include "espalier/plan/settings/settings_text.hpp"
#include "tests/unit/plan/settings.hpp"

namespace espalier::plan {
namespace {

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
  EXPECT_TRUE(settings.tells_apart(nonblocking(Call::allgather)));
  EXPECT_FALSE(settings.tells_apart(nonblocking(Call::bcast)));
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

TEST(Settings, ForceOfPersistentCallsComesBeforeThatOfOtherForms) {
  Settings const settings = forced("allgather=ring;iallgather=bruck;allgather_init=sparbit");
  EXPECT_TRUE(settings.warnings.empty());
  EXPECT_EQ(decided(settings, persistent(Call::allgather), 5), "allgather/sparbit");
  EXPECT_EQ(decided(settings, nonblocking(Call::allgather), 5), "allgather/bruck");
  EXPECT_EQ(decided(settings, Call::allgather, 5), "allgather/ring");
  EXPECT_EQ(decided(forced("ibcast=binomial"), persistent(Call::bcast), 5), "bcast/binomial");
  EXPECT_TRUE(settings.tells_apart(persistent(Call::allgather)));
  EXPECT_FALSE(settings.tells_apart(persistent(Call::bcast)));
}

/// Ranks agree on sizes when they make a persistent request, and at no other time.
TEST(Settings, ForceServesPersistentCallsOfUnknownSizesByAlgorithmsThatForward) {
  for (std::string const text : {"alltoallv=bruck", "ialltoallv=bruck", "alltoallv_init=bruck"}) {
    Settings const settings = forced(text);
    EXPECT_EQ(decided(settings, persistent(Call::alltoallv), 5), "alltoall/bruck") << text;
    EXPECT_EQ(decided(settings, nonblocking(Call::alltoallv), 5), "native") << text;
    EXPECT_EQ(decided(settings, Call::alltoallv, 5), "native") << text;
    EXPECT_TRUE(settings.tells_apart(persistent(Call::alltoallv)));
  }
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
  EXPECT_TRUE(settings.tells_apart(nonblocking(Call::bcast)));
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

TEST(Settings, ForceNamesAlgorithmsOfNeighborhoods) {
  Settings const settings = forced("neighbor_alltoall=combining;neighbor_allgather=native");
  EXPECT_TRUE(settings.may_choose(blocking(NeighborCall::alltoall)));
  EXPECT_FALSE(settings.may_choose(blocking(NeighborCall::allgather)));
  EXPECT_FALSE(settings.may_choose(blocking(NeighborCall::alltoallv)));
  EXPECT_TRUE(settings.has_choices());
  EXPECT_FALSE(settings.needs_nodes());
}

TEST(Settings, ForceOfANeighborhoodHoldsForItsNonblockingFormToo) {
  Settings const settings =
      forced("neighbor_alltoall=combining;ineighbor_alltoall=native;neighbor_allgather=direct;"
             "ineighbor_alltoallw=direct;ineighbor_alltoallv=combining");
  EXPECT_TRUE(settings.may_choose(blocking(NeighborCall::alltoall)));
  EXPECT_FALSE(settings.may_choose(nonblocking(NeighborCall::alltoall)));
  EXPECT_TRUE(settings.may_choose(nonblocking(NeighborCall::allgather)));
  EXPECT_FALSE(settings.may_choose(blocking(NeighborCall::alltoallw)));
  EXPECT_TRUE(settings.may_choose(nonblocking(NeighborCall::alltoallw)));
  EXPECT_EQ(settings.forced_for(nonblocking(NeighborCall::allgatherv)), nullptr);
  EXPECT_TRUE(settings.has_choices());
  EXPECT_TRUE(settings.may_choose_any());
  EXPECT_FALSE(forced("ineighbor_alltoall=native;bcast=native").may_choose_any());
  EXPECT_TRUE(forced("ineighbor_alltoall=direct").may_choose_any());
}

TEST(Settings, ComplaintsOfForceSayWhatWasWritten) {
  auto const complaint = [](char const* text) {
    Settings const settings = forced(text);
    return settings.warnings.empty() ? std::string() : settings.warnings.front();
  };
  EXPECT_EQ(
      complaint("ineighbor_alltoallv=foo"),
      "ESPALIER_FORCE: ineighbor_alltoallv: expected an algorithm of neighbor_alltoall (direct, "
      "combining, node_aware), got 'foo'; ignoring this entry"
  );
  std::string const unknown = complaint("ineighbor_bcast=direct");
  EXPECT_NE(unknown.find("allgatherv"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("neighbor_alltoallw"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("got 'ineighbor_bcast'"), std::string::npos) << unknown;
}

TEST(Settings, NeighborhoodsFollowRulesAndLearn) {
  std::string const text =
      R"({"schema": "espalier-profile", "version": 1, "mpi": {"vendor": "openmpi"}, "rules": [
          {"collective": "neighbor_alltoall", "num_ranks": 4, "num_nodes": 1, "min_bytes": 0,
           "max_bytes": null, "topology": "grid", "max_neighbors": 4,
           "algorithm": "neighbor_alltoall/direct", "reason": "measured"}]})";
  Settings const ruled = with_profile(text);
  EXPECT_EQ(ruled.warnings.size(), 0U);
  EXPECT_TRUE(ruled.may_choose(blocking(NeighborCall::alltoall)));
  EXPECT_FALSE(ruled.may_choose(blocking(NeighborCall::allgather)));
  EXPECT_TRUE(ruled.has_choices());
  EXPECT_TRUE(ruled.needs_nodes());
  EXPECT_EQ(complaint_about_shape(ruled, {.num_ranks = 4, .num_nodes = 1}), std::nullopt);

  Settings const learning =
      Settings::parse({.force = "neighbor_allgather=native", .learn = "on"}, "openmpi");
  EXPECT_TRUE(learning.may_choose(blocking(NeighborCall::alltoall)));
  EXPECT_FALSE(learning.may_choose(blocking(NeighborCall::allgather)));
  EXPECT_FALSE(learning.has_choices());
}

}  // namespace
}  // namespace espalier::plan
