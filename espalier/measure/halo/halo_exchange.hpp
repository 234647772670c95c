// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <mpi.h>

#include "espalier/exec/messages/mpi_datatype.hpp"
#include "espalier/measure/halo/halo_geometry.hpp"
#include "espalier/measure/halo/halo_memory.hpp"

namespace espalier::measure {

/// The exchange of halos with all 2 d neighbours on a Cartesian communicator, as [niethammer2019]
/// measured it: all receives first, then blocking sends one after the other, and every other
/// exchange begins with the other side.
///
///     receive  -x +x -y +y -z +z
///     send     -x +x -y +y -z +z         the next time  +x -x +y -y +z -z
class HaloExchange {
public:
  /// Local. Refers to the memory, which has room for all messages.
  /// @throws Error mpi
  HaloExchange(MPI_Comm cart, HaloGeometry const& geometry, HaloMemory& memory);

  /// Collective. MPI_SUCCESS or an error.
  int run() noexcept;

private:
  struct Line {
    exec::MpiType type;
    int count;
    std::array<int, 2> neighbors;
    std::array<std::size_t, 2> offsets;
  };

  int receive_all() noexcept;
  int send_all() noexcept;

  MPI_Comm cart_;
  HaloMemory* memory_;
  std::vector<Line> lines_;
  std::vector<MPI_Request> requests_;
  std::size_t first_side_ = 0;
};

}  // namespace espalier::measure
