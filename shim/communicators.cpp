// SPDX-License-Identifier: Apache-2.0

#include "shim/communicators.hpp"

#include <mpi.h>

#include "espalier/plan/session.hpp"
#include "shim/lifecycle.hpp"
#include "shim/own_work.hpp"

namespace espalier::shim {

int made(int code, void const* comm) {
  plan::Session* const session = active_session.load(std::memory_order_acquire);
  if (code != MPI_SUCCESS || session == nullptr || comm == nullptr || OwnWork::is_going_on()) {
    return code;
  }
  OwnWork const own_work;
  return session->adopt(*static_cast<MPI_Comm const*>(comm));
}

}  // namespace espalier::shim
