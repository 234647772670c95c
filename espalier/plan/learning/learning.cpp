// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/learning.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "espalier/machine/sources/interconnect.hpp"
#include "espalier/machine/text/file.hpp"

namespace espalier::plan {
namespace {

/// The model may take so long to find candidates for one kind of call, and so many are tried.
constexpr std::chrono::milliseconds longest_search{5};
constexpr int most_proposals = 3;

}  // namespace

Learning::Learning(
    LearningBound const& bound, MachineText machine, std::span<int const> node_of_rank
)
    : allowance_(bound.seconds, bound.share), node_of_rank_(node_of_rank),
      machine_(std::move(machine)) {}

std::vector<learn::Proposal> Learning::propose(
    profile::Call call, profile::Shape shape, double bytes, std::vector<int> const& world_ranks
) {
  learn::Place const place = place_of(shape.num_ranks, world_ranks);
  return learn::shortlist(call, bytes, place, most_proposals, longest_search);
}

learn::Place Learning::place_of(int num_ranks, std::vector<int> const& world_ranks) {
  learn::Place place;
  for (int rank = 0; rank < num_ranks; ++rank) {
    auto const index = static_cast<std::size_t>(rank);
    int const world_rank = world_ranks.empty() ? rank : world_ranks[index];
    place.node_of_rank.push_back(
        node_of_rank_.empty() ? 0 : node_of_rank_[static_cast<std::size_t>(world_rank)]
    );
  }
  std::lock_guard const lock(mutex_);
  if (!has_links_) {
    find_links();
    has_links_ = true;
  }
  place.between_nodes = between_nodes_;
  place.within_node = within_node_;
  return place;
}

/// Of the described machine; what it does not say, or if none is, what is usual for such parts.
void Learning::find_links() {
  if (!machine_.text.empty()) {
    machine::Machine const described = machine::read(machine_.text, machine_.origin);
    between_nodes_ = described.link(described.node_level());
    within_node_ = described.link(described.num_levels() - 1);
  }
  std::map<int, int> ranks_on_node;
  int most_on_a_node = 1;
  for (int const node : node_of_rank_) {
    most_on_a_node = std::max(most_on_a_node, ++ranks_on_node[node]);
  }
  auto const num_processors = static_cast<int>(std::thread::hardware_concurrency());
  if (between_nodes_ == machine::Link{}) {
    between_nodes_ = machine::stock_link(machine::find_interconnect());
  }
  if (within_node_ == machine::Link{}) {
    within_node_ = machine::stock_link_within_node(most_on_a_node, num_processors);
  }
}

LearningReport Learning::report() const {
  LearningReport report{
      .lost_seconds = allowance_.spent(),
      .bound_seconds = allowance_.bound(elapsed()),
  };
  for (Lesson const& lesson : lessons()) {
    ++(lesson.algorithm == "native" ? report.num_native : report.num_faster);
  }
  return report;
}

void Learning::note(Lesson lesson) {
  std::lock_guard const lock(mutex_);
  Key const key{lesson.call, lesson.shape.num_ranks, lesson.shape.num_nodes, lesson.min_bytes};
  lessons_[key] = std::move(lesson);
}

std::vector<Lesson> Learning::lessons() const {
  std::lock_guard const lock(mutex_);
  std::vector<Lesson> lessons;
  lessons.reserve(lessons_.size());
  for (auto const& [key, lesson] : lessons_) {
    lessons.push_back(lesson);
  }
  return lessons;
}

std::optional<Lesson>
Learning::lesson(profile::Call call, profile::Shape shape, std::int64_t bytes) const {
  std::lock_guard const lock(mutex_);
  auto const found =
      lessons_.find({call, shape.num_ranks, shape.num_nodes, lesson_sizes(call, bytes).min_bytes});
  return found == lessons_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace espalier::plan
