// SPDX-License-Identifier: Apache-2.0

/// @file
/// What can serve a request: each variant of the catalog in each way of moving data. What an
/// algorithm or a form can do is asked of the catalog and of schedule::refusal(); of its programs
/// the rest.

#pragma once

#include <functional>
#include <vector>

#include "espalier/cost/one_sided/request.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::cost {

/// The variants of the catalog that accept the ranks and the root, and keep the order of operands.
/// @throws Error argument unless 0 <= root < num_ranks and sizes are at least 0.
[[nodiscard]] std::vector<algorithms::Choice> applicable_choices(OneSidedRequest const& request);

/// A candidate with the programs of all ranks.
struct OneSidedPrograms {
  OneSidedCandidate candidate;
  std::vector<schedule::RankProgram> programs;
};

/// Calls visit(OneSidedPrograms const&) for each candidate with this choice, until it returns
/// false: for the forms that are legal for the request and stay within its limits, each with other
/// programs than those before. Never if the schedule is no one in rounds.
/// @param choice one of applicable_choices().
void for_each_form(
    OneSidedRequest const& request,
    algorithms::Choice const& choice,
    std::function<bool(OneSidedPrograms const&)> const& visit
);

/// All candidates of a request, in the order of the catalog.
/// @throws Error as applicable_choices().
[[nodiscard]] std::vector<OneSidedCandidate> one_sided_candidates(OneSidedRequest const& request);

}  // namespace espalier::cost
