// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/cart_options.hpp"

#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "espalier/plan/failure.hpp"

namespace espalier::capi {
namespace {

using mapping::Mapping;
using mapping::Places;
using mapping::Score;
using mapping::Stencil;

[[noreturn]] void refuse(std::string const& text) {
  throw plan::ClassError(MPI_ERR_ARG, text);
}

void check_frame(espalier_cart_options const& options) {
  if (options.size != sizeof(espalier_cart_options)) {
    refuse(
        "expected options of " + std::to_string(sizeof(espalier_cart_options)) + " bytes, got " +
        std::to_string(options.size) + "; initialise them with ESPALIER_CART_OPTIONS_INIT"
    );
  }
  if (options.flags != 0) {
    refuse("flags must be 0, got " + std::to_string(options.flags));
  }
  if (options.num_neighbors < 0 || options.num_level_costs < 0) {
    refuse("num_neighbors and num_level_costs must be at least 0");
  }
}

std::optional<Stencil> stencil_of(espalier_cart_options const& options, int ndims) {
  if (options.num_neighbors == 0) {
    return std::nullopt;
  }
  check_pointer(options.offsets, "offsets");
  std::vector<Stencil::Neighbor> neighbors;
  for (int i = 0; i < options.num_neighbors; ++i) {
    int const* const offset = options.offsets + static_cast<std::ptrdiff_t>(i) * ndims;
    neighbors.push_back({
        .offset = {offset, offset + ndims},
        .weight = options.weights == nullptr ? 1 : options.weights[i],
    });
  }
  return Stencil(ndims, std::move(neighbors));
}

std::vector<double> costs_of(espalier_cart_options const& options) {
  if (options.num_level_costs == 0) {
    return {};
  }
  check_pointer(options.level_costs, "level_costs");
  std::vector<double> costs(options.level_costs, options.level_costs + options.num_level_costs);
  for (double const cost : costs) {
    if (!(cost > 0) || !std::isfinite(cost)) {
      refuse("expected level_costs that are finite and above 0, got " + std::to_string(cost));
    }
  }
  return costs;
}

Objective objective_of(char const* name) {
  std::string_view const text = name == nullptr ? "balanced" : name;
  if (text == "total") {
    return Objective::total;
  }
  if (text == "worst") {
    return Objective::worst;
  }
  if (text != "balanced") {
    refuse("expected balanced, total or worst as objective, got '" + std::string(text) + "'");
  }
  return Objective::balanced;
}

double value_of(Score const& score, Objective objective) {
  switch (objective) {
  case Objective::total:
    return score.total;
  case Objective::worst:
    return score.worst;
  default:
    return score.objective;
  }
}

/// The algorithm whose mapping has the least value, if that is less than what was found.
std::string better_algorithm(Mapping const& found, Objective objective) {
  double least = value_of(found.after, objective);
  std::string name;
  for (mapping::Trial const& trial : found.trials) {
    bool const may_serve = trial.score && is_better(*trial.score, found.before);
    if (may_serve && value_of(*trial.score, objective) < least) {
      least = value_of(*trial.score, objective);
      name = trial.algorithm;
    }
  }
  return name;
}

}  // namespace

void CartOptions::add_to(Fingerprint& fingerprint) const {
  fingerprint.add(stencil ? stencil->to_text() : std::string());
  fingerprint.add(level_costs);
  fingerprint.add(algorithm);
  fingerprint.add(std::vector{static_cast<int>(objective)});
}

CartOptions checked(espalier_cart_options const* options, int ndims) {
  if (options == nullptr) {
    return {};
  }
  check_frame(*options);
  return {
      .stencil = stencil_of(*options, ndims),
      .level_costs = costs_of(*options),
      .objective = objective_of(options->objective),
      .algorithm = options->algorithm == nullptr ? "" : options->algorithm,
      .is_verbose = options->verbose != 0,
  };
}

Places with_costs(Places const& places, std::vector<double> const& costs) {
  if (costs.empty()) {
    return places;
  }
  std::vector<Places::LevelGroups> levels;
  for (int level = 0; level < places.num_levels(); ++level) {
    auto const idx = static_cast<std::size_t>(level);
    double const inner = levels.empty() ? 1 : levels.back().cost * Places::inner_cost;
    Places::LevelGroups next = places.groups(level);
    next.cost = idx < costs.size() ? costs[idx] : inner;
    levels.push_back(std::move(next));
  }
  return Places(std::move(levels));
}

Mapping map_by(mapping::Problem const& problem, CartOptions const& options) {
  mapping::MappingOptions wanted;
  if (!options.algorithm.empty()) {
    wanted.algorithms = {options.algorithm};
  }
  Mapping found = map_grid(problem, wanted);
  std::string const name = better_algorithm(found, options.objective);
  if (name.empty()) {
    return found;
  }
  // Only scores of trials are kept, so the one that is wanted is made again.
  std::size_t const end = name.find(" + search");
  wanted.algorithms = {name.substr(0, end)};
  wanted.searches = end != std::string::npos;
  Mapping other = map_grid(problem, wanted);
  bool const is_less =
      value_of(other.after, options.objective) < value_of(found.after, options.objective);
  return is_less ? other : found;
}

}  // namespace espalier::capi
