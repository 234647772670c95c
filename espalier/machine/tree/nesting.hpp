// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "espalier/machine/tree/machine.hpp"

namespace espalier::machine {

/// A way to divide units (what shall be the cores of a machine): units with the same label belong
/// together.
struct Division {
  std::string name;
  std::vector<int> label_of_unit;
};

/// Divisions as the levels of a machine.
struct Nesting {
  std::vector<Level> levels;
  std::vector<int> unit_of_core;
  std::vector<std::string> cut;  ///< divisions that did not lie inside the one above
};

/// Orders divisions by how many objects they have (equal ones as given), cuts each where the one
/// above is cut, and leaves out those that add nothing to the one above; `node` and the last one,
/// which has a label for each unit, always stay. Objects, and cores in them, come in the order of
/// their first units.
[[nodiscard]] Nesting nest(std::vector<Division> divisions);

}  // namespace espalier::machine
