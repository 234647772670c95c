// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the tests of espalier_onesided.h share.

#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "include/espalier.h"
#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/neighbor_support.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {

/// MPICH waits without giving its processor away, and progress of its windows needs all ranks.
inline std::vector<char const*> transports() {
#ifdef ESPALIER_MPI_SIMULATED
  return {"simulated"};
#else
  constexpr int few_ranks = 3;
  bool const is_mpich = std::string_view(ESPALIER_MPI_VENDOR) == "mpich";
  if (is_mpich && test_size(MPI_COMM_WORLD) > few_ranks) {
    return {"node"};
  }
  return {
      "node",
      "rma",
#ifdef ESPALIER_HAS_UCX
      "ucx",
#endif
  };
#endif
}

/// What the library says of its last error.
inline std::string last_text() {
  std::array<char, 1024> text{};
  espalier_last_error(text.data(), static_cast<int>(text.size()));
  return text.data();
}

inline std::string text_of(int code) {
  return code == MPI_SUCCESS ? "no error" : last_text();
}

/// A conduit of all processes.
class World {
public:
  World(Checks& checks, std::uint64_t segment_bytes, char const* transport) : checks_(&checks) {
    espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
    options.transport = transport;
    // Also where a test is started by hand: nothing is left in the folder of the user.
    setenv("ESPALIER_MEMORY", "off", 0);
    int const code = espalier_conduit_attach(MPI_COMM_WORLD, segment_bytes, &options, &conduit);
    checks.expect(code == MPI_SUCCESS, std::string(transport) + ": " + text_of(code));
  }

  World(World const&) = delete;
  World& operator=(World const&) = delete;
  World(World&&) = delete;
  World& operator=(World&&) = delete;

  ~World() {
    int const code = espalier_conduit_detach(&conduit);
    checks_->expect(code == MPI_SUCCESS && conduit == nullptr, "detach: " + text_of(code));
  }

  espalier_conduit* conduit = nullptr;

private:
  Checks* checks_;
};

}  // namespace espalier::test
