// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/ranking/generated_choices.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "espalier/cost/replay/matched_steps.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;
using schedule::Kind;

/// What is sent then depends on the size: nothing, or what has bytes. Signals are always sent.
bool are_counted(Choice const& choice, Sizes const& sizes) {
  bool const has_data = choice.collective() != algorithms::Collective::barrier;
  return !sizes.are_equal() || (has_data && sizes.total() <= 0);
}

}  // namespace

GeneratedChoices::GeneratedChoices(
    std::span<Choice const> choices, int root, Setting const& setting, std::size_t memory_bytes
)
    : root_(root), setting_(&setting), fabric_(setting), memory_left_(memory_bytes) {
  for (Choice const& choice : choices) {
    if (choice.refuses(setting.num_ranks(), root).empty()) {
      entries_.push_back({.choice = &choice});
    }
  }
}

Steps GeneratedChoices::steps(std::size_t number, Sizes const& sizes) {
  Entry& entry = entries_[number];
  if (are_counted(*entry.choice, sizes)) {
    return matched_steps(*entry.choice, root_, *setting_, sizes);
  }
  if (entry.steps) {
    return entry.steps->resized(sizes.total() / entry.num_blocks);
  }
  Steps generated = generate(entry);
  Steps result = generated.resized(sizes.total() / entry.num_blocks);
  keep(entry, std::move(generated));
  return result;
}

double GeneratedChoices::lower_bound(std::size_t number, Sizes const& sizes) {
  Entry& entry = entries_[number];
  if (are_counted(*entry.choice, sizes)) {
    return 0;
  }
  if (entry.loads.empty() && entry.steps) {
    count_loads(entry, *entry.steps);
  } else if (entry.loads.empty()) {
    Steps generated = generate(entry);
    count_loads(entry, generated);
    keep(entry, std::move(generated));
  }
  double const block_bytes = sizes.total() / entry.num_blocks;
  double most = 0;
  for (Load const& load : entry.loads) {
    most = std::max(most, load.of_messages + load.of_bytes * block_bytes - load.gap);
  }
  // Sums of a replay have other last digits.
  constexpr double rounding = 1e-9;
  return most * (1 - rounding);
}

/// With blocks of one byte, so that bytes count blocks.
Steps GeneratedChoices::generate(Entry& entry) const {
  int const num_ranks = setting_->num_ranks();
  entry.num_blocks =
      std::max(1, entry.choice->generate(num_ranks, root_, 0).frame.num_output_blocks);
  return matched_steps(*entry.choice, root_, *setting_, entry.num_blocks);
}

void GeneratedChoices::keep(Entry& entry, Steps steps) {
  if (std::size_t const bytes = steps.memory_bytes(); bytes <= memory_left_) {
    memory_left_ -= bytes;
    entry.steps = std::move(steps);
  }
}

void GeneratedChoices::count_loads(Entry& entry, Steps const& steps) const {
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
    entry.loads.insert(entry.loads.end(), loads.begin(), loads.end());
  }
}

}  // namespace espalier::cost
