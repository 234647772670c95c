// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/repertoire.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "espalier/candidates/machine_variants.hpp"
#include "espalier/learn/outline.hpp"

namespace espalier::learn {
namespace {

using algorithms::Choice;
using schedule::RankProgram;

/// Replays of all choices take some milliseconds for so many ranks, and ten times as long for eight
/// times as many.
constexpr int most_replayed_ranks = 16;

constexpr std::size_t mebibyte = std::size_t{1} << 20U;
constexpr std::size_t most_program_bytes = 4 * mebibyte;
constexpr std::size_t most_outline_bytes = 2 * mebibyte;
constexpr std::size_t most_repertoires = 4;

Repertoire::Family family_of(Choice const& choice) {
  bool const is_grouped =
      choice.is_dealt() || choice.arguments().has("rows") || choice.arguments().has("sizes");
  return {&choice.algorithm(), is_grouped};
}

/// A choice of the large communicator and of the small one.
struct Candidate {
  Choice choice;
  Choice small;
  int turn = 0;  ///< how many of its family come before it
};

std::vector<Candidate> in_turns(std::vector<Candidate> candidates) {
  std::map<Repertoire::Family, int> num_met;
  for (Candidate& candidate : candidates) {
    candidate.turn = num_met[family_of(candidate.choice)]++;
  }
  std::ranges::stable_sort(candidates, {}, [](Candidate const& candidate) {
    return std::pair(candidate.turn, !family_of(candidate.choice).second);
  });
  return candidates;
}

std::size_t bytes_of(std::vector<RankProgram> const& programs) {
  return std::accumulate(
      programs.begin(),
      programs.end(),
      std::size_t{0},
      [](std::size_t sum, auto const& program) {
        return sum + program.operations.size() * sizeof(schedule::Operation) +
               program.slot_pool.size() * sizeof(schedule::Slot) +
               program.wait_pool.size() * sizeof(int);
      }
  );
}

}  // namespace

Repertoire::Repertoire(schedule::Collective collective, std::vector<int> node_of_rank)
    : collective_(collective), node_of_rank_(std::move(node_of_rank)),
      stand_in_(node_of_rank_, most_replayed_ranks),
      setting_(cost::on_nodes({}, {}, stand_in_.node_of_rank())),
      outline_bytes_left_(most_outline_bytes) {
  add_candidates();
  generated_ = std::make_unique<cost::GeneratedChoices>(small_, 0, setting_, most_program_bytes);
  outlines_.resize(size());
}

void Repertoire::add_candidates() {
  std::vector<Candidate> found;
  for (Choice& choice : candidates::node_variants(collective_, node_of_rank_)) {
    if (std::optional<Choice> small = stand_in_.translated(choice)) {
      found.push_back({.choice = std::move(choice), .small = std::move(*small)});
    }
  }
  for (Candidate& candidate : in_turns(std::move(found))) {
    choices_.push_back(std::move(candidate.choice));
    small_.push_back(std::move(candidate.small));
    is_first_.push_back(candidate.turn == 0);
  }
}

Repertoire::Family Repertoire::family(std::size_t number) const {
  return family_of(choices_[number]);
}

double Repertoire::seconds_of_stand_in(std::size_t number, Situation const& small) {
  return replay_time(generated_->steps(number, small.num_bytes), small);
}

double Repertoire::seconds(std::size_t number, Situation const& small, Situation const& large) {
  double const seconds = seconds_of_stand_in(number, small);
  if (small.setting.num_ranks() == large.setting.num_ranks()) {
    return seconds;
  }
  Outlines const& kept = outlines_[number];
  Outlines made = kept.small.empty() ? outlines(number) : Outlines();
  Outlines const& used = kept.small.empty() ? made : kept;
  double const here = outline(used.small, small.setting, small.num_bytes);
  double const there = outline(used.large, large.setting, large.num_bytes);
  if (kept.small.empty()) {
    keep(number, std::move(made));
  }
  return here > 0 ? seconds / here * there : seconds;
}

Repertoire::Outlines Repertoire::outlines(std::size_t number) const {
  return {
      .small = outline_programs(small_[number], stand_in_.num_ranks()),
      .large = outline_programs(choices_[number], static_cast<int>(node_of_rank_.size())),
  };
}

void Repertoire::keep(std::size_t number, Outlines outlines) {
  std::size_t const bytes = bytes_of(outlines.small) + bytes_of(outlines.large);
  if (bytes <= outline_bytes_left_) {
    outline_bytes_left_ -= bytes;
    outlines_[number] = std::move(outlines);
  }
}

std::unique_ptr<Repertoire>
Repertoires::take(schedule::Collective collective, std::vector<int> const& node_of_rank) {
  std::unique_lock lock(mutex_);
  auto const found = std::ranges::find_if(known_, [&](auto const& one) {
    return one->is_of(collective, node_of_rank);
  });
  if (found == known_.end()) {
    lock.unlock();
    return std::make_unique<Repertoire>(collective, node_of_rank);
  }
  std::unique_ptr<Repertoire> taken = std::move(*found);
  known_.erase(found);
  return taken;
}

void Repertoires::put_back(std::unique_ptr<Repertoire> used) {
  std::lock_guard const lock(mutex_);
  if (known_.size() == most_repertoires) {
    known_.erase(known_.begin());
  }
  known_.push_back(std::move(used));
}

}  // namespace espalier::learn
