// SPDX-License-Identifier: Apache-2.0

/// @file
/// Runs dataflow programs: what is ready starts, lowest number first, and completed messages make
/// more ready.

#pragma once

#include <cstddef>
#include <vector>

#include <mpi.h>

#include "espalier/exec/messages/mpi_run.hpp"

namespace espalier::exec {

/// Operations of a dataflow program between ready and complete. Requests of the run are those of
/// its active messages, without gaps.
class DataflowRun {
public:
  /// Allocates what runs of the program need; for one that is not dataflow, nothing.
  explicit DataflowRun(MpiProgram const& program);

  void start(MpiDataflow const& flow) noexcept;
  /// Starts all that needs no other message to be complete first.
  void start_ready(MpiRun& run, Bases const& bases, MpiDataflow const& flow) noexcept;

  /// Goes on to the end, waiting.
  /// @return MPI_SUCCESS, or an error after which nobody knows which message failed; others are
  ///     noted in the run.
  int finish(MpiRun& run, Bases const& bases, MpiDataflow const& flow) noexcept;

  /// Goes on without waiting; is_complete tells whether the end was reached. @return as finish().
  int progress(
      MpiRun& run, Bases const& bases, MpiDataflow const& flow, bool& is_complete
  ) noexcept;

  /// Operations of this run that are.
  [[nodiscard]] std::size_t num_complete() const noexcept { return num_complete_; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  bool start_message(MpiRun& run, Bases const& bases, MpiStep const& step) noexcept;
  void run_steps(
      MpiRun& run, Bases const& bases, MpiDataflow const& flow, int operation, int first
  ) noexcept;
  void finish_near(MpiRun& run, Bases const& bases, MpiDataflow const& flow) noexcept;
  int finish_mixed(MpiRun& run, Bases const& bases, MpiDataflow const& flow) noexcept;
  int finish_one(MpiRun& run, MpiDataflow const& flow) noexcept;
  int finish_some(MpiRun& run, MpiDataflow const& flow) noexcept;
  int finish_failed(MpiRun& run, MpiDataflow const& flow, int done, int code) noexcept;
  void complete_message(MpiDataflow const& flow, int index) noexcept;
  void complete(MpiDataflow const& flow, int operation) noexcept;
  void drop_done(MpiRun& run) noexcept;

  std::vector<MPI_Status> statuses_;
  std::vector<int> open_waits_;
  std::vector<int> ready_;   ///< heap, lowest number of operation on top
  std::vector<int> active_;  ///< operation of each of the first num_active_ requests
  std::vector<int> done_;
  int num_active_ = 0;
  std::size_t num_complete_ = 0;

  /// A message inside the node that is underway.
  struct Near {
    int operation = 0;
    int step = 0;
  };

  std::vector<Near> near_;
};

}  // namespace espalier::exec
