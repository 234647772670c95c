// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/exec/mpi_executor.hpp"
#include "espalier/plan/calls.hpp"
#include "espalier/plan/executor_cache.hpp"

namespace espalier::plan {

/// Runs chosen algorithms on one intracommunicator of a user, with everything that can be reused
/// between calls: a private communicator, programs, bound executors. What the shim runs and what
/// `espalier tune` times is this.
///
/// Used by one thread at a time.
class Communicator {
public:
  /// Returned instead of an MPI code: the choice does not accept this number of ranks or root, and
  /// nothing was done. The same on all ranks.
  static constexpr int refused = -1;

  /// Local. `user` must outlive the object.
  Communicator(MPI_Comm user, int num_ranks, int rank) noexcept
      : user_(user), num_ranks_(num_ranks), rank_(rank) {}

  Communicator(Communicator const&) = delete;
  Communicator& operator=(Communicator const&) = delete;
  Communicator(Communicator&&) = delete;
  Communicator& operator=(Communicator&&) = delete;
  /// Collective over the communicator if run() was ever called: frees the private communicator.
  /// MPI must not be finalised.
  ~Communicator();

  /// Collective over the communicator. The first run makes the private communicator; a run with
  /// sizes or types not seen lately binds an executor.
  ///
  /// @param choice equal on all ranks, as is call.bytes(), which must have a value. Identified by
  ///     its address: it must outlive this object.
  /// @return MPI_SUCCESS, `refused`, or an MPI code that was delivered to the error handler of the
  ///     user's communicator. After an error every later run returns it again.
  int run(algorithms::Choice const& choice, AllgatherCall const& call) noexcept;
  int run(algorithms::Choice const& choice, AllgathervCall const& call) noexcept;
  int run(algorithms::Choice const& choice, BcastCall const& call) noexcept;

  /// Local. Lets go of everything in MPI but the private communicator, which stays for
  /// MPI_Finalize: for objects that end when MPI is gone.
  void abandon() noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  template <typename Action> int guarded(Action&& action) noexcept;
  /// Runs the cached executor of the key, made by make(program) if need be.
  template <typename Make>
  int run_cached(
      ExecutorKey const& key, CountsKey const& counts, void const* input, void* output, Make&& make
  );
  /// Runs an executor made by make(program) for this call only.
  template <typename Make>
  int run_once(
      algorithms::Choice const& choice, int root, void const* input, void* output, Make&& make
  );
  int make_private();
  [[nodiscard]] exec::MpiExecutor allgatherv_in_bytes(
      schedule::RankProgram const& program, AllgathervCall const& call, std::int64_t element_bytes
  ) const;

  MPI_Comm user_;
  MPI_Comm private_ = MPI_COMM_NULL;
  int num_ranks_;
  int rank_;
  int broken_code_ = MPI_SUCCESS;
  NamedTypes types_;
  ProgramCache programs_;
  ExecutorCache executors_;
};

}  // namespace espalier::plan
