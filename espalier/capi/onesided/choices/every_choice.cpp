// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/choices/every_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "espalier/candidates/machine_variants.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::capi {
namespace {

using algorithms::Choice;
using schedule::Mechanism;

/// A choice, and which of the variants of its algorithm it is.
struct Variant {
  Choice choice;
  int number;
};

/// Tells choices that were not seen, and have other programs than those that were.
class Distinct {
public:
  explicit Distinct(SafeRequest const& request) : request_(&request) {}

  bool is_new(Choice const& choice) {
    if (std::ranges::find(choices_, choice) != choices_.end()) {
      return false;
    }
    choices_.push_back(choice);
    return request_->num_ranks > most_ranks || has_new_programs(choice);
  }

private:
  /// Of more ranks few variants have the same programs, and to find them takes long.
  static constexpr int most_ranks = 16;

  bool has_new_programs(Choice const& choice) {
    std::vector<schedule::RankProgram> programs;
    programs.reserve(static_cast<std::size_t>(request_->num_ranks));
    for (int rank = 0; rank < request_->num_ranks; ++rank) {
      programs.push_back(choice.generate(request_->num_ranks, request_->root, rank));
    }
    bool const is_new = std::ranges::find(programs_, programs) == programs_.end();
    if (is_new) {
      programs_.push_back(std::move(programs));
    }
    return is_new;
  }

  SafeRequest const* request_;
  std::vector<Choice> choices_;
  std::vector<std::vector<schedule::RankProgram>> programs_;
};

/// The nodes do not matter where there is one, or one for each rank.
std::vector<Choice> variants(SafeRequest const& request, std::vector<int> const& node_of_rank) {
  return node_of_rank.empty() ? algorithms::variants(request.collective, request.num_ranks)
                              : candidates::node_variants(request.collective, node_of_rank);
}

std::vector<Variant>
serving_variants(SafeRequest const& request, std::vector<int> const& node_of_rank) {
  std::vector<Variant> result;
  for (Choice& choice : variants(request, node_of_rank)) {
    if (!serves(choice, request)) {
      continue;
    }
    bool const is_first =
        result.empty() || &result.back().choice.algorithm() != &choice.algorithm();
    int const number = is_first ? 0 : result.back().number + 1;
    result.push_back({.choice = std::move(choice), .number = number});
  }
  std::ranges::stable_sort(result, {}, &Variant::number);
  return result;
}

std::vector<Mechanism> mechanisms(SafeRequest const& request, NamedParts const& named) {
  if (named.mechanism) {
    return {*named.mechanism};
  }
  std::vector<Mechanism> result = legal_mechanisms(request);
  if (request.collective == schedule::Collective::barrier) {
    result.resize(1);
  }
  return result;
}

/// What the rule tries, within what is named.
std::vector<SafeChoice> first_choices(
    SafeRequest const& request,
    NamedParts const& named,
    std::vector<Mechanism> const& ways,
    Distinct& distinct
) {
  std::vector<SafeChoice> result;
  std::vector<Choice> taken;
  for (SafeChoice& candidate : safe_choices(request, named)) {
    if (std::ranges::find(ways, candidate.mechanism) == ways.end()) {
      continue;
    }
    if (distinct.is_new(candidate.choice)) {
      taken.push_back(candidate.choice);
    }
    if (std::ranges::find(taken, candidate.choice) != taken.end()) {
      result.push_back(std::move(candidate));
    }
  }
  return result;
}

}  // namespace

std::vector<SafeChoice> every_choice(
    SafeRequest const& request, NamedParts const& named, std::vector<int> const& node_of_rank
) {
  std::vector<Mechanism> const ways = mechanisms(request, named);
  Distinct distinct(request);
  std::vector<SafeChoice> result = first_choices(request, named, ways, distinct);
  if (named.algorithm) {
    return result;
  }
  std::vector<Variant> variants = serving_variants(request, node_of_rank);
  std::erase_if(variants, [&](Variant const& one) { return !distinct.is_new(one.choice); });
  int const last_number = variants.empty() ? 0 : variants.back().number;
  int const num_ways = static_cast<int>(ways.size());
  for (int step = 0; step < num_ways + last_number; ++step) {
    for (Variant const& one : variants) {
      int const way = step - one.number;
      if (way >= 0 && way < num_ways) {
        result.push_back({.choice = one.choice, .mechanism = ways[static_cast<std::size_t>(way)]});
      }
    }
  }
  return result;
}

}  // namespace espalier::capi
