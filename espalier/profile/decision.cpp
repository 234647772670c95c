// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/decision.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "espalier/neighborhood/catalog.hpp"
#include "espalier/profile/neighbor_choice.hpp"

namespace espalier::profile {
namespace {

struct Candidate {
  Rule const* rule;
  int position;
};

/// Rules for one form that may be used by it or by another one, nearest shape first.
std::vector<Candidate> candidates(std::span<Rule const> rules, CallForm call, Shape shape) {
  auto const is_meant = [&](Rule const& rule) {
    return rule.call == call.call && rule.form == call.form;
  };
  bool has_exact = false;
  for (Rule const& rule : rules) {
    has_exact = has_exact || (is_meant(rule) && rule.shape.covers(shape));
  }
  std::vector<Candidate> result;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    Rule const& rule = rules[i];
    bool const is_near =
        has_exact ? rule.shape.covers(shape) : Distance(rule.shape, shape).is_borrowable();
    if (is_meant(rule) && is_near &&
        (!rule.choice || refuses(call, *rule.choice, shape.num_ranks, 0).empty())) {
      result.push_back({&rule, static_cast<int>(i)});
    }
  }
  std::ranges::stable_sort(result, {}, [&](Candidate const& candidate) {
    return Distance(candidate.rule->shape, shape);
  });
  return result;
}

/// Rules that may be used, in the order in which they are asked.
std::vector<Candidate> all_candidates(std::span<Rule const> rules, CallForm call, Shape shape) {
  std::vector<Candidate> result;
  for (Form const form : all_forms) {
    if (form <= call.form) {
      auto const found = candidates(rules, {.call = call.call, .form = form}, shape);
      result.insert(result.begin(), found.begin(), found.end());
    }
  }
  return result;
}

/// First bytes of all intervals within which no rule begins or ends, ascending.
std::vector<std::int64_t> starts(std::vector<Candidate> const& candidates) {
  std::vector<std::int64_t> result{0};
  for (Candidate const& candidate : candidates) {
    result.push_back(candidate.rule->min_bytes);
    if (candidate.rule->max_bytes != Rule::no_limit) {
      result.push_back(candidate.rule->max_bytes + 1);
    }
  }
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::string name_of(Candidate const& candidate) {
  switch (candidate.rule->source) {
  case Source::memory:
    return "rule of the memory";
  case Source::site:
    return "rule of the site";
  case Source::profile:
    break;
  }
  return "profile rule " + std::to_string(candidate.position);
}

Decision decision_of(Candidate const& candidate, Shape shape) {
  Rule const& rule = *candidate.rule;
  Decision decision{
      .choice = rule.choice,
      .neighbors = rule.neighbors,
      .reason = name_of(candidate),
      .rule = candidate.position,
      .is_borrowed = !rule.shape.covers(shape),
      .source = rule.source,
  };
  if (decision.is_borrowed) {
    decision.reason += ", borrowed from " + rule.shape.text();
  }
  decision.reason += ": " + rule.reason;
  return decision;
}

/// The decision where no candidate covers the size.
Decision uncovered(std::span<Rule const> rules, CallForm call, Shape shape) {
  std::optional<Shape> const nearest = nearest_shape(rules, shape, call);
  bool const is_far = nearest && !Distance(*nearest, shape).is_borrowable();
  return {
      .reason = is_far ? std::string("no rule of the profile is near enough to ") + shape.text() +
                             "; the nearest is for " + nearest->text()
                       : "no rule of the profile covers this",
      .is_open = true,
  };
}

Decision decide(
    std::vector<Candidate> const& candidates,
    Shape shape,
    std::int64_t bytes,
    Decision const& otherwise
) {
  for (Candidate const& candidate : candidates) {
    if (candidate.rule->min_bytes <= bytes && bytes <= candidate.rule->max_bytes) {
      return decision_of(candidate, shape);
    }
  }
  return otherwise;
}

/// The first one, unless only the second one was made for exactly this shape.
Decision const& nearer(Decision const& first, Decision const& second) noexcept {
  bool const is_of_other_shape = first.is_open || first.is_borrowed;
  return is_of_other_shape && !second.is_open && !second.is_borrowed ? second : first;
}

}  // namespace

std::vector<Rule> rules_of_shape(std::span<Rule const> rules, Shape shape) {
  std::vector<Rule> result;
  std::ranges::copy_if(rules, std::back_inserter(result), [&](Rule const& rule) {
    return rule.shape.covers(shape);
  });
  return result;
}

std::optional<Shape>
nearest_shape(std::span<Rule const> rules, Shape shape, std::optional<CallForm> call) {
  std::optional<Shape> nearest;
  for (Rule const& rule : rules) {
    bool const is_meant = call ? rule.is_for(*call) : !is_neighborhood(rule.call);
    if (is_meant && (!nearest || Distance(rule.shape, shape) < Distance(*nearest, shape))) {
      nearest = rule.shape;
    }
  }
  return nearest;
}

std::string Decision::algorithm_text() const {
  if (neighbors != nullptr) {
    return neighborhood::full_name(*neighbors);
  }
  return choice ? choice->text() : "native";
}

Decision decision_named(Call call, std::string_view algorithm, std::string reason) {
  Decision decision{.reason = std::move(reason)};
  if (algorithm == "native") {
    return decision;
  }
  if (is_neighborhood(call)) {
    decision.neighbors = &parse_neighbor_choice(call, algorithm);
  } else {
    decision.choice = algorithms::Choice::parse(algorithm);
  }
  return decision;
}

DecisionTable::DecisionTable(Decision decision) {
  append(Rule::no_limit, std::move(decision));
}

DecisionTable::DecisionTable(std::span<Rule const> rules, CallForm call, Shape shape) {
  std::vector<Candidate> const usable = all_candidates(rules, call, shape);
  std::vector<std::int64_t> const first = starts(usable);
  Decision const otherwise = uncovered(rules, call, shape);
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::int64_t const last = i + 1 < first.size() ? first[i + 1] - 1 : Rule::no_limit;
    append(last, decide(usable, shape, first[i], otherwise));
  }
}

