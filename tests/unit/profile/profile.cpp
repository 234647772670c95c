// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/profile.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::profile {
namespace {

std::string profile_with(std::string const& rules) {
  return R"({"schema": "espalier-profile", "version": 1, "created": "2026-11-21T22:00:00Z",
             "mpi": {"vendor": "openmpi", "version": "4.1.4"}, "rules": [)" +
         rules + "]}";
}

std::string rule(std::string const& min_bytes, std::string const& max_bytes) {
  return R"({"collective": "allgather", "num_ranks": 4, "num_nodes": 1, "min_bytes": )" +
         min_bytes + R"(, "max_bytes": )" + max_bytes +
         R"(, "algorithm": "allgather/ring", "reason": "r"})";
}

/// Text of the complaint about a profile, "" if there is none.
std::string complaint(std::string const& text) {
  try {
    static_cast<void>(Profile::parse(text, "p.json"));
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::format);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, std::string const& from, std::string const& to) {
  std::size_t const position = text.find(from);
  EXPECT_NE(position, std::string::npos) << from;
  return text.replace(position, from.size(), to);
}

TEST(Profile, ReadsRules) {
  Profile const profile = Profile::parse(
      profile_with(
          rule("0", "4095") + "," + rule("4096", "null") +
          R"(,{"collective": "bcast", "num_ranks": 8, "num_nodes": 2, "min_bytes": 0,
               "max_bytes": null, "algorithm": "native", "reason": "nothing better",
               "evidence": []})"
      ),
      "p.json"
  );
  ASSERT_EQ(profile.rules().size(), 3U);
  EXPECT_EQ(profile.vendor(), "openmpi");
  EXPECT_EQ(profile.rules()[0].max_bytes, 4095);
  EXPECT_EQ(profile.rules()[0].choice->text(), "allgather/ring");
  EXPECT_EQ(profile.rules()[1].min_bytes, 4096);
  EXPECT_EQ(profile.rules()[1].max_bytes, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(profile.rules()[2].call, Call::bcast);
  EXPECT_EQ(profile.rules()[2].shape, (Shape{.num_ranks = 8, .num_nodes = 2}));
  EXPECT_FALSE(profile.rules()[2].choice);
}

TEST(Profile, AllgathervUsesAlgorithmsOfAllgather) {
  std::string const text =
      replaced(profile_with(rule("0", "null")), "\"allgather\"", "\"allgatherv\"");
  EXPECT_EQ(Profile::parse(text, "p.json").rules()[0].call, Call::allgatherv);
}

TEST(Profile, RefusesWhatIsNotJson) {
  EXPECT_EQ(complaint(""), "p.json: expected JSON, got something else near byte 1 of 0");
  EXPECT_NE(complaint(profile_with("").substr(0, 40)), "");
  EXPECT_NE(complaint(std::string(1000, '\0')), "");
}

TEST(Profile, RefusesOtherSchemas) {
  std::string const text = replaced(profile_with(""), "espalier-profile", "espalier-samples");
  EXPECT_EQ(
      complaint(text),
      "p.json: schema: expected \"espalier-profile\" (a file written by espalier tune), got "
      "\"espalier-samples\""
  );
  EXPECT_NE(complaint("[1, 2]"), "");
  EXPECT_NE(complaint("{}"), "");
}

TEST(Profile, RefusesNewerVersions) {
  std::string const text = replaced(profile_with(""), "\"version\": 1", "\"version\": 2");
  EXPECT_EQ(
      complaint(text),
      "p.json: version: expected at most 1 (use a newer espalier, or tune again with this one), "
      "got 2"
  );
}

TEST(Profile, RefusesUnknownAlgorithmsAndCollectives) {
  std::string const good = profile_with(rule("0", "null"));
  EXPECT_NE(complaint(replaced(good, "allgather/ring", "allgather/rung")).find("'rung'"), -1UL);
  EXPECT_NE(complaint(replaced(good, "allgather/ring", "ring")), "");
  EXPECT_NE(complaint(replaced(good, "allgather/ring", "allgather/ring[k=0]")), "");
  EXPECT_NE(complaint(replaced(good, "\"allgather\"", "\"alltoallx\"")).find("allgatherv"), -1UL);
  EXPECT_EQ(
      complaint(replaced(good, "allgather/ring", "bcast/binomial")),
      "p.json: rules[0]: algorithm: expected an algorithm for allgather, got \"bcast/binomial\""
  );
}

TEST(Profile, RefusesAlgorithmsThatDoNotAcceptTheRanksOfTheRule) {
  std::string text = replaced(profile_with(rule("0", "null")), "ring", "recursive_doubling");
  EXPECT_EQ(complaint(text), "");
  text = replaced(text, "\"num_ranks\": 4", "\"num_ranks\": 5");
  EXPECT_NE(complaint(text).find("accepts 5 ranks"), std::string::npos) << complaint(text);
}

