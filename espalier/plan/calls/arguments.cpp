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

void CoveredBytes::add(Part const& block, bool is_sent) {
  if (block.bytes > 0 && block.type.is_gapless) {
    auto const begin = reinterpret_cast<std::uintptr_t>(block.address);
    intervals_.push_back({begin, begin + static_cast<std::uintptr_t>(block.bytes), is_sent});
  }
}

void CoveredBytes::add(Part const& all, BlockList const& blocks, bool is_sent) {
  for (int i = 0; i < blocks.num_blocks; ++i) {
    Part block = all;
    block.address =
        static_cast<char const*>(all.address) + blocks.displacements[i] * all.type.size_bytes;
    block.bytes = product(blocks.counts[i], all.type.size_bytes);
    add(block, is_sent);
  }
}

bool CoveredBytes::meet() {
  std::ranges::sort(intervals_, {}, &Interval::begin);
  std::uintptr_t end_of_sent = 0;
  std::uintptr_t end_of_received = 0;
  return std::ranges::any_of(intervals_, [&](Interval const& next) {
    std::uintptr_t& own_end = next.is_sent ? end_of_sent : end_of_received;
    std::uintptr_t const other_end = next.is_sent ? end_of_received : end_of_sent;
    own_end = std::max(own_end, next.end);
    return next.begin < other_end;
  });
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
