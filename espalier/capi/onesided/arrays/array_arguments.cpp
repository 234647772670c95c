// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/arrays/array_arguments.hpp"

#include <cstddef>
#include <limits>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/capi/arguments.hpp"
#include "espalier/capi/onesided/team_call.hpp"
#include "espalier/onesided/array/region.hpp"

namespace espalier::capi {

using onesided::ArrayDimension;
using onesided::BlockInterval;
using onesided::BlockPlace;
using onesided::Distribution;
using onesided::OwnedBlock;

static_assert(ESPALIER_ARRAY_MAX_DIMS == onesided::most_dims);

Distribution read(espalier_distribution const* given, int num_members) {
  check_pointer(given, "distribution");
  if (given->size != sizeof(espalier_distribution) || given->flags != 0) {
    throw Error(
        ErrorCode::argument,
        "expected a distribution set by ESPALIER_DISTRIBUTION_INIT with flags 0"
    );
  }
  if (given->ndims < 1 || given->ndims > ESPALIER_ARRAY_MAX_DIMS) {
    throw Error(
        ErrorCode::argument,
        formatted("expected ndims in 1 .. {}, got {}", ESPALIER_ARRAY_MAX_DIMS, given->ndims)
    );
  }
  std::vector<ArrayDimension> dims;
  dims.reserve(static_cast<std::size_t>(given->ndims));
  for (int dim = 0; dim < given->ndims; ++dim) {
    dims.push_back(
        {.extent = given->extents[dim], .block = given->block[dim], .grid = given->grid[dim]}
    );
  }
  return {std::move(dims), num_members};
}

std::uint64_t checked_element_bytes(MPI_Datatype datatype) {
  TeamCall const call{.collective = schedule::Collective::bcast, .count = 1, .datatype = datatype};
  return static_cast<std::uint64_t>(check(call, 1).extent_bytes);
}

std::uint64_t array_bytes(Distribution const& distribution, std::uint64_t element_bytes) {
  auto const num_elements = static_cast<std::uint64_t>(distribution.num_elements());
  // Offsets in a segment are sums of two of them.
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / 4;
  if (num_elements > most / element_bytes) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected an array of at most {} bytes on each member, got {} elements of {} bytes",
            most,
            num_elements,
            element_bytes
        )
    );
  }
  return num_elements * element_bytes;
}

void check_room(espalier_array const& array) {
  std::uint64_t const num_bytes = array_bytes(array.distribution, array.element_bytes);
  espalier_team const& team = *array.team;
  for (int rank = 0; rank < team.team.num_ranks(); ++rank) {
    std::uint64_t const room = team.conduit->places.num_bytes(team.team.conduit_rank(rank));
    if (array.offset > room || num_bytes > room - array.offset) {
      throw Error(
          ErrorCode::argument,
          formatted(
              "expected an array inside of segments, got {} bytes at offset {}, and the segment of "
              "rank {} of the team has {} bytes",
              num_bytes,
              array.offset,
              rank,
              room
          )
      );
    }
  }
}

std::vector<OwnedBlock> blocks_of(espalier_region const* region) {
  check_pointer(region, "region");
  check_pointer(region->array, "array of a region");
  espalier_array const& array = *region->array;
  std::vector<BlockInterval> intervals;
  for (std::size_t dim = 0; dim < array.distribution.dims().size(); ++dim) {
    espalier_blocks const& one = region->blocks[dim];
    intervals.push_back({.first = one.first, .stride = one.stride, .last = one.last});
  }
  std::vector<OwnedBlock> result;
  for (BlockPlace const& place : onesided::blocks_of(array.distribution, intervals)) {
    auto const slot = static_cast<std::uint64_t>(place.slot);
    result.push_back({.rank = place.rank, .offset = array.offset + slot * array.block_bytes()});
  }
  return result;
}

}  // namespace espalier::capi
