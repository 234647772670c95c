// SPDX-License-Identifier: Apache-2.0

/// @file
/// Transforms of any schedule of the catalog, alone and after each other, keep it correct.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/schedule/json.hpp"
#include "espalier/schedule/transforms.hpp"
#include "espalier/verify/verify.hpp"

namespace espalier {
namespace {

using algorithms::Choice;
using algorithms::Collective;
using schedule::RankProgram;
using verify::Contract;

/// Programs of all ranks and what they promise.
struct Schedule {
  std::vector<RankProgram> programs;
  Contract contract;
};

/// A collective, a number of ranks, a root, and a choice without segments.
struct Request {
  Choice choice;
  int num_ranks;
  int root;
};

/// Any index of a container of this size.
std::size_t any_index(std::size_t size) {
  return static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(size)));
}

Choice any_choice(Collective collective, int num_ranks) {
  std::vector<Choice> choices = algorithms::variants(collective, num_ranks);
  // Reversal needs programs that move output blocks and nothing else.
  std::erase_if(choices, [&](Choice const& choice) {
    return choice.num_segments() > 1 || choice.facts(num_ranks, 0).scratch > 0;
  });
  return choices.at(any_index(choices.size()));
}

Request any_request(Collective collective) {
  int const num_ranks = *rc::gen::inRange(1, 14);
  Choice const choice = any_choice(collective, num_ranks);
  int const root = collective == Collective::bcast ? *rc::gen::inRange(0, num_ranks) : 0;
  RC_LOG() << choice.text() << " on " << num_ranks << " ranks, root " << root << "\n";
  return {.choice = choice, .num_ranks = num_ranks, .root = root};
}

Request any_request() {
  return any_request(*rc::gen::element(Collective::allgather, Collective::bcast));
}

Schedule generate(Request const& request) {
  bool const gathers = request.choice.collective() == Collective::allgather;
  Schedule result;
  result.contract = {
      .collective = gathers ? Collective::allgather : Collective::bcast,
      .num_ranks = request.num_ranks,
      .root = request.root,
  };
  for (int rank = 0; rank < request.num_ranks; ++rank) {
    result.programs.push_back(request.choice.generate(request.num_ranks, request.root, rank));
  }
  return result;
}

template <typename Transform> Schedule each(Schedule from, Transform&& transform) {
  for (RankProgram& program : from.programs) {
    program = transform(program);
  }
  return from;
}

void require_correct(Schedule const& schedule) {
  verify::Verdict const verdict = verify::verify(schedule.programs, schedule.contract);
  if (!verdict.holds()) {
    RC_FAIL(to_string(*verdict.violation));
  }
}

int num_rounds(Schedule const& schedule) {
  return verify::verify(schedule.programs, schedule.contract).facts.rounds;
}

std::vector<int> any_order(int num_ranks) {
  std::vector<int> order(static_cast<std::size_t>(num_ranks));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[any_index(i)]);
  }
  return order;
}

Schedule permuted(Schedule const& from, std::vector<int> const& order) {
  auto const rank_of = [&](int rank) { return order[static_cast<std::size_t>(rank)]; };
  Schedule result = from;
  for (RankProgram const& program : from.programs) {
    auto const place = static_cast<std::size_t>(rank_of(program.rank));
    result.programs[place] = schedule::permute(program, from.contract.collective, rank_of);
  }
  result.contract.root = rank_of(from.contract.root);
  return result;
}

Schedule batched(Schedule const& from, int limit) {
  return each(from, [&](RankProgram const& program) { return schedule::batch(program, limit); });
}

Schedule segmented(Schedule const& from, schedule::Pipeline const& pipeline) {
  return each(from, [&](RankProgram const& program) {
    return schedule::segment(program, pipeline);
  });
}

schedule::Pipeline any_pipeline() {
  return {
      .num_segments = *rc::gen::inRange(1, 6),
      .period = *rc::gen::inRange(1, 4),
      .window = *rc::gen::inRange(1, 4),
  };
}

Schedule reversed(Schedule const& from) {
  int const rounds = num_rounds(from);
  Schedule result =
      each(from, [&](RankProgram const& program) { return schedule::reverse(program, rounds); });
  bool const gathers = from.contract.collective == Collective::allgather;
  result.contract.collective = gathers ? Collective::reduce_scatter : Collective::reduce;
  return result;
}

RC_GTEST_PROP(ProverTransforms, SegmentKeepsTheResult, ()) {
  require_correct(segmented(generate(any_request()), any_pipeline()));
}

RC_GTEST_PROP(ProverTransforms, PermuteKeepsTheResult, ()) {
  Request const request = any_request();
  require_correct(permuted(generate(request), any_order(request.num_ranks)));
}

RC_GTEST_PROP(ProverTransforms, RotateMovesTheRoot, ()) {
  Request request = any_request(Collective::bcast);
  request.root = 0;
  int const shift = *rc::gen::inRange(0, request.num_ranks);
  Schedule const original = generate(request);
  Schedule result = original;
  for (RankProgram const& program : original.programs) {
    RankProgram const rotated = schedule::rotate(program, shift);
    result.programs.at(static_cast<std::size_t>(rotated.rank)) = rotated;
  }
  result.contract.root = shift;
  require_correct(result);
}

