// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/allreduce/parts/whole_vector.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace espalier::algorithms {

using schedule::Buffer;
using schedule::Slot;

void WholeVector::combine(std::span<int const> members) {
  std::vector<int> places = free_places(static_cast<int>(members.size()) - 1);
  auto const num_members = members.size();
  auto const own = std::ranges::find(members, builder_.rank()) - members.begin();
  places.insert(places.begin() + own, sum_);
  builder_.wait_for_sends();
  for (std::size_t i = 0; i < num_members; ++i) {
    if (members[i] != builder_.rank()) {
      builder_.recv(members[i], place(places[i]));
    }
  }
  // Each to another one at a time: nobody has to take in all messages at the end.
  for (std::size_t i = 1; i < num_members; ++i) {
    builder_.send(members[(static_cast<std::size_t>(own) + i) % num_members], place(sum_));
  }
  if (places.back() == sum_) {
    builder_.wait_for_sends();
  }
  sum_ = places.back();
  for (std::size_t i = places.size() - 1; i-- > 0;) {
    builder_.next_round(builder_.round()).reduce(place(sum_), place(places[i]));
  }
}

void WholeVector::absorb(int higher_rank) {
  int const received = free_places(1).front();
  builder_.recv(higher_rank, place(received)).next_round(builder_.round());
  builder_.reduce(place(received), place(sum_));
  sum_ = received;
}

void WholeVector::send(int rank) {
  builder_.send(rank, place(sum_));
}

void WholeVector::deliver() {
  if (sum_ != 0) {
    builder_.next_round(builder_.round()).wait_for_sends().copy(place(0), place(sum_));
  }
}

Slot WholeVector::place(int index) const {
  return {
      .buffer = index == 0 ? Buffer::output : Buffer::scratch,
      .first = std::max(0, index - 1),
      .num_blocks = 1,
      .stride = 1,
  };
}

std::vector<int> WholeVector::free_places(int number) {
  while (builder_.frame().num_blocks(Buffer::scratch) < number) {
    builder_.scratch(schedule::blocks(0));
  }
  std::vector<int> result;
  for (int index = 0; static_cast<int>(result.size()) < number; ++index) {
    if (index != sum_) {
      result.push_back(index);
    }
  }
  std::ranges::reverse(result);
  return result;
}

schedule::RankProgram whole_vector_allreduce(
    int rank, pattern::Folding const& folding, std::vector<std::vector<int>> const& groups
) {
  int const p = folding.num_places() + folding.num_pairs();
  schedule::Builder builder(output_frame(p, 1), rank);
  auto const num_groups = static_cast<int>(groups.size());
  if (folding.is_aside(rank)) {
    builder.send(rank - 1, schedule::blocks(0)).wait_for_sends();
    builder.next_round(1 + num_groups).recv(rank - 1, schedule::blocks(0));
    return std::move(builder).finish();
  }
  bool const has_pair = folding.is_pair(folding.place_of(rank));
  WholeVector sum(builder);
  if (has_pair) {
    sum.absorb(rank + 1);
  }
  builder.next_round(folding.num_pairs() > 0 ? 1 : 0);
  for (std::vector<int> members : groups) {
    std::ranges::transform(members, members.begin(), [&](int place) {
      return folding.rank_of(place);
    });
    sum.combine(members);
    builder.next_round();
  }
  if (has_pair) {
    sum.send(rank + 1);
  }
  sum.deliver();
  return std::move(builder).finish();
}

Facts whole_vector_facts(pattern::Folding const& folding, std::vector<int> const& group_sizes) {
  auto const num_groups = static_cast<int>(group_sizes.size());
  int const received = std::reduce(group_sizes.begin(), group_sizes.end()) - num_groups;
  int const folded = folding.num_pairs() > 0 ? 1 : 0;
  return {
      .rounds = num_groups + 2 * folded,
      .messages = received + folded,
      .blocks = received + folded,
      .scratch = num_groups == 0 ? 0 : std::ranges::max(group_sizes) - 1,
      .volume = received + 2 * folded,
      .reductions = received + folded,
  };
}

}  // namespace espalier::algorithms
