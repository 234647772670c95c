// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/choices/every_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/schedule/one_sided.hpp"

namespace espalier::capi {
namespace {

using algorithms::Choice;
using schedule::AddressMode;
using schedule::Collective;
using schedule::Mechanism;

std::vector<SafeRequest> requests() {
  using enum Collective;
  std::vector<SafeRequest> all;
  for (Collective const collective :
       {barrier, bcast, scatter, gather, reduce, allreduce, allgather, alltoall}) {
    for (int const num_ranks : {1, 2, 3, 5, 8}) {
      for (AddressMode const addresses : schedule::all_address_modes) {
        SafeRequest request{
            .collective = collective,
            .num_ranks = num_ranks,
            .root = schedule::has_root(collective) ? num_ranks / 2 : 0,
            .block_bytes = 1000,
            .addresses = addresses,
        };
        all.push_back(request);
        request.needs_rank_order = schedule::reduces(collective);
        all.push_back(request);
        request.is_reproducible = schedule::reduces(collective);
        all.push_back(request);
      }
    }
  }
  return all;
}

std::string text_of(SafeChoice const& choice) {
  return choice.choice.text() + " by " + std::string(schedule::to_string(choice.mechanism));
}

TEST(EveryChoice, IsLegalAndThereOnce) {
  for (SafeRequest const& request : requests()) {
    std::set<std::string> seen;
    for (SafeChoice const& choice : every_choice(request, {})) {
      EXPECT_TRUE(serves(choice.choice, request)) << text_of(choice);
      EXPECT_EQ(refusal(choice.mechanism, request), "") << text_of(choice);
      EXPECT_TRUE(seen.insert(text_of(choice)).second) << text_of(choice);
    }
  }
}

std::vector<schedule::RankProgram> programs_of(Choice const& choice, SafeRequest const& request) {
  std::vector<schedule::RankProgram> result;
  result.reserve(static_cast<std::size_t>(request.num_ranks));
  for (int rank = 0; rank < request.num_ranks; ++rank) {
    result.push_back(choice.generate(request.num_ranks, request.root, rank));
  }
  return result;
}

TEST(EveryChoice, IsWhateverAServingVariantDoesByEachLegalMechanism) {
  for (SafeRequest const& request : requests()) {
    std::vector<SafeChoice> const all = every_choice(request, {});
    std::vector<std::vector<schedule::RankProgram>> programs_of_all;
    programs_of_all.reserve(all.size());
    for (SafeChoice const& choice : all) {
      programs_of_all.push_back(programs_of(choice.choice, request));
    }
    for (Choice const& choice : algorithms::variants(request.collective, request.num_ranks)) {
      if (!serves(choice, request)) {
        continue;
      }
      auto const programs = programs_of(choice, request);
      std::set<Mechanism> found;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (programs_of_all[i] == programs) {
          EXPECT_TRUE(found.insert(all[i].mechanism).second)
              << text_of(all[i]) << " is there twice";
        }
      }
      auto const is_expected = [&](Mechanism mechanism) {
        return refusal(mechanism, request).empty() &&
               (request.collective != Collective::barrier || mechanism == all.front().mechanism);
      };
      for (Mechanism const mechanism : schedule::all_mechanisms) {
        EXPECT_EQ(found.contains(mechanism), is_expected(mechanism)) << choice.text();
      }
    }
  }
}

TEST(EveryChoice, IsThereOnceForManyRanksToo) {
  SafeRequest const request{.collective = Collective::bcast, .num_ranks = 20, .block_bytes = 8};
  std::set<std::string> seen;
  for (SafeChoice const& choice : every_choice(request, {})) {
    EXPECT_TRUE(seen.insert(text_of(choice)).second) << text_of(choice);
  }
  for (Choice const& choice : algorithms::variants(Collective::bcast, 20)) {
    if (serves(choice, request)) {
      EXPECT_TRUE(seen.contains(text_of({.choice = choice, .mechanism = Mechanism::eager})));
    }
  }
}

TEST(EveryChoice, BeginsWithTheRule) {
  for (SafeRequest const& request : requests()) {
    std::vector<SafeChoice> const rule = safe_choices(request);
    EXPECT_EQ(every_choice(request, {}).front(), rule.front());
  }
}

TEST(EveryChoice, SeesEachAlgorithmBeforeTheSecondVariantOfAny) {
  SafeRequest const request{.collective = Collective::bcast, .num_ranks = 12};
  std::size_t const num_of_rule = safe_choices(request).size();
  std::vector<SafeChoice> const all = every_choice(request, {});
  std::set<std::string_view> seen;
  std::set<std::string_view> algorithms;
  for (SafeChoice const& choice : all) {
    algorithms.insert(choice.choice.algorithm().name);
  }
  for (std::size_t i = 0; i < num_of_rule + algorithms.size(); ++i) {
    seen.insert(all[i].choice.algorithm().name);
  }
  EXPECT_EQ(seen, algorithms);
}

/// Whatever is cut into segments is cut when it is one-sided.
TEST(EveryChoice, CanBeOneSided) {
  for (SafeRequest const& request : requests()) {
    for (SafeChoice const& choice : every_choice(request, {})) {
      for (int rank = 0; rank < request.num_ranks; ++rank) {
        auto const whole = choice.choice.generate_whole(request.num_ranks, request.root, rank);
        EXPECT_TRUE(schedule::can_be_one_sided(whole)) << text_of(choice);
      }
    }
  }
}

std::string first_choice(SafeRequest const& request) {
  return safe_choices(request).front().choice.text();
}

TEST(SafeChoices, CutLongVectorsOfManyRanks) {
  SafeRequest request{
      .collective = Collective::bcast, .num_ranks = 9, .block_bytes = std::int64_t{1} << 20U
  };
  EXPECT_EQ(first_choice(request), "bcast/k_ary[k=2,segments=16]");
  request.num_ranks = 8;
  EXPECT_EQ(first_choice(request), "bcast/k_ary[k=2]");
  request.num_ranks = 9;
  request.collective = Collective::reduce;
  EXPECT_EQ(first_choice(request), "reduce/k_ary[k=2,segments=16]");
  request.is_reproducible = true;
  EXPECT_EQ(first_choice(request), "reduce/chain[segments=16]");
  request.block_bytes = 8;
  EXPECT_EQ(first_choice(request), "reduce/flat");
}

TEST(NativeChoice, IsThatOfTheLibraryForSeveralRanks) {
  for (SafeRequest const& request : requests()) {
    std::optional<SafeChoice> const native = native_choice(request, {});
    EXPECT_EQ(native.has_value(), request.num_ranks > 1 && !request.is_reproducible);
    if (native) {
      std::string const text = native->choice.text();
      EXPECT_EQ(text, std::string(schedule::to_string(request.collective)) + "/native");
      EXPECT_EQ(parse_choice(text), native->choice);
      EXPECT_TRUE(runs_natively(native->choice));
      EXPECT_EQ(refusal(native->mechanism, request), "") << text;
    }
  }
}

TEST(NativeChoice, IsNoPartOfWhatElseIsNamed) {
  SafeRequest const request{.collective = Collective::bcast, .num_ranks = 4};
  Choice const chain = Choice::parse("bcast/chain");
  EXPECT_FALSE(native_choice(request, {.algorithm = chain}));
  EXPECT_FALSE(native_choice(request, {.mechanism = Mechanism::eager}));
  EXPECT_TRUE(native_choice(request, {.algorithm = Choice::native(Collective::bcast)}));
}

TEST(NativeChoice, ServesBlocksOfDifferentSizes) {
  SafeRequest const request{
      .collective = Collective::gather, .num_ranks = 4, .has_uneven_blocks = true
  };
  EXPECT_TRUE(native_choice(request, {}));
}

TEST(NativeChoice, IsNotWhatHasCallsOfTheLibraryInside) {
  SafeRequest const request{.collective = Collective::bcast, .num_ranks = 4};
  for (std::string_view const text :
       {"bcast/native[algorithm=binomial]", "bcast/orthogonal[rows=2,inner=native]"}) {
    Choice const choice = parse_choice(text);
    EXPECT_FALSE(runs_natively(choice)) << text;
    EXPECT_FALSE(serves(choice, request)) << text;
  }
}

TEST(EveryChoice, KeepsToWhatIsNamed) {
  SafeRequest const request{.collective = Collective::bcast, .num_ranks = 6, .block_bytes = 8};
  Choice const named = Choice::parse("bcast/k_ary[k=5]");
  for (SafeChoice const& choice : every_choice(request, {.algorithm = named})) {
    EXPECT_EQ(choice.choice, named);
  }
  EXPECT_EQ(every_choice(request, {.algorithm = named}).size(), schedule::all_mechanisms.size());
  for (SafeChoice const& choice : every_choice(request, {.mechanism = Mechanism::rendezvous})) {
    EXPECT_EQ(choice.mechanism, Mechanism::rendezvous);
  }
  NamedParts const both{.algorithm = named, .mechanism = Mechanism::eager};
  std::vector<SafeChoice> const only{{.choice = named, .mechanism = Mechanism::eager}};
  EXPECT_EQ(every_choice(request, both), only);
}

}  // namespace
}  // namespace espalier::capi
