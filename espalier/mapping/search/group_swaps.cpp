// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/search/group_swaps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "espalier/mapping/index.hpp"

namespace espalier::mapping {
namespace {

/// Swaps in a row that may make things worse before they get better.
constexpr int most_uphill = 12;

}  // namespace

GroupSwaps::GroupSwaps(
    TwoWayGraph const& graph, std::vector<int> group_of_vertex, std::vector<int> parent_of_group
)
    : graph_(graph), parent_(std::move(parent_of_group)), leaving_(parent_.size(), 0),
      next_(parent_.size(), 0), gain_(group_of_vertex.size(), 0), seen_(group_of_vertex.size(), 0),
      moved_(group_of_vertex.size(), 0), joined_(parent_.size(), 0) {
  tolerance_ = std::accumulate(graph.out.begin(), graph.out.end(), 0.0) * 1e-12;
  reset(std::move(group_of_vertex));
}

void GroupSwaps::reset(std::vector<int> group_of_vertex) {
  group_ = std::move(group_of_vertex);
  first_member_.assign(parent_.size() + 1, 0);
  for (int const group : group_) {
    ++first_member_[at(group) + 1];
  }
  std::partial_sum(first_member_.begin(), first_member_.end(), first_member_.begin());
  member_.resize(group_.size());
  place_.resize(group_.size());
  std::copy(first_member_.begin(), first_member_.end() - 1, next_.begin());
  for (int vertex = 0; vertex < graph_.num_vertices(); ++vertex) {
    place_[at(vertex)] = next_[at(group_[at(vertex)])]++;
    member_[place_[at(vertex)]] = vertex;
  }
  for (int group = 0; group < num_groups(); ++group) {
    measure(group);
  }
}

void GroupSwaps::regroup(
    std::span<int const> groups, std::span<int const> vertices, std::span<int const> group_of
) {
  for (int const group : groups) {
    next_[at(group)] = first_member_[at(group)];
  }
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    auto const vertex = at(vertices[i]);
    group_[vertex] = group_of[i];
    place_[vertex] = next_[at(group_of[i])]++;
    member_[place_[vertex]] = vertices[i];
  }
  for (int const group : groups) {
    measure(group);
  }
}

/// What leaves a group.
void GroupSwaps::measure(int group) {
  double sum = 0;
  for (int const vertex : members(group)) {
    for (std::size_t edge = graph_.begin(vertex); edge < graph_.end(vertex); ++edge) {
      int const other = group_[at(graph_.neighbor[edge])];
      if (other != group && parent_[at(other)] == parent_[at(group)]) {
        sum += graph_.out[edge];
      }
    }
  }
  trials_ += static_cast<std::int64_t>(members(group).size());
  leaving_[at(group)] = sum;
}

double GroupSwaps::total() const noexcept {
  return std::accumulate(leaving_.begin(), leaving_.end(), 0.0);
}

double GroupSwaps::worst() const noexcept {
  return *std::max_element(leaving_.begin(), leaving_.end());
}

std::span<int const> GroupSwaps::members(int group) const noexcept {
  return std::span(member_).subspan(
      first_member_[at(group)], first_member_[at(group) + 1] - first_member_[at(group)]
  );
}

