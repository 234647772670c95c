// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/ranking/candidates.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "espalier/cost/replay/matched_steps.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;
using schedule::Kind;

/// What is sent then depends on the size: nothing, or what has bytes.
bool are_counted(Sizes const& sizes) {
  return !sizes.are_equal() || sizes.total() <= 0;
}

}  // namespace

Candidates::Candidates(
    std::span<Choice const> choices, int root, Setting const& setting, std::size_t memory_bytes
)
    : root_(root), setting_(&setting), fabric_(setting), memory_left_(memory_bytes) {
  for (Choice const& choice : choices) {
    if (choice.refuses(setting.num_ranks(), root).empty()) {
      candidates_.push_back({.choice = &choice});
    }
  }
}

Steps Candidates::steps(std::size_t number, Sizes const& sizes) {
  Candidate& candidate = candidates_[number];
  if (are_counted(sizes)) {
    return matched_steps(*candidate.choice, root_, *setting_, sizes);
  }
  if (candidate.steps) {
    return candidate.steps->resized(sizes.total() / candidate.num_blocks);
  }
  Steps generated = generate(candidate);
  Steps result = generated.resized(sizes.total() / candidate.num_blocks);
  keep(candidate, std::move(generated));
  return result;
}

double Candidates::lower_bound(std::size_t number, Sizes const& sizes) {
  if (are_counted(sizes)) {
    return 0;
  }
  Candidate& candidate = candidates_[number];
  if (candidate.num_blocks == 0) {
    keep(candidate, generate(candidate));
  }
  double const block_bytes = sizes.total() / candidate.num_blocks;
  double most = 0;
  for (Load const& load : candidate.loads) {
    most = std::max(most, load.of_messages + load.of_bytes * block_bytes - load.gap);
  }
  // Sums of a replay have other last digits.
  constexpr double rounding = 1e-9;
  return most * (1 - rounding);
}

/// With blocks of one byte, so that bytes count blocks.
Steps Candidates::generate(Candidate& candidate) const {
  int const num_ranks = setting_->num_ranks();
  candidate.num_blocks =
      std::max(1, candidate.choice->generate(num_ranks, root_, 0).frame.num_output_blocks);
  return matched_steps(*candidate.choice, root_, *setting_, candidate.num_blocks);
}

void Candidates::keep(Candidate& candidate, Steps steps) {
  if (candidate.loads.empty()) {
    count_loads(candidate, steps);
  }
  if (std::size_t const bytes = steps.memory_bytes(); bytes <= memory_left_) {
    memory_left_ -= bytes;
    candidate.steps = std::move(steps);
  }
}

void Candidates::count_loads(Candidate& candidate, Steps const& steps) const {
  for (int rank = 0; rank < steps.num_ranks(); ++rank) {
    std::array<Load, 2> loads;
    for (std::int32_t i = steps.begin(rank); i < steps.end(rank); ++i) {
      Step const& step = steps[i];
      if (step.partner < 0) {
        continue;
      }
      int const level = fabric_.crossing(rank, steps[step.partner].rank);
      machine::Link const& link = fabric_.link(level);
      bool const sends = step.kind == Kind::send;
      Load& load = loads[sends ? 0 : 1];
      load.of_messages += (sends ? link.overhead_send : link.overhead_receive) + link.gap;
      load.of_bytes += step.bytes * fabric_.per_byte(level);
      load.gap = std::max(load.gap, link.gap);
    }
    candidate.loads.insert(candidate.loads.end(), loads.begin(), loads.end());
  }
}

}  // namespace espalier::cost
