// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include <mpi.h>

namespace espalier::plan {

/// Messages from this rank to itself, on a communicator of ours: each completes a receive, which
/// the program has as the request of a persistent collective. Within a Turn.
class SelfMessages {
public:
  /// Called when a receive has ended with an error, if the MPI library frees such requests.
  using OnLoss = void (*)() noexcept;

  /// A persistent receive with a tag of its own, inactive.
  struct Receive {
    MPI_Request request = MPI_REQUEST_NULL;
    int tag = 0;
  };

  /// Makes the communicator first, if there is none. Local.
  /// @throws Error mpi.
  [[nodiscard]] Receive make(OnLoss on_loss);

  /// Completes a receive that was started: it is posted already, so nobody waits. With an error,
  /// the message is one byte too long: that is an error of class MPI_ERR_TRUNCATE.
  void complete(int tag, bool is_error) const noexcept;

  /// Nothing is sent with a tag any more. The program, or whoever frees it, has the request.
  void release(int tag) noexcept { free_tags_.push_back(tag); }

  /// Local, before MPI_Finalize.
  void close() noexcept;

private:
  void open(OnLoss on_loss);
  int take_tag();
  void prepare_error() const noexcept;

  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;  ///< raises errors of MPI_COMM_WORLD
  std::vector<int> free_tags_;                    ///< with room for all
  int num_tags_ = 1;                              ///< the first one is no receive's
};

}  // namespace espalier::plan