RC_GTEST_PROP(ProverTransforms, BatchKeepsTheResultWithNoMoreMessages, ()) {
  Schedule const original = generate(any_request());
  Schedule const result = batched(original, *rc::gen::inRange(1, 6));
  require_correct(result);
  for (std::size_t i = 0; i < original.programs.size(); ++i) {
    RC_ASSERT(result.programs[i].num_messages_sent() <= original.programs[i].num_messages_sent());
    RC_ASSERT(result.programs[i].num_blocks_sent() == original.programs[i].num_blocks_sent());
  }
}

RC_GTEST_PROP(ProverTransforms, BatchOfOneChangesNothing, ()) {
  Schedule const original = generate(any_request());
  RC_ASSERT(batched(original, 1).programs == original.programs);
}

RC_GTEST_PROP(ProverTransforms, ReverseCombinesEveryContributionOnce, ()) {
  require_correct(reversed(generate(any_request())));
}

RC_GTEST_PROP(ProverTransforms, FromInputCopiesTheContributionFirst, ()) {
  Schedule result = segmented(generate(any_request(Collective::allgather)), any_pipeline());
  result = each(result, [](RankProgram const& program) {
    return schedule::from_input(program, Collective::allgather, 0);
  });
  result.contract.is_in_place = false;
  require_correct(result);
}

RC_GTEST_PROP(ProverTransforms, TransformsAfterEachOtherKeepTheResult, ()) {
  Schedule result = generate(any_request());
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
    result = *rc::gen::arbitrary<bool>() ? permuted(result, any_order(result.contract.num_ranks))
                                         : batched(result, *rc::gen::inRange(1, 4));
  }
  require_correct(result);
  require_correct(reversed(result));
  require_correct(segmented(result, any_pipeline()));
}

RC_GTEST_PROP(ProverTransforms, JsonGivesTheSameProgramBack, ()) {
  Schedule const original = generate(any_request());
  std::size_t const rank = any_index(original.programs.size());
  for (Schedule const& tested :
       {original, segmented(original, any_pipeline()), reversed(original)}) {
    RankProgram const& program = tested.programs[rank];
    std::string const text = schedule::to_json(program).dump();
    RC_ASSERT(schedule::from_json(nlohmann::json::parse(text)) == program);
  }
}

/// Ranks of a row gather, then ranks of a column gather whole rows.
RC_GTEST_PROP(ProverTransforms, NestOfTwoAllgathersIsAnAllgather, ()) {
  int const num_rows = *rc::gen::inRange(1, 6);
  int const num_columns = *rc::gen::inRange(1, 6);
  int const num_ranks = num_rows * num_columns;
  Choice const in_row = any_choice(Collective::allgather, num_columns);
  Choice const in_column = any_choice(Collective::allgather, num_rows);
  RC_LOG() << in_row.text() << " in rows, " << in_column.text() << " in columns\n";
  int const row_rounds = in_row.facts(num_columns, 0).rounds;

  Schedule result;
  result.contract = {.collective = Collective::allgather, .num_ranks = num_ranks};
  for (int rank = 0; rank < num_ranks; ++rank) {
    int const row = rank / num_columns;
    int const column = rank % num_columns;
    schedule::Builder builder(algorithms::output_frame(num_ranks, num_ranks), rank);
    auto const in_my_row = [&](int i) { return row * num_columns + i; };
    nest(
        builder,
        in_row.generate(num_columns, 0, column),
        {.rank_of = in_my_row, .blocks_of = [&](int i) { return schedule::blocks(in_my_row(i)); }}
    );
    builder.next_round(row_rounds);
    nest(
        builder,
        in_column.generate(num_rows, 0, row),
        {.rank_of = [&](int i) { return i * num_columns + column; },
         .blocks_of = [&](int i) { return schedule::blocks(i * num_columns, num_columns); }}
    );
    result.programs.push_back(std::move(builder).finish());
  }
  require_correct(result);
}

/// The root's column first, then each row from the member of that column.
RC_GTEST_PROP(ProverTransforms, NestOfTwoBroadcastsIsABroadcast, ()) {
  int const num_rows = *rc::gen::inRange(1, 6);
  int const num_columns = *rc::gen::inRange(1, 6);
  int const num_ranks = num_rows * num_columns;
  int const root = *rc::gen::inRange(0, num_ranks);
  constexpr auto whole = [](int /*block*/) { return schedule::blocks(0); };
  Choice const tree = Choice::parse("bcast/k_nomial[k=3]");
  int const column_rounds = tree.facts(num_rows, 0).rounds;

  Schedule result;
  result.contract = {.collective = Collective::bcast, .num_ranks = num_ranks, .root = root};
  for (int rank = 0; rank < num_ranks; ++rank) {
    int const row = rank / num_columns;
    int const column = rank % num_columns;
    schedule::Builder builder(algorithms::output_frame(num_ranks, 1), rank);
    if (column == root % num_columns) {
      nest(
          builder,
          tree.generate(num_rows, root / num_columns, row),
          {.rank_of = [&](int i) { return i * num_columns + column; }, .blocks_of = whole}
      );
    }
    builder.next_round(column_rounds);
    nest(
        builder,
        tree.generate(num_columns, root % num_columns, column),
        {.rank_of = [&](int i) { return row * num_columns + i; }, .blocks_of = whole}
    );
    result.programs.push_back(std::move(builder).finish());
  }
  require_correct(result);
}

}  // namespace
}  // namespace espalier
