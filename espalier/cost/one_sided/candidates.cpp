// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/one_sided/candidates.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/cost/one_sided/programs.hpp"
#include "espalier/cost/replay/sizes.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;
using schedule::Kind;
using schedule::Mechanism;
using schedule::Operation;
using schedule::RankProgram;

void require_possible(OneSidedRequest const& request) {
  if (request.root < 0 || request.root >= request.num_ranks) {
    throw Error(
        ErrorCode::argument,
        "expected a root among " + std::to_string(request.num_ranks) + " ranks, got " +
            std::to_string(request.root)
    );
  }
  bool const are_sizes =
      request.num_bytes >= 0 && request.largest_medium >= 0 && request.scratch_bytes >= 0;
  if (!are_sizes) {
    throw Error(
        ErrorCode::argument,
        "expected sizes of at least 0 bytes, got " + std::to_string(request.num_bytes) + ", " +
            std::to_string(request.largest_medium) + " and " + std::to_string(request.scratch_bytes)
    );
  }
}

bool is_applicable(OneSidedRequest const& request, Choice const& choice) {
  bool const keeps_order = !schedule::reduces(request.collective) ||
                           choice.order(request.num_ranks, request.root) >= request.order;
  return keeps_order && !choice.has_native_calls();
}

double largest_put(RankProgram const& program, Sizes const& sizes) {
  double largest = 0;
  for (Operation const& operation : program.operations) {
    if (operation.kind == Kind::put) {
      largest = std::max(largest, sizes.of(program, program.sources(operation)));
    }
  }
  return largest;
}

double scratch_bytes(RankProgram const& program, Sizes const& sizes) {
  int const num_blocks = program.frame.num_blocks(schedule::Buffer::scratch);
  schedule::Slot const all{.buffer = schedule::Buffer::scratch, .num_blocks = num_blocks};
  return num_blocks == 0 ? 0 : sizes.of(program, {&all, 1});
}

bool is_within_limits(OneSidedRequest const& request, OneSidedPrograms const& made) {
  Sizes const sizes(request.num_bytes);
  bool const is_eager = made.candidate.form.mechanism == Mechanism::eager;
  return std::ranges::all_of(made.programs, [&](RankProgram const& program) {
    return scratch_bytes(program, sizes) <= request.scratch_bytes &&
           (!is_eager || largest_put(program, sizes) <= request.largest_medium);
  });
}

bool is_new(std::vector<OneSidedPrograms> const& found, OneSidedPrograms const& made) {
  return std::ranges::none_of(found, [&](OneSidedPrograms const& other) {
    return other.programs == made.programs;
  });
}

}  // namespace

std::vector<Choice> applicable_choices(OneSidedRequest const& request) {
  require_possible(request);
  std::vector<Choice> applicable;
  for (Choice& choice : algorithms::variants(request.collective, request.num_ranks)) {
    if (choice.refuses(request.num_ranks, request.root).empty() && is_applicable(request, choice)) {
      applicable.push_back(std::move(choice));
    }
  }
  return applicable;
}

void for_each_form(
    OneSidedRequest const& request,
    Choice const& choice,
    std::function<bool(OneSidedPrograms const&)> const& visit
) {
  if (choice.num_segments() > 1) {
    return;  // candidates move whole vectors
  }
  std::vector<RankProgram> const messages =
      message_programs(choice, request.num_ranks, request.root);
  if (!std::ranges::all_of(messages, schedule::can_be_one_sided)) {
    return;
  }
  std::vector<OneSidedPrograms> found;
  for (Mechanism const mechanism : schedule::all_mechanisms) {
    schedule::OneSidedForm const form{
        .mode = request.mode,
        .addresses = request.addresses,
        .mechanism = mechanism,
        .node_of_rank = request.node_of_rank,
    };
    if (!schedule::refusal(form).empty()) {
      continue;
    }
    OneSidedPrograms made{
        .candidate = {.choice = choice, .form = form},
        .programs = one_sided_programs(messages, form)
    };
    if (is_within_limits(request, made) && is_new(found, made)) {
      found.push_back(std::move(made));
      if (!visit(found.back())) {
        return;
      }
    }
  }
}

std::vector<OneSidedCandidate> one_sided_candidates(OneSidedRequest const& request) {
  std::vector<OneSidedCandidate> candidates;
  for (Choice const& choice : applicable_choices(request)) {
    for_each_form(request, choice, [&](OneSidedPrograms const& made) {
      candidates.push_back(made.candidate);
      return true;
    });
  }
  return candidates;
}

}  // namespace espalier::cost
