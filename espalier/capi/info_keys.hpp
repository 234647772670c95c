// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include <mpi.h>

namespace espalier::capi {

/// The keys of an info object that we know.
struct InfoKeys {
  bool is_joint = false;              ///< espalier_factorization
  std::vector<double> level_costs{};  ///< espalier_level_costs
};

/// @throws plan::ClassError of the class MPI_ERR_INFO_VALUE.
[[nodiscard]] InfoKeys read_info(MPI_Info info);

/// Finite numbers above 0, separated by commas.
/// @throws plan::ClassError of the class MPI_ERR_INFO_VALUE.
[[nodiscard]] std::vector<double> read_costs(char const* text);

}  // namespace espalier::capi