std::vector<int> GroupSwaps::joined(int group) {
  ++call_;
  std::vector<int> result;
  for (int const vertex : members(group)) {
    for (std::size_t edge = graph_.begin(vertex); edge < graph_.end(vertex); ++edge) {
      int const other = group_[at(graph_.neighbor[edge])];
      if (other != group && joined_[at(other)] != call_ &&
          parent_[at(other)] == parent_[at(group)]) {
        joined_[at(other)] = call_;
        result.push_back(other);
      }
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

bool GroupSwaps::improve(int a, int b, Goal goal, double most_leaving) {
  ++call_;
  moves_.clear();
  pair_ = {a, b};
  find_boundary(a, b);
  Value best = value();
  std::size_t num_kept = 0;
  for (int uphill = 0; uphill < most_uphill && swap_best(); ++uphill) {
    Value const now = value();
    if (is_better(now, best, goal) && (goal == Goal::worst || now.worst <= most_leaving)) {
      best = now;
      num_kept = moves_.size();
      uphill = -1;
    }
  }
  undo(num_kept);
  leaving_[at(a)] = best.leaving_a;
  leaving_[at(b)] = best.leaving_b;
  keep();
  return num_kept > 0;
}

/// Vertices with an edge to the other group, found from the smaller one.
void GroupSwaps::find_boundary(int a, int b) {
  heaps_[0].clear();
  heaps_[1].clear();
  bool const a_is_smaller = members(a).size() <= members(b).size();
  int const other = a_is_smaller ? b : a;
  for (int const vertex : members(a_is_smaller ? a : b)) {
    ++trials_;
    bool is_boundary = false;
    for (std::size_t edge = graph_.begin(vertex); edge < graph_.end(vertex); ++edge) {
      if (group_[at(graph_.neighbor[edge])] == other) {
        is_boundary = true;
        look_at(graph_.neighbor[edge]);
      }
    }
    if (is_boundary) {
      look_at(vertex);
    }
  }
}

int GroupSwaps::side(int vertex) const noexcept {
  return group_[at(vertex)] == pair_[0] ? 0 : 1;
}

/// Makes a vertex a candidate, if it is none yet.
void GroupSwaps::look_at(int vertex) {
  if (seen_[at(vertex)] == call_) {
    return;
  }
  seen_[at(vertex)] = call_;
  ++trials_;
  int const own = group_[at(vertex)];
  int const other = own == pair_[0] ? pair_[1] : pair_[0];
  double gain = 0;
  for (std::size_t edge = graph_.begin(vertex); edge < graph_.end(vertex); ++edge) {
    int const group = group_[at(graph_.neighbor[edge])];
    if (group == other) {
      gain += graph_.both(edge);
    } else if (group == own) {
      gain -= graph_.both(edge);
    }
  }
  gain_[at(vertex)] = gain;
  push(vertex);
}

void GroupSwaps::push(int vertex) {
  auto const is_less = [](Candidate const& left, Candidate const& right) {
    return left.gain != right.gain ? left.gain < right.gain : left.vertex > right.vertex;
  };
  std::vector<Candidate>& heap = heaps_[at(side(vertex))];
  heap.push_back({gain_[at(vertex)], vertex});
  std::push_heap(heap.begin(), heap.end(), is_less);
}

/// The candidate of a side that gains most, -1 if there is none; what is out of date is dropped.
int GroupSwaps::best_of(int side) {
  auto const is_less = [](Candidate const& left, Candidate const& right) {
    return left.gain != right.gain ? left.gain < right.gain : left.vertex > right.vertex;
  };
  std::vector<Candidate>& heap = heaps_[at(side)];
  while (!heap.empty()) {
    Candidate const& top = heap.front();
    if (moved_[at(top.vertex)] != call_ && top.gain == gain_[at(top.vertex)]) {
      return top.vertex;
    }
    std::pop_heap(heap.begin(), heap.end(), is_less);
    heap.pop_back();
  }
  return -1;
}

/// The best of both sides goes over, then the best of the other side comes back; false if a side
/// has no candidates left.
bool GroupSwaps::swap_best() {
  int const from_a = best_of(0);
  int const from_b = best_of(1);
  if (from_a < 0 || from_b < 0) {
    return false;
  }
  bool const a_first = gain_[at(from_a)] >= gain_[at(from_b)];
  move(a_first ? from_a : from_b);
  int const back = best_of(a_first ? 1 : 0);
  if (back < 0) {
    return false;
  }
  move(back);
  return true;
}

/// To the other group of the pair.
void GroupSwaps::move(int vertex) {
  int const from = group_[at(vertex)];
  int const to = from == pair_[0] ? pair_[1] : pair_[0];
  for (std::size_t edge = graph_.begin(vertex); edge < graph_.end(vertex); ++edge) {
    int const group = group_[at(graph_.neighbor[edge])];
    if (group == from) {
      leaving_[at(to)] += graph_.out[edge];
      leaving_[at(from)] += graph_.back_weight(edge);
    } else if (group == to) {
      leaving_[at(from)] -= graph_.out[edge];
      leaving_[at(to)] -= graph_.back_weight(edge);
    } else if (parent_[at(group)] == parent_[at(from)]) {
      leaving_[at(from)] -= graph_.out[edge];
      leaving_[at(to)] += graph_.out[edge];
    }
  }
  moved_[at(vertex)] = call_;
  moves_.emplace_back(vertex, from);
  group_[at(vertex)] = to;
  update_gains(vertex);
}

void GroupSwaps::update_gains(int vertex) {
  for (std::size_t edge = graph_.begin(vertex); edge < graph_.end(vertex); ++edge) {
    int const neighbor = graph_.neighbor[edge];
    int const group = group_[at(neighbor)];
    if ((group != pair_[0] && group != pair_[1]) || moved_[at(neighbor)] == call_) {
      continue;
    }
    if (seen_[at(neighbor)] != call_) {
      look_at(neighbor);
      continue;
    }
    ++trials_;
    double const change = 2 * graph_.both(edge);
    gain_[at(neighbor)] += group == group_[at(vertex)] ? -change : change;
    push(neighbor);
  }
}

void GroupSwaps::undo(std::size_t num_kept) {
  while (moves_.size() > num_kept) {
    group_[at(moves_.back().first)] = moves_.back().second;
    moves_.pop_back();
  }
}

/// Lists the members anew after moves, each pair of which went both ways.
void GroupSwaps::keep() {
  for (std::size_t move = 0; move < moves_.size(); move += 2) {
    auto const first = moves_[move].first;
    auto const second = moves_[move + 1].first;
    std::swap(place_[at(first)], place_[at(second)]);
    member_[place_[at(first)]] = first;
    member_[place_[at(second)]] = second;
  }
}

GroupSwaps::Value GroupSwaps::value() const noexcept {
  double const a = leaving(pair_[0]);
  double const b = leaving(pair_[1]);
  return {.total = a + b, .worst = std::max(a, b), .leaving_a = a, .leaving_b = b};
}

bool GroupSwaps::is_better(Value const& value, Value const& than, Goal goal) const noexcept {
  double const total = than.total - value.total;
  double const worst = than.worst - value.worst;
  double const first = goal == Goal::total ? total : worst;
  double const second = goal == Goal::total ? worst : total;
  return first > tolerance_ || (first > -tolerance_ && second > tolerance_);
}

}  // namespace espalier::mapping
