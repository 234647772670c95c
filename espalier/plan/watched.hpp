// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/watch/members.hpp"

namespace espalier::plan {

/// What calls on one communicator tell the watch of it. Used by one thread at a time.
class Watched {
public:
  /// Local. The communicator keeps the name it has now.
  /// @throws Error mpi.
  explicit Watched(MPI_Comm comm);

  [[nodiscard]] watch::Members const& members() const noexcept { return members_; }

  /// Text of a choice, made once. Identified by its address: it must outlive this object. The text
  /// may be gone when that of another is asked for.
  [[nodiscard]] std::string_view text_of(algorithms::Choice const& choice);

private:
  watch::Members members_;
  std::vector<std::pair<algorithms::Choice const*, std::string>> texts_;
};

}  // namespace espalier::plan
