// SPDX-License-Identifier: Apache-2.0

/// @file
/// Planned collectives of communicators, as requests: those that run an algorithm of Espalier, and
/// those that run the MPI library's own collective.

#pragma once

#include <memory>
#include <string>
#include <utility>

#include <mpi.h>

#include "espalier/capi/planned/keeper.hpp"
#include "espalier/capi/request.hpp"
#include "espalier/plan/calls/native_starts.hpp"
#include "espalier/plan/communicators/planned_call.hpp"
#include "espalier/plan/communicators/seats.hpp"
#include "espalier/plan/communicators/underway.hpp"

namespace espalier::capi {

/// The communicator of a program, whose error handler hears of what fails while it exists.
struct UserCommunicator {
  MPI_Comm comm = MPI_COMM_SELF;
};

/// What all of them have.
struct PlannedParts {
  std::shared_ptr<UserCommunicator const> user;
  std::string algorithm;
  std::string explanation;
  plan::Seat seat;
};

/// Runs an algorithm of Espalier.
class ScheduledCollective final : public espalier_request {
public:
  ScheduledCollective(PlannedParts parts, plan::BoundCall bound);
  ScheduledCollective(ScheduledCollective const&) = delete;
  ScheduledCollective& operator=(ScheduledCollective const&) = delete;
  ScheduledCollective(ScheduledCollective&&) = delete;
  ScheduledCollective& operator=(ScheduledCollective&&) = delete;
  ~ScheduledCollective() override;

  int start() override { return underway_.start(bound_.input, bound_.output); }

  int test(bool& is_complete) override { return underway_.test(is_complete); }

  int wait() override { return underway_.wait(); }

  [[nodiscard]] bool is_active() const noexcept override { return underway_.is_active(); }

  [[nodiscard]] MPI_Comm user() const noexcept override { return parts_.user->comm; }

  [[nodiscard]] std::string explain() const override { return parts_.explanation; }

private:
  PlannedParts parts_;  ///< before the executor, whose messages travel on the seat
  plan::BoundCall bound_;
  plan::Underway underway_;
};

/// Runs the nonblocking collective of the MPI library: the persistent one is not everywhere, and
/// where it is new, it is not always right.
class NativeCollective : public espalier_request {
public:
  explicit NativeCollective(PlannedParts parts);

  int start() final;
  int test(bool& is_complete) final;
  int wait() final;

  [[nodiscard]] bool is_active() const noexcept final { return is_active_; }

  [[nodiscard]] MPI_Comm user() const noexcept final { return parts_.user->comm; }

  [[nodiscard]] std::string explain() const final { return parts_.explanation; }

private:
  virtual int start_natively(MPI_Comm comm, MPI_Request& request) noexcept = 0;
  /// Ends the request if the library says that it is complete.
  int look(bool& is_complete) noexcept;

  PlannedParts parts_;
  MPI_Comm comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool is_active_ = false;
};

/// The same of one function of MPI.
template <typename Call> class NativeCollectiveOf final : public NativeCollective {
public:
  /// @param keeper  has what the call refers to
  NativeCollectiveOf(PlannedParts parts, Call const& call, Keeper keeper)
      : NativeCollective(std::move(parts)), keeper_(std::move(keeper)), call_(call) {}

private:
  int start_natively(MPI_Comm comm, MPI_Request& request) noexcept override {
    return plan::start_native(call_, comm, request);
  }

  Keeper keeper_;
  Call call_;
};

}  // namespace espalier::capi
