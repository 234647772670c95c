// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/self_messages.hpp"

#include <cstddef>

#include "espalier/mpi/success.hpp"
#include "espalier/plan/communicators/private_comm.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::plan {
namespace {

using mpi::require_success;

constinit SelfMessages::OnLoss told_of_lost_requests = nullptr;

/// The tag of messages that complete no request of the program.
constexpr int wake_tag = 0;

/// Whoever waits in MPICH looks at its requests again only after one was destroyed somewhere. That
/// of the program is complete, but not destroyed, so this destroys another one.
void wake([[maybe_unused]] MPI_Comm comm) noexcept {
#ifndef OPEN_MPI
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, wake_tag, comm, &request) == MPI_SUCCESS) {
    PMPI_Request_free(&request);
    PMPI_Send(nullptr, 0, MPI_BYTE, 0, wake_tag, comm);
  }
#endif
}

/// Whether MPI_Wait frees a persistent request that ends with an error, so that its handle may soon
/// be that of another one: Open MPI 4 does, Open MPI 5 and MPICH do not. An error that is made on
/// purpose shows it.
/// @param comm  of this rank alone, whose errors are returned
bool frees_failed_requests([[maybe_unused]] MPI_Comm comm) {
#ifdef OPEN_MPI
  MPI_Request request = MPI_REQUEST_NULL;
  require_success(
      PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, wake_tag, comm, &request), "MPI_Recv_init"
  );
  require_success(PMPI_Start(&request), "MPI_Start");
  char const nothing = 0;
  require_success(PMPI_Send(&nothing, 1, MPI_BYTE, 0, wake_tag, comm), "MPI_Send");
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
  if (request == MPI_REQUEST_NULL) {
    return true;
  }
  PMPI_Request_free(&request);
#endif
  return false;
}

/// As for nonblocking collectives, errors are those of MPI_COMM_WORLD.
void handle_error(MPI_Comm* /*comm*/, int* code, ...) {
  if (told_of_lost_requests != nullptr) {
    told_of_lost_requests();
  }
  raise(MPI_COMM_WORLD, *code);
}

}  // namespace

void SelfMessages::open(OnLoss on_loss) {
  require_success(make_private_comm(MPI_COMM_SELF, comm_), "MPI_Comm_create");
  told_of_lost_requests = frees_failed_requests(comm_) ? on_loss : nullptr;
  require_success(
      PMPI_Comm_create_errhandler(handle_error, &handler_), "MPI_Comm_create_errhandler"
  );
  require_success(PMPI_Comm_set_errhandler(comm_, handler_), "MPI_Comm_set_errhandler");
}

/// MPICH 5 returns MPI_SUCCESS from calls after it has called an error handler of the program, and
/// ours is one. So it is left out where all that it does is to return the error.
void SelfMessages::prepare_error() const noexcept {
  if (told_of_lost_requests != nullptr) {
    return;
  }
  MPI_Errhandler of_world = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &of_world) == MPI_SUCCESS) {
    bool const is_returned = of_world == MPI_ERRORS_RETURN;
    PMPI_Comm_set_errhandler(comm_, is_returned ? MPI_ERRORS_RETURN : handler_);
    PMPI_Errhandler_free(&of_world);
  }
}

int SelfMessages::take_tag() {
  if (free_tags_.empty()) {
    free_tags_.reserve(static_cast<std::size_t>(num_tags_) + 1);
    return num_tags_++;
  }
  int const tag = free_tags_.back();
  free_tags_.pop_back();
  return tag;
}

SelfMessages::Receive SelfMessages::make(OnLoss on_loss) {
  if (comm_ == MPI_COMM_NULL) {
    open(on_loss);
  }
  Receive made;
  made.tag = take_tag();
  int const code = PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, made.tag, comm_, &made.request);
  if (code != MPI_SUCCESS) {
    release(made.tag);
    require_success(code, "MPI_Recv_init");
  }
  return made;
}

void SelfMessages::complete(int tag, bool is_error) const noexcept {
  if (is_error) {
    prepare_error();
  }
  char const nothing = 0;
  PMPI_Send(&nothing, is_error ? 1 : 0, MPI_BYTE, 0, tag, comm_);
  wake(comm_);
}

void SelfMessages::close() noexcept {
  if (comm_ != MPI_COMM_NULL) {
    PMPI_Errhandler_free(&handler_);
    PMPI_Comm_free(&comm_);
  }
}

}  // namespace espalier::plan
