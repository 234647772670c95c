// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/calls/arguments.hpp"

#include <algorithm>
#include <limits>

#include "espalier/plan/irregular/elements.hpp"

namespace espalier::plan {

std::optional<std::int64_t> total_of(exec::Integers counts, int num_counts) noexcept {
  if (counts == nullptr) {
    return std::nullopt;
  }
  std::int64_t total = 0;
  for (int i = 0; i < num_counts; ++i) {
    std::int64_t const count = counts[i];
    if (count < 0) {
      return std::nullopt;
    }
    total = sum(total, count);
  }
  return total;
}

std::optional<Part>
part_of(void const* address, std::int64_t count, MPI_Datatype type, NamedTypes& types) {
  if (count < 0 || type == MPI_DATATYPE_NULL || address == MPI_IN_PLACE) {
    return std::nullopt;
  }
  TypeFacts const facts = types.facts(type);
  Part const part{address, facts, product(count, facts.size_bytes)};
  return part.is_missing() ? std::nullopt : std::optional(part);
}

Part at_element(Part part, std::int64_t element, MPI_Datatype type) {
  if (part.address != nullptr) {
    part.address = at_extent(part.address, element, type);
  }
  return part;
}

Part hull_of(Part const& all, BlockList const& blocks, int own, MPI_Datatype type) {
  if (!all.type.is_gapless) {
    return at_element(all, blocks.displacements[own], type);
  }
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (int i = 0; i < blocks.num_blocks; ++i) {
    std::int64_t const count = blocks.counts[i];
    if (count > 0) {
      std::int64_t const first = blocks.displacements[i];
      begin = std::min(begin, first);
      end = std::max(end, first + count);
    }
  }
  if (end <= begin) {
    return {};
  }
  Part result = all;
  result.address = static_cast<char const*>(all.address) + begin * all.type.size_bytes;
  result.bytes = (end - begin) * all.type.size_bytes;
  return result;
}

}  // namespace espalier::plan
