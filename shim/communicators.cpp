// SPDX-License-Identifier: Apache-2.0

#include "shim/communicators.hpp"

#include <mpi.h>

#include "espalier/plan/session.hpp"
#include "shim/forward.hpp"
#include "shim/lifecycle.hpp"
#include "shim/own_work.hpp"

namespace espalier::shim {
namespace {

/// The end of a function that gave a communicator an info. Collective over it.
int heeded(int code, MPI_Comm comm, Handle info) {
  plan::Session* const session = active_session.load(std::memory_order_acquire);
  if (code != MPI_SUCCESS || session == nullptr || OwnWork::is_going_on()) {
    return code;
  }
  OwnWork const own_work;
  return session->heed(comm, from_handle<MPI_Info>(info));
}

}  // namespace

int made(int code, void const* comm) {
  plan::Session* const session = active_session.load(std::memory_order_acquire);
  if (code != MPI_SUCCESS || session == nullptr || comm == nullptr || OwnWork::is_going_on()) {
    return code;
  }
  OwnWork const own_work;
  return session->adopt(*static_cast<MPI_Comm const*>(comm));
}

int comm_dup_with_info(Handle comm, Handle info, void* newcomm) {
  int const code = made(forward.comm_dup_with_info(comm, info, newcomm), newcomm);
  return newcomm == nullptr ? code : heeded(code, *static_cast<MPI_Comm*>(newcomm), info);
}

int comm_set_info(Handle comm, Handle info) {
  return heeded(forward.comm_set_info(comm, info), from_handle<MPI_Comm>(comm), info);
}

}  // namespace espalier::shim
