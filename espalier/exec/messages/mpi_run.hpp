// SPDX-License-Identifier: Apache-2.0

/// @file
/// What runs in rounds and by completion share: the program with its requests, and errors of a run.

#pragma once

#include <cstddef>
#include <vector>

#include <mpi.h>

#include "espalier/exec/messages/mpi_memory.hpp"
#include "espalier/exec/messages/mpi_program.hpp"
#include "espalier/exec/messages/mpi_waits.hpp"
#include "espalier/exec/node/mpi_near_run.hpp"

namespace espalier::exec {

/// A program of one rank, and how far MPI is with it.
struct MpiRun {
  MPI_Comm comm = MPI_COMM_NULL;
  MpiProgram program;
  std::vector<MPI_Request> requests;  ///< those of the program, and one for a started receive
  node::NearRun near{};               ///< messages inside the node, with requests of their own
  Teller teller{};
  int error = MPI_SUCCESS;  ///< the first of this run

  /// Remembers the first error of a run. The run goes on: other ranks wait for what this one still
  /// has to send, and no message is left for the next collective to receive.
  void note(int code) noexcept {
    if (code != MPI_SUCCESS && error == MPI_SUCCESS) [[unlikely]] {
      error = code;
    }
  }

  /// Any step but a wait. `request`: place of the request of a send or recv. Inlined: this is the
  /// hot path, and a call would cost as much as what it does.
  [[gnu::always_inline]] int
  perform(Bases const& bases, MpiStep const& step, int request) noexcept {
    MpiRegion const& region = step.region;
    void* const memory = bases.at(region);
    if (step.action == MpiStep::Action::recv) {
      auto* const open = &requests[static_cast<std::size_t>(request)];
      return PMPI_Irecv(memory, region.count, region.type, step.peer, step.tag, comm, open);
    }
    if (step.action == MpiStep::Action::send) {
      auto* const open = &requests[static_cast<std::size_t>(request)];
      return PMPI_Isend(memory, region.count, region.type, step.peer, step.tag, comm, open);
    }
    if (step.action == MpiStep::Action::recv_now) {
      auto* const status = MPI_STATUS_IGNORE;
      return PMPI_Recv(memory, region.count, region.type, step.peer, step.tag, comm, status);
    }
    return run_local(comm, program, bases, step);
  }

  /// Starts a message inside the node.
  [[gnu::always_inline]] void start_near(Bases const& bases, MpiStep const& step) noexcept {
    node::Link& link = *program.links[static_cast<std::size_t>(step.peer)];
    node::NearRun::Message const message{
        .memory = bases.at(step.region.buffer, step.region.offset_bytes),
        .num_bytes = step.num_bytes,
        .tag = step.tag,
        .request = step.request,
    };
    if (step.action == MpiStep::Action::put) {
      near.send(link, message);
    } else {
      near.receive(link, message);
    }
  }

  /// Waits for a message that was started, wherever it travels.
  [[gnu::always_inline]] void wait_for_any_kind(int request) noexcept {
    MPI_Request& far = requests[static_cast<std::size_t>(request)];
    if (far == MPI_REQUEST_NULL) {
      note(near.wait(comm, request));
    } else {
      note(near.wait_far(comm, far));
    }
  }

  [[nodiscard]] int last_request() const noexcept { return static_cast<int>(requests.size()) - 1; }

  /// Starts a recv_now, with the last request.
  void start_receive(Bases const& bases, MpiStep const& step) noexcept {
    MpiStep receive = step;
    receive.action = MpiStep::Action::recv;
    note(perform(bases, receive, last_request()));
  }

  /// Waits for what start_receive() started.
  void finish_receive() noexcept {
    MPI_Request& open = requests.back();
    note(near.has_messages() ? near.wait_far(comm, open) : PMPI_Wait(&open, MPI_STATUS_IGNORE));
  }

  /// Leaves no request behind. A message that cannot be cancelled gets some time to complete and is
  /// then left to MPI.
  void abandon() noexcept;
};

}  // namespace espalier::exec
