// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "include/espalier.h"

#include "espalier/capi/arguments.hpp"
#include "espalier/mapping/dims/stencil.hpp"
#include "espalier/mapping/places.hpp"
#include "espalier/mapping/search/portfolio.hpp"

namespace espalier::capi {

enum class Objective { balanced, total, worst };

/// espalier_cart_options, checked.
struct CartOptions {
  std::optional<mapping::Stencil> stencil{};
  std::vector<double> level_costs{};
  Objective objective = Objective::balanced;
  std::string algorithm{};  ///< empty: the best of all
  bool is_verbose = false;

  void add_to(Fingerprint& fingerprint) const;
};

/// @param options null: defaults.
/// @throws plan::ClassError.
[[nodiscard]] CartOptions checked(espalier_cart_options const* options, int ndims);

/// Places with costs of their levels in place of what they have; levels beyond count
/// Places::inner_cost of the level outside.
[[nodiscard]] mapping::Places
with_costs(mapping::Places const& places, std::vector<double> const& costs);

/// The best mapping by an objective, never worse than the identity.
[[nodiscard]] mapping::Mapping map_by(mapping::Problem const& problem, CartOptions const& options);

}  // namespace espalier::capi
