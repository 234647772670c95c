// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "espalier/mapping/search/portfolio.hpp"

namespace espalier::mapping {

/// True if this build has libscotch.
[[nodiscard]] bool has_scotch() noexcept;

/// Version of libscotch, e.g. 7.0.3; empty without it.
[[nodiscard]] std::string scotch_version();

/// The mapper `scotch` [pellegrini1996]: parts for each level from the outermost in, always with
/// the same seed on one thread. Scotch balances only nearly, so vertices are moved, the cheapest
/// first, until every group has its size.
/// @throws Error unsupported if this build has no libscotch; its call, if libscotch fails.
[[nodiscard]] GraphMapper scotch_mapper();

}  // namespace espalier::mapping
