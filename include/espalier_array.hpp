/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * espalier_array.h for C++20: arrays that free themselves, exceptions. Header only; what calls
 * mean, and which of them are collective, is told there.
 *
 * @code
 *     espalier::SharedArray a(team, espalier::distribution({200, 200}, {4, 4}, {2}), MPI_DOUBLE);
 *     espalier::Request step = espalier::array_bcast(
 *         a.region({{0}, {0}}), a.region({{0}, {1, 1, -1}}), 16
 *     );
 *     step.start();
 *     compute_something_else();
 *     step.wait();
 * @endcode
 */

#ifndef ESPALIER_ARRAY_HPP
#define ESPALIER_ARRAY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>

#include "espalier_onesided.hpp"
#include <espalier_array.h>

#include <mpi.h>

namespace espalier {

/** What is left out is 0, which is chosen. */
inline espalier_distribution distribution(
    std::initializer_list<std::int64_t> extents,
    std::initializer_list<std::int64_t> block = {},
    std::initializer_list<int> grid = {}
) {
  espalier_distribution result = ESPALIER_DISTRIBUTION_INIT;
  if (extents.size() > ESPALIER_ARRAY_MAX_DIMS || block.size() > extents.size() ||
      grid.size() > extents.size()) {
    throw std::invalid_argument("expected at most 4 extents, and as many blocks and positions");
  }
  result.ndims = static_cast<int>(extents.size());
  std::ranges::copy(extents, result.extents);
  std::ranges::copy(block, result.block);
  std::ranges::copy(grid, result.grid);
  return result;
}

class SharedArray : public Owned<espalier_array, espalier_array_free> {
public:
  SharedArray(
      Team& team,
      espalier_distribution const& distribution,
      MPI_Datatype datatype,
      std::uint64_t offset = 0
  ) {
    require_success(espalier_array_create(team.get(), &distribution, datatype, offset, place()));
  }

  [[nodiscard]] espalier_distribution distribution() const {
    espalier_distribution result = ESPALIER_DISTRIBUTION_INIT;
    require_success(espalier_array_distribution(get(), &result));
    return result;
  }

  /** @param element  As many numbers as the array has dimensions. */
  [[nodiscard]] Remote place_of(std::initializer_list<std::int64_t> element) const {
    if (element.size() != static_cast<std::size_t>(distribution().ndims)) {
      throw std::invalid_argument("expected a number for each dimension of the array");
    }
    Remote result{};
    require_success(espalier_array_place(get(), element.begin(), &result));
    return result;
  }

  /** Refers to the array.
   *
   * @param blocks  Of each dimension: {i} is block i, {first, stride, last} several. */
  [[nodiscard]] espalier_region region(std::initializer_list<espalier_blocks> blocks) const {
    if (blocks.size() != static_cast<std::size_t>(distribution().ndims)) {
      throw std::invalid_argument("expected blocks of each dimension of the array");
    }
    espalier_region result{get(), {}};
    std::ranges::copy(blocks, result.blocks);
    return result;
  }
};

[[nodiscard]] inline bool has_affinity(espalier_region const& region) {
  int result = 0;
  require_success(espalier_region_has_affinity(&region, &result));
  return result != 0;
}

inline void team_cache_limits(Team& team, int most_teams, std::uint64_t scratch_bytes = 0) {
  require_success(espalier_team_cache_limits(team.get(), most_teams, scratch_bytes));
}

[[nodiscard]] inline int team_cache_size(Team const& team) noexcept {
  return espalier_team_cache_size(team.get());
}

inline void team_cache_clear(Team& team) {
  require_success(espalier_team_cache_clear(team.get()));
}

[[nodiscard]] inline Request array_bcast(
    espalier_region const& from, espalier_region const& to, int count, TeamOptions options = nullptr
) {
  return Request::planned(espalier_array_bcast_init, &from, &to, count, options);
}

[[nodiscard]] inline Request array_scatter(
    espalier_region const& from, espalier_region const& to, int count, TeamOptions options = nullptr
) {
  return Request::planned(espalier_array_scatter_init, &from, &to, count, options);
}

[[nodiscard]] inline Request array_gather(
    espalier_region const& from, espalier_region const& to, int count, TeamOptions options = nullptr
) {
  return Request::planned(espalier_array_gather_init, &from, &to, count, options);
}

[[nodiscard]] inline Request array_exchange(
    espalier_region const& from, espalier_region const& to, int count, TeamOptions options = nullptr
) {
  return Request::planned(espalier_array_exchange_init, &from, &to, count, options);
}

[[nodiscard]] inline Request array_reduce(
    espalier_region const& from,
    espalier_region const& to,
    int count,
    MPI_Op op,
    TeamOptions options = nullptr
) {
  return Request::planned(espalier_array_reduce_init, &from, &to, count, op, options);
}

}  // namespace espalier

#endif
