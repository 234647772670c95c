// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/plan/bindings.hpp"
#include "espalier/plan/calls.hpp"
#include "espalier/plan/executor_cache.hpp"
#include "espalier/plan/statistics.hpp"

namespace espalier::plan {

/// Runs chosen algorithms on one intracommunicator of a user, with everything that can be reused
/// between calls: a private communicator, programs, bound executors. What the shim runs and what
/// `espalier tune` times is this.
///
/// Used by one thread at a time.
class Communicator {
public:
  /// Returned instead of MPI codes, which are not negative: nothing was done, the native call is to
  /// be made. The same on all ranks.
  static constexpr int refused = -1;           ///< by tune::refuses()
  static constexpr int refused_operator = -2;  ///< not known to be defined for the datatype
  static constexpr int refused_order = -3;     ///< the operator does not commute

  [[nodiscard]] static constexpr bool is_refusal(int code) noexcept { return code < 0; }

  /// Local. `user` must outlive the object.
  Communicator(MPI_Comm user, int num_ranks, int rank) noexcept
      : user_(user), seat_{.num_ranks = num_ranks, .rank = rank} {}

  Communicator(Communicator const&) = delete;
  Communicator& operator=(Communicator const&) = delete;
  Communicator(Communicator&&) = delete;
  Communicator& operator=(Communicator&&) = delete;
  /// Collective over the communicator if run() or prepare() was ever called: frees the private
  /// communicator. MPI must not be finalised.
  ~Communicator();

  /// Makes the private communicator, which the first run does otherwise. Collective over the
  /// communicator. @return MPI_SUCCESS or an MPI code, not delivered to an error handler.
  [[nodiscard]] int prepare() noexcept;

  /// Collective over the communicator. The first run makes the private communicator; a run with
  /// sizes or types not seen lately binds an executor.
  ///
  /// @param choice equal on all ranks, as is call.bytes(), which must have a value. Identified by
  ///     its address: it must outlive this object.
  /// @return MPI_SUCCESS, a refusal, or an MPI code that was delivered to the error handler of the
  ///     user's communicator. After an error every later run returns it again.
  template <typename Call> int run(algorithms::Choice const& choice, Call const& call) noexcept;

  [[nodiscard]] MPI_Comm user() const noexcept { return user_; }

  /// What runs made, and how long that took.
  [[nodiscard]] OwnCommunicators const& own_communicators() const noexcept {
    return own_communicators_;
  }

  /// Local. Lets go of everything in MPI but the private communicator, which stays for
  /// MPI_Finalize: for objects that end when MPI is gone.
  void abandon() noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  template <typename Call> int bind_and_run(algorithms::Choice const& choice, Call const& call);
  /// Refusal of an operator, MPI_SUCCESS if there is none.
  template <typename Call>
  [[nodiscard]] int judge(algorithms::Choice const& choice, Call const& call);
  int prepare_in_call() noexcept;

  MPI_Comm user_;
  Seat seat_;  ///< its communicator is the private one
  OwnCommunicators own_communicators_;
  int broken_code_ = MPI_SUCCESS;
  NamedTypes types_;
  ProgramCache programs_;
  ExecutorCache executors_;
};

}  // namespace espalier::plan
