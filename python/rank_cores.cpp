// SPDX-License-Identifier: Apache-2.0

#include "python/rank_cores.hpp"

#include "espalier/machine/tree/placement.hpp"

namespace espalier::python {

std::vector<int>
cores_of_ranks(machine::MachineFile const& file, std::string_view placement, int num_ranks) {
  auto const known = static_cast<int>(file.core_of_rank.size());
  if (placement.empty() && known > 0 && (num_ranks == 0 || num_ranks == known)) {
    return file.core_of_rank;
  }
  return machine::place(
      file.machine,
      placement.empty() ? "block" : placement,
      num_ranks > 0 ? num_ranks : file.machine.num_cores()
  );
}

}  // namespace espalier::python
