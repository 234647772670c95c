// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_told.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "espalier/base/format.hpp"
#include "espalier/capi/agreement.hpp"
#include "espalier/capi/onesided/team_gather.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {
namespace {

/// What one member tells the others.
struct Told {
  std::int64_t mpi_class = MPI_SUCCESS;
  std::int64_t fingerprint = 0;
  BufferOffsets offsets;
};

using Numbers = std::array<int, sizeof(Told) / sizeof(int)>;

std::vector<Told> told_by_all(espalier_team& team, Told const& own) {
  auto const numbers = std::bit_cast<Numbers>(own);
  std::vector<int> const all = numbers_of_all(team, numbers);
  std::vector<Told> result;
  for (std::size_t begin = 0; begin < all.size(); begin += numbers.size()) {
    Numbers one{};
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(begin), one.size(), one.begin());
    result.push_back(std::bit_cast<Told>(one));
  }
  return result;
}

/// The first member of which something is wrong counts, so that all throw the same.
/// @param own  what this member says of itself; empty: nothing is wrong with it
void check_told(std::vector<Told> const& all, std::string const& own) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].mpi_class != MPI_SUCCESS) {
      throw plan::ClassError(
          static_cast<int>(all[rank].mpi_class),
          own.empty() ? formatted("the arguments of rank {} of the team are wrong", rank) : own
      );
    }
  }
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank].fingerprint != all[0].fingerprint) {
      throw plan::ClassError(
          MPI_ERR_ARG,
          formatted(
              "expected equal arguments on all members, got others on rank {} of the team than on "
              "rank 0",
              rank
          )
      );
    }
  }
}

}  // namespace

std::vector<BufferOffsets> told_by_all(
    espalier_team& team,
    std::function<Fingerprint()> const& check,
    std::function<BufferOffsets()> const& offsets
) {
  Finding const found = find(check);
  bool const is_right = found.mpi_class == MPI_SUCCESS;
  std::vector<Told> const all = told_by_all(
      team,
      {
          .mpi_class = found.mpi_class,
          .fingerprint = found.fingerprint,
          .offsets = is_right ? offsets() : BufferOffsets{},
      }
  );
  check_told(all, found.text);
  std::vector<BufferOffsets> result;
  result.reserve(all.size());
  for (Told const& one : all) {
    result.push_back(one.offsets);
  }
  return result;
}

}  // namespace espalier::capi