TEST(Profile, RefusesAlgorithmsThatCannotServeTheCall) {
  std::string const bruck =
      replaced(profile_with(rule("0", "null")), "allgather/ring", "alltoall/bruck");
  EXPECT_EQ(complaint(replaced(bruck, "\"allgather\"", "\"alltoall\"")), "");
  std::string const text = complaint(replaced(bruck, "\"allgather\"", "\"alltoallv\""));
  EXPECT_NE(text.find("needs blocks of one size"), std::string::npos) << text;
}

TEST(Profile, RulesForNonblockingCallsHaveTheNameOfMpi) {
  std::string const both =
      rule("0", "null") + "," + replaced(rule("0", "null"), "\"allgather\"", "\"iallgather\"");
  Profile const profile = Profile::parse(profile_with(both), "p.json");
  ASSERT_EQ(profile.rules().size(), 2U);
  EXPECT_EQ(profile.rules()[0].form, Form::blocking);
  EXPECT_EQ(profile.rules()[1].form, Form::nonblocking);
  EXPECT_EQ(profile.rules()[1].call, Call::allgather);
  std::string const waits = replaced(both, "allgather/ring", "allgather/native[algorithm=ring]");
  EXPECT_EQ(complaint(profile_with(waits)), "") << "only the first one was replaced";
  std::string const alone = replaced(rule("0", "null"), "\"allgather\"", "\"iallgather\"");
  std::string const text =
      complaint(profile_with(replaced(alone, "allgather/ring", "allgather/native[algorithm=ring]"))
      );
  EXPECT_NE(text.find("accepts 4 ranks in MPI_Iallgather"), std::string::npos) << text;
}

TEST(Profile, RefusesLimitsWhereNobodyKnowsTheSize) {
  std::string const flat =
      replaced(profile_with(rule("0", "null")), "allgather/ring", "gather/flat");
  std::string const gatherv = replaced(flat, "\"allgather\"", "\"gatherv\"");
  EXPECT_EQ(complaint(gatherv), "");
  EXPECT_NE(complaint(replaced(gatherv, "\"max_bytes\": null", "\"max_bytes\": 10")), "");
  EXPECT_NE(complaint(replaced(gatherv, "\"min_bytes\": 0", "\"min_bytes\": 1")), "");
  std::string const planned = replaced(gatherv, "\"gatherv\"", "\"gatherv_init\"");
  EXPECT_EQ(complaint(replaced(planned, "\"max_bytes\": null", "\"max_bytes\": 10")), "");
  EXPECT_EQ(complaint(replaced(planned, "gather/flat", "gather/binomial")), "");
}

TEST(Profile, RefusesOverlappingIntervals) {
  EXPECT_EQ(
      complaint(profile_with(rule("0", "4096") + "," + rule("4096", "null"))),
      "p.json: rules[1]: min_bytes: expected sizes that no other rule of the shape covers, got "
      "4096, which rules[0] covers too"
  );
  EXPECT_NE(complaint(profile_with(rule("10", "20") + "," + rule("0", "null"))), "");
  EXPECT_EQ(complaint(profile_with(rule("10", "20") + "," + rule("0", "9"))), "");
}

std::string placed(std::string const& placement) {
  std::string text = rule("0", "null");
  text.replace(text.find("\"num_ranks\": 4"), 14, "\"num_ranks\": 8");
  text.replace(text.find("\"num_nodes\": 1"), 14, "\"num_nodes\": 2");
  return placement.empty()
             ? text
             : text.replace(text.rfind('}'), 1, ", \"placement\": " + placement + "}");
}

TEST(Profile, RulesMayNameAPlacement) {
  Profile const profile = Profile::parse(
      profile_with(placed("") + "," + placed("\"block\"") + "," + placed("\"cyclic\"")), "p.json"
  );
  EXPECT_EQ(profile.rules()[0].shape.placement, Placement::any);
  EXPECT_EQ(profile.rules()[1].shape.placement, Placement::block);
  EXPECT_EQ(profile.rules()[2].shape.placement, Placement::cyclic);
  EXPECT_EQ(
      complaint(profile_with(placed("\"round\""))),
      "p.json: rules[0]: placement: expected block, cyclic or other, got \"round\""
  );
  EXPECT_NE(complaint(profile_with(placed("\"block\"") + "," + placed("\"block\""))), "");
}

