// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/allreduce/parts/sequence.hpp"

#include <algorithm>
#include <utility>

#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

int num_blocks(Choice const& choice, int num_ranks) {
  return has_parts(choice.collective()) ? num_ranks : choice.num_pieces(num_ranks);
}

/// The same counts if each block is cut into so many.
Facts in_smaller_blocks(Facts facts, int factor) {
  facts.blocks *= factor;
  facts.scratch *= factor;
  for (std::optional<std::int64_t>* const sum : {&facts.volume, &facts.reductions}) {
    if (sum->has_value()) {
      **sum *= factor;
    }
  }
  return facts;
}

std::optional<std::int64_t>
sum(std::optional<std::int64_t> const& a, std::optional<std::int64_t> const& b) {
  return a && b ? std::optional<std::int64_t>(*a + *b) : std::nullopt;
}

std::string refusal(Choice const& choice, int num_ranks) {
  std::string const name =
      std::string(to_string(choice.collective())) + "=" + std::string(choice.algorithm().name);
  if (choice.num_segments() > 1) {
    return name + " cannot be segmented here";
  }
  std::string const reason = choice.refuses(num_ranks, 0);
  return reason.empty() ? reason : name + " " + reason;
}

}  // namespace

std::string Sequence::refuses(int num_ranks) const {
  for (Choice const* const choice : {&first, &second}) {
    if (std::string reason = refusal(*choice, num_ranks); !reason.empty()) {
      return reason;
    }
  }
  int const a = num_blocks(first, num_ranks);
  int const b = num_blocks(second, num_ranks);
  if (std::max(a, b) % std::min(a, b) != 0) {
    return "needs pieces that fit into each other, got " + std::to_string(a) + " and " +
           std::to_string(b);
  }
  return {};
}

int Sequence::num_pieces(int num_ranks) const {
  return std::max(num_blocks(first, num_ranks), num_blocks(second, num_ranks));
}

schedule::RankProgram Sequence::generate(int num_ranks, int rank) const {
  int const n = num_pieces(num_ranks);
  int const rounds_of_first = first.num_rounds(num_ranks, 0);
  schedule::Builder builder(output_frame(num_ranks, n), rank);
  for (Choice const* const choice : {&first, &second}) {
    int const factor = n / num_blocks(*choice, num_ranks);
    schedule::nest(
        builder,
        choice->generate(num_ranks, 0, rank),
        {.rank_of = [](int member) { return member; },
         .blocks_of = [&](int block) { return schedule::blocks(block * factor, factor); }}
    );
    builder.next_round(rounds_of_first).wait_for_sends();
  }
  return std::move(builder).finish();
}

int Sequence::num_rounds(int num_ranks) const {
  return first.num_rounds(num_ranks, 0) + second.num_rounds(num_ranks, 0);
}

Facts Sequence::facts(int num_ranks) const {
  int const n = num_pieces(num_ranks);
  Facts const a = in_smaller_blocks(first.facts(num_ranks, 0), n / num_blocks(first, num_ranks));
  Facts const b = in_smaller_blocks(second.facts(num_ranks, 0), n / num_blocks(second, num_ranks));
  Facts most{
      .rounds = a.rounds + b.rounds,
      .volume = sum(a.volume, b.volume),
      .reductions = sum(a.reductions, b.reductions),
  };
  for (int rank = 0; rank < num_ranks; ++rank) {
    include(most, generate(num_ranks, rank));
    if (most.messages == a.messages + b.messages && most.blocks == a.blocks + b.blocks &&
        most.scratch == a.scratch + b.scratch) {
      break;
    }
  }
  return most;
}

Choice choice_for(Request const& request, Parameter const& parameter) {
  return Choice::parse(
      schedule::parse_collective(parameter.collective),
      request.arguments.text(parameter.name, parameter.fallback)
  );
}

}  // namespace espalier::algorithms
