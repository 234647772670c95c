// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "espalier/machine/job/job_view.hpp"
#include "espalier/machine/job/reach.hpp"
#include "espalier/machine/job/seating.hpp"
#include "espalier/machine/job/site.hpp"

namespace espalier::machine {

/// A fact the reader of a result has to know: what was seen, and what it does to the result.
struct Finding {
  std::string kind;  ///< stable name, as listed at the functions below
  std::string text;  ///< a sentence, lower case, no full stop

  friend bool operator==(Finding const&, Finding const&) = default;
};

/// What is odd about ranks and their names: one_rank, simulated, no_name, same_name (of groups that
/// share no memory), several_names (of one that does), launcher (says something else), warning.
[[nodiscard]] std::vector<Finding>
findings_about_ranks(JobView const& job, std::vector<Site> const& sites);

/// What is odd about nodes: container, disallowed (processors), quota (of processor time),
/// core_kinds, unknown_cores, different_nodes, uneven_ranks.
[[nodiscard]] std::vector<Finding> findings_about_nodes(std::vector<Site> const& sites);

/// What is odd about where ranks may run: unbound, loosely_bound (with others), wide (several
/// objects of a level each, but no others there), oversubscribed, same_core (although there are
/// free ones).
[[nodiscard]] std::vector<Finding> findings_about_binding(
    std::vector<Site> const& sites, Reaches const& reaches, Seating const& seating
);

}  // namespace espalier::machine
