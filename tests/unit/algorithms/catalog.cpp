// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/catalog.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::algorithms {
namespace {

template <typename Function> std::pair<ErrorCode, std::string> error_of(Function&& function) {
  try {
    static_cast<void>(function());
  } catch (Error const& error) {
    return {error.code(), error.what()};
  }
  return {ErrorCode::mpi, "accepted"};
}

std::string parse_error(std::string_view text) {
  auto const [code, what] = error_of([&] { return Choice::parse(text); });
  EXPECT_EQ(code, ErrorCode::argument);
  return what;
}

TEST(Catalog, DescribesEveryAlgorithm) {
  std::set<std::string> names;
  for (Algorithm const* algorithm : catalog()) {
    std::string const name =
        std::string(to_string(algorithm->collective)) + "/" + std::string(algorithm->name);
    EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
    EXPECT_FALSE(algorithm->summary.empty()) << name;
    EXPECT_FALSE(algorithm->source.empty()) << name;
    EXPECT_NE(algorithm->summary.back(), '.') << name;
    EXPECT_NE(algorithm->generate, nullptr) << name;
    EXPECT_NE(algorithm->facts, nullptr) << name;
    EXPECT_EQ(&find(algorithm->collective, algorithm->name), algorithm);
    EXPECT_FALSE(variants(algorithm->collective, 8).empty());
    for (Parameter const& parameter : algorithm->parameters) {
      EXPECT_FALSE(parameter.description.empty()) << name;
    }
  }
  EXPECT_GE(names.size(), 13U);
}

TEST(Catalog, KeepsAlgorithmsInTheFolderOfTheirCollective) {
  for (Algorithm const* algorithm : catalog()) {
    EXPECT_EQ(to_string(algorithm->collective), algorithm->name.folder())
        << "in " << algorithm->name << ".cpp: set .collective to that of the folder";
  }
}

TEST(Catalog, ParametersTakeTheirFallbackAsArgument) {
  for (Algorithm const* algorithm : catalog()) {
    for (Parameter const& parameter : algorithm->parameters) {
      if (parameter.fallback.empty()) {
        continue;
      }
      std::string const text = std::string(algorithm->name) + "[" + std::string(parameter.name) +
                               "=" + std::string(parameter.fallback) + "]";
      Choice const given = Choice::parse(algorithm->collective, text);
      Choice const left_out = Choice::parse(algorithm->collective, algorithm->name);
      for (int const p : {1, 2, 8}) {
        EXPECT_EQ(given.generate(p, 0, p - 1), left_out.generate(p, 0, p - 1)) << text;
      }
    }
  }
}

TEST(Choice, IsTheSameAfterWritingAndParsing) {
  for (Collective const collective : {Collective::allgather, Collective::bcast}) {
    for (int const p : {1, 2, 3, 7, 8, 24, 61, 127, 1000}) {
      for (Choice const& choice : variants(collective, p)) {
        EXPECT_EQ(Choice::parse(choice.text()), choice) << choice.text();
        EXPECT_EQ(choice.collective(), collective);
      }
    }
  }
}

TEST(Choice, HasOneTextForEqualArguments) {
  EXPECT_EQ(
      Choice::parse("bcast/k_nomial[segments=04,k=3]").text(), "bcast/k_nomial[k=3,segments=4]"
  );
  EXPECT_EQ(
      Choice::parse("allgather/orthogonal[inner=sparbit[batch=02],rows=4x02]").text(),
      "allgather/orthogonal[rows=4x2,inner=sparbit[batch=2]]"
  );
  EXPECT_EQ(
      Choice::parse(Collective::bcast, "scatter_allgather[allgather=sparbit[batch=0]]").text(),
      "bcast/scatter_allgather[allgather=sparbit[batch=0]]"
  );
}

TEST(Choice, SaysWhatIsValidWhenANameIsUnknown) {
  EXPECT_EQ(
      parse_error("ring"),
      "expected collective/algorithm[arguments] as in allgather/ring, got 'ring'"
  );
  EXPECT_EQ(
      parse_error("allgatherv/ring"),
      "expected a collective (barrier, bcast, scatter, gather, reduce, allreduce, reduce_scatter, "
      "scan, exscan, allgather, alltoall), got 'allgatherv'"
  );
  for (Collective const collective : {Collective::allgather, Collective::bcast}) {
    std::string names;
    for (Algorithm const* algorithm : catalog()) {
      if (algorithm->collective == collective) {
        names += (names.empty() ? "" : ", ") + std::string(algorithm->name);
      }
    }
    std::string const name(to_string(collective));
    EXPECT_EQ(
        parse_error(name + "/rinj[k=2]"),
        "expected an algorithm for " + name + " (" + names + "), got 'rinj'"
    );
  }
}

TEST(Choice, SaysWhatIsValidWhenAnArgumentIsWrong) {
  std::vector<std::pair<std::string, std::string>> const cases{
      {"allgather/ring[k=2]", "allgather/ring takes dealt, shared_memory, got 'k'"},
      {"allgather/ring[segments=2]", "allgather/ring takes dealt, shared_memory, got 'segments'"},
      {"allgather/sparbit[k=2]", "allgather/sparbit takes batch, dealt, shared_memory, got 'k'"},
      {"bcast/k_nomial[batch=2]",
       "bcast/k_nomial takes k, segments, burst, dealt, shared_memory, got 'batch'"},
      {"bcast/k_nomial[k=1]", "k must be at least 2, got 1"},
      {"bcast/k_nomial[k=two]", "k must be an integer below 2^31, got 'two'"},
      {"allgather/sparbit[batch=-1]", "batch must be at least 0, got -1"},
      {"bcast/chain[segments=0]", "segments must be at least 1, got 0"},
      {"bcast/chain[segments=65537]", "segments must be at most 65536, got 65537"},
      {"bcast/two_tree[pieces=65537]", "pieces must be at most 65536, got 65537"},
      {"bcast/circulant[pieces=65537]", "pieces must be at most 65536, got 65537"},
      {"reduce/two_tree[pieces=2147483647]", "pieces must be at most 65536, got 2147483647"},
      {"reduce/circulant[pieces=65537]", "pieces must be at most 65536, got 65537"},
      {"allgather/ring[shared_memory=2]", "shared_memory must be at most 1, got 2"},
      {"allgather/orthogonal[inner=ring[shared_memory=1]]",
       "shared_memory is said of all phases at once, got it in inner=ring[shared_memory=1]"},
      {"allgather/orthogonal[inner=native,shared_memory=1]",
       "shared_memory is not for phases of the MPI library, got inner=native"},
      {"gather/multi_lane[join=orthogonal[inner=native]]",
       "native must be a phase of the outermost algorithm, got it in join=orthogonal[inner=native]"
      },
      {"allgather/orthogonal[rows=4x0]", "rows must be at least 1, got 0"},
      {"allgather/orthogonal[inner=ring[k=2]]", "allgather/ring takes dealt, shared_memory, got 'k'"
      },
  };
  for (auto const& [text, error] : cases) {
    EXPECT_EQ(parse_error(text), error) << text;
  }
  // An algorithm as argument belongs to the collective of the parameter.
  EXPECT_NE(
      parse_error("allgather/orthogonal[inner=binomial]").find("for allgather"), std::string::npos
  );
  EXPECT_NE(
      parse_error("bcast/scatter_allgather[allgather=binomial]").find("for allgather"),
      std::string::npos
  );
}

TEST(Choice, RefusesWithTheReason) {
  std::vector<std::tuple<std::string, int, std::string>> const cases{
      {"allgather/neighbor_exchange", 7, "needs an even number of ranks, got 7"},
      {"allgather/recursive_doubling", 6, "needs a power of two of ranks, got 6"},
      {"allgather/ring", 0, "num_ranks must be at least 1, got 0"},
      {"alltoall/bruck", 46341, "needs at most 46340 ranks, got 46341"},
      {"allgather/orthogonal[rows=8]",
       7,
       "rows=8 needs a rank in every row, got 7 ranks; use fewer rows"},
      {"bcast/orthogonal[rows=4x2]",
       7,
       "rows=4x2 needs a rank in every row, got 7 ranks; use fewer rows"},
      {"allgather/orthogonal[rows=2,inner=neighbor_exchange]",
       10,
       "inner=neighbor_exchange needs an even number of ranks, got 5"},
      {"allgather/orthogonal[rows=3,across=recursive_doubling]",
       6,
       "across=recursive_doubling needs a power of two of ranks, got 3"},
      {"allgather/orthogonal[inner=orthogonal]",
       8,
       "inner=orthogonal cannot be nested; give more rows instead, as in rows=4x2"},
      {"bcast/orthogonal[inner=chain[segments=2]]",
       8,
       "inner=chain cannot be segmented by itself; give segments to orthogonal"},
      {"bcast/orthogonal[inner=scatter_allgather,segments=2]",
       8,
       "cannot be cut into segments with these arguments, got segments=2"},
      {"bcast/scatter_allgather[allgather=neighbor_exchange]",
       5,
       "allgather=neighbor_exchange needs an even number of ranks, got 5"},
      {"bcast/scatter_allgather[allgather=orthogonal]",
       8,
       "allgather=orthogonal is not possible; use bcast/orthogonal[inner=scatter_allgather]"},
      {"bcast/scatter_allgather[allgather=hierarchical[rows=2,down=multi_lane[rows=1]]]",
       16,
       "allgather=hierarchical uses scratch"},
      {"bcast/multi_lane[rows=2,join=hierarchical[rows=2,down=multi_lane[rows=1]]]",
       16,
       "join=hierarchical uses scratch"},
      {"allreduce/hierarchical[rows=4,across=multi_lane[rows=8]]",
       16,
       "allreduce/multi_lane[rows=8] as a phase: rows=8 needs a rank in every row, got 4 ranks; "
       "use fewer rows"},
      {"allreduce/multi_lane[rows=2,lane=orthogonal[rows=4,inner=ring]]",
       8,
       "allreduce/orthogonal[rows=4,inner=ring] as a phase: rows=4 needs a rank in every row, got "
       "2 ranks; use fewer rows"},
      {"scan/hierarchical[rows=4,down=multi_lane[rows=8]]",
       16,
       "bcast/multi_lane[rows=8] as a phase: rows=8 needs a rank in every row, got 4 ranks; use "
       "fewer rows"},
      {"allgather/hierarchical[rows=4,down=multi_lane[rows=8]]",
       16,
       "bcast/multi_lane[rows=8] as a phase: rows=8 needs a rank in every row, got 4 ranks; use "
       "fewer rows"},
      {"bcast/orthogonal[rows=1000,inner=scatter_allgather]",
       997 * 991,
       "needs a layout whose phases have a common number of pieces up to 65536; use a number of "
       "rows that divides 988027"},
  };
  for (auto const& [text, p, reason] : cases) {
    Choice const choice = Choice::parse(text);
    EXPECT_EQ(choice.refuses(p, 0), reason) << text;
    auto const [code, what] = error_of([&, p = p] { return choice.generate(p, 0, 0); });
    EXPECT_EQ(code, ErrorCode::unsupported);
    EXPECT_EQ(what, choice.text() + ": " + reason);
    EXPECT_EQ(error_of([&, p = p] { return choice.facts(p, 0); }).first, ErrorCode::unsupported);
  }
  // A product of rows far beyond int must not wrap round to something small.
  std::string const many = "allgather/orthogonal[rows=65536x65536x65536x65536]";
  EXPECT_FALSE(Choice::parse(many).refuses(8, 0).empty());
}

TEST(Choice, RefusesRanksAndRootsOutsideTheCommunicator) {
  Choice const choice = Choice::parse("bcast/binomial");
  EXPECT_EQ(
      error_of([&] { return choice.generate(4, 4, 0); }),
      std::pair(ErrorCode::argument, std::string("root must be in 0 .. 3, got 4"))
  );
  EXPECT_EQ(
      error_of([&] { return choice.generate(4, 0, -1); }),
      std::pair(ErrorCode::argument, std::string("rank must be in 0 .. 3, got -1"))
  );
}

TEST(Variants, AreDifferentAcceptedAndNotTooMany) {
  for (Collective const collective : {Collective::allgather, Collective::bcast}) {
    for (int const p : {1, 2, 3, 5, 8, 12, 24, 30, 33, 34, 48, 60, 64, 65, 97, 1000, 1 << 20}) {
      std::set<std::string> texts;
      for (Choice const& choice : variants(collective, p)) {
        EXPECT_TRUE(texts.insert(choice.text()).second) << choice.text() << " for " << p;
        EXPECT_EQ(choice.refuses(p, 0), "") << choice.text() << " for " << p;
      }
      EXPECT_LT(texts.size(), p <= 33 ? 60U : 40U) << p;
      EXPECT_GE(texts.size(), 4U) << p;
    }
  }
}

TEST(Variants, HaveAllTwoFactorLayoutsOfFewRanks) {
  std::set<std::string> texts;
  for (Choice const& choice : variants(Collective::allgather, 60)) {
    texts.insert(choice.text());
  }
  for (int const rows : {2, 3, 4, 5, 6, 10, 12, 15, 20, 30}) {
    std::string const text = "allgather/orthogonal[rows=" + std::to_string(rows) + ",inner=ring]";
    EXPECT_TRUE(texts.contains(text)) << text;
  }
  EXPECT_TRUE(texts.contains("allgather/orthogonal[rows=3x3,inner=ring]"));
}

}  // namespace
}  // namespace espalier::algorithms