DecisionTable DecisionTable::completed_by(DecisionTable const& other) const {
  DecisionTable both;
  std::size_t own = 0;
  std::size_t others = 0;
  while (own < decisions_.size()) {
    std::int64_t const last = std::min(last_bytes_[own], other.last_bytes_[others]);
    both.append(last, nearer(decisions_[own], other.decisions_[others]));
    own += last_bytes_[own] == last;
    others += other.last_bytes_[others] == last;
  }
  return both;
}

void DecisionTable::append(std::int64_t last_bytes, Decision decision) {
  if (!decisions_.empty() && decisions_.back() == decision) {
    last_bytes_.back() = last_bytes;
    return;
  }
  chooses_ = chooses_ || !decision.is_native();
  last_bytes_.push_back(last_bytes);
  decisions_.push_back(std::move(decision));
}

std::size_t DecisionTable::find(std::int64_t bytes) const noexcept {
  auto const found = std::ranges::lower_bound(last_bytes_, bytes);
  return static_cast<std::size_t>(found - last_bytes_.begin());
}

std::size_t DecisionTable::memory_bytes() const noexcept {
  std::size_t total = sizeof(*this) + last_bytes_.capacity() * sizeof(std::int64_t) +
                      decisions_.capacity() * sizeof(Decision);
  for (Decision const& decision : decisions_) {
    total += decision.reason.capacity();
  }
  return total;
}

Decision
lookup(Profile const& profile, Call call, int num_ranks, int num_nodes, std::int64_t bytes) {
  Shape const shape{.num_ranks = num_ranks, .num_nodes = num_nodes};
  return DecisionTable(profile.rules(), call, shape).at(bytes);
}

}  // namespace espalier::profile
