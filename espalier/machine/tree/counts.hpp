// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/machine/tree/link.hpp"
#include "espalier/machine/tree/machine.hpp"
#include "espalier/machine/tree/torus.hpp"

namespace espalier::machine {

/// Objects a machine may have, of any level.
constexpr std::int64_t most_cores = std::int64_t{1} << 24;

/// A level by how many objects each object of the level above has.
struct Counts {
  std::string name;
  std::vector<int> of_parent;  ///< one for each object above, or a single one for all of them
  Link link{};
};

/// Makes a single number of a level one for each object above, and returns how many objects the
/// level has.
/// @param shown what complaints quote.
/// @throws Error argument for another number of numbers, one below 1, or more than most_cores.
std::int64_t expand(Counts& level, std::int64_t num_parents, std::string_view shown);

/// The machine with these levels, outermost first.
/// @throws Error argument as expand() and as Machine's constructor.
[[nodiscard]] Machine build(std::vector<Counts> levels, Torus torus = {});

/// The inverse of build(), with a number for each object above.
[[nodiscard]] std::vector<Counts> counts_of(Machine const& machine);

}  // namespace espalier::machine
