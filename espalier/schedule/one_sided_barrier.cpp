// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/one_sided_barrier.hpp"

#include <cstddef>
#include <cstdint>

#include "espalier/base/integer.hpp"

namespace espalier::schedule {

OneSidedBarrier::OneSidedBarrier(int num_ranks, std::span<int const> node_of_rank)
    : num_ranks_(num_ranks), node_of_rank_(node_of_rank.begin(), node_of_rank.end()) {
  for (std::size_t rank = 0; rank < node_of_rank_.size(); ++rank) {
    auto const node = static_cast<std::size_t>(node_of_rank_[rank]);
    if (node >= ranks_of_node_.size()) {
      ranks_of_node_.resize(node + 1);
    }
    ranks_of_node_[node].push_back(static_cast<int>(rank));
  }
}

int OneSidedBarrier::num_steps() const noexcept {
  return node_of_rank_.empty() ? ceil_log2(num_ranks_)
                               : 2 + ceil_log2(static_cast<int>(ranks_of_node_.size()));
}

std::vector<OneSidedBarrier::Step> OneSidedBarrier::steps_of(int rank) const {
  return node_of_rank_.empty() ? among(num_ranks_, rank) : on_nodes(rank);
}

std::vector<OneSidedBarrier::Step> OneSidedBarrier::among(int count, int own) {
  std::vector<Step> steps;
  int number = 0;
  for (std::int64_t distance = 1; distance < count; distance *= 2) {
    steps.push_back(
        {.number = number++, .signals = {wrap(own + distance, count)}, .num_arrivals = 1}
    );
  }
  return steps;
}

std::vector<OneSidedBarrier::Step> OneSidedBarrier::on_nodes(int rank) const {
  int const node = node_of_rank_[static_cast<std::size_t>(rank)];
  std::vector<int> const& here = ranks_of_node_[static_cast<std::size_t>(node)];
  int const last = num_steps() - 1;
  if (rank != here.front()) {
    return {{.number = 0, .signals = {here.front()}}, {.number = last, .num_arrivals = 1}};
  }
  std::vector<Step> steps{{.number = 0, .num_arrivals = static_cast<int>(here.size()) - 1}};
  for (Step step : among(static_cast<int>(ranks_of_node_.size()), node)) {
    ++step.number;
    step.signals = {ranks_of_node_[static_cast<std::size_t>(step.signals.front())].front()};
    steps.push_back(step);
  }
  steps.push_back({.number = last, .signals = {here.begin() + 1, here.end()}});
  return steps;
}

}  // namespace espalier::schedule