TEST(Profile, RefusesNumbersOutOfRange) {
  EXPECT_NE(complaint(profile_with(rule("-1", "null"))), "");
  EXPECT_EQ(
      complaint(profile_with(rule("10", "9"))),
      "p.json: rules[0]: max_bytes: expected an integer of at least 10, got 9"
  );
  EXPECT_NE(complaint(profile_with(rule("0.5", "null"))), "");
  EXPECT_NE(complaint(profile_with(rule("\"0\"", "null"))), "");
  EXPECT_NE(complaint(profile_with(rule("0", "18446744073709551615"))), "");
  std::string const good = profile_with(rule("0", "null"));
  EXPECT_NE(complaint(replaced(good, "\"num_ranks\": 4", "\"num_ranks\": 0")), "");
  EXPECT_NE(complaint(replaced(good, "\"num_ranks\": 4", "\"num_ranks\": 3000000000")), "");
  EXPECT_NE(complaint(replaced(good, "\"num_nodes\": 1", "\"num_nodes\": 5")), "");
}

TEST(Profile, RefusesMissingMembers) {
  std::string const good = profile_with(rule("0", "null"));
  for (std::string const member :
       {"collective", "num_ranks", "num_nodes", "min_bytes", "max_bytes", "algorithm", "reason"}) {
    std::string const text = replaced(good, "\"" + member + "\":", "\"other\":");
    EXPECT_NE(complaint(text).find("'" + member + "'"), std::string::npos) << complaint(text);
  }
  EXPECT_NE(complaint(replaced(good, "\"vendor\"", "\"seller\"")), "");
}

TEST(Profile, SaysWhyAFileCannotBeRead) {
  try {
    static_cast<void>(Profile::read("/nowhere/profile.json"));
    FAIL() << "expected an error";
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_EQ(
        std::string(error.what()),
        "/nowhere/profile.json: expected a readable file, got 'No such file or directory'"
    );
  }
  EXPECT_THROW(static_cast<void>(Profile::read("/")), Error);
}

/// A rule for a neighborhood collective, with some of its members.
std::string neighbor_rule(std::string const& members, std::string const& call = "alltoall") {
  return R"({"collective": "neighbor_)" + call +
         R"(", "num_ranks": 8, "num_nodes": 2, "min_bytes": 0, "max_bytes": null, "reason": "r", )" +
         members + "}";
}

TEST(Profile, ReadsRulesForNeighborhoods) {
  Profile const profile = Profile::parse(
      profile_with(
          neighbor_rule(
              R"("topology": "grid", "max_neighbors": 4, "algorithm": "neighbor_alltoall/combining")"
          ) +
          "," + neighbor_rule(R"("topology": "graph", "max_neighbors": 16, "algorithm": "native")")
      ),
      "p.json"
  );
  ASSERT_EQ(profile.rules().size(), 2U);
  Rule const& grid = profile.rules()[0];
  EXPECT_EQ(grid.call, Call::neighbor_alltoall);
  EXPECT_EQ(grid.shape.text(), "8 ranks on 2 nodes, grid of up to 4 neighbours");
  ASSERT_NE(grid.neighbors, nullptr);
  EXPECT_EQ(grid.neighbors->name, "combining");
  EXPECT_FALSE(grid.is_native());
  EXPECT_TRUE(profile.rules()[1].is_native());
}

TEST(Profile, ComplainsAboutRulesForNeighborhoods) {
  struct Case {
    std::string rule;
    std::string part;
  };

  std::string const grid = R"("topology": "grid", "max_neighbors": 4, )";
  std::string const direct = R"("algorithm": "neighbor_alltoall/direct")";
  std::vector<Case> const cases{
      {neighbor_rule(direct), "topology"},
      {neighbor_rule(R"("topology": "torus", "max_neighbors": 4, )" + direct), "grid, graph or"},
      {neighbor_rule(R"("topology": "grid", )" + direct), "max_neighbors"},
      {neighbor_rule(R"("topology": "grid", "max_neighbors": 6, )" + direct), "a power of two"},
      {neighbor_rule(grid + R"("algorithm": "neighbor_allgather/direct")"), "neighbor_alltoall"},
      {neighbor_rule(grid + R"("algorithm": "alltoall/bruck")"), "an algorithm of this version"},
      {neighbor_rule(grid + R"("algorithm": "neighbor_alltoall/combining")", "alltoallv"),
       "whose sizes only their ends know"},
      {replaced(
           neighbor_rule(R"("topology": "disconnected", "max_neighbors": 4, )" + direct),
           R"("min_bytes": 0)",
           R"("min_bytes": 8)"
       ),
       "min_bytes 0 and max_bytes null"},
      {replaced(rule("0", "null"), R"("num_nodes": 1)", R"("num_nodes": 1, "max_neighbors": 4)"),
       "neighborhood collectives only"},
  };
  for (Case const& one : cases) {
    std::string const found = complaint(profile_with(one.rule));
    EXPECT_NE(found.find(one.part), std::string::npos) << one.rule << " -> '" << found << "'";
  }
}

}  // namespace
}  // namespace espalier::profile
