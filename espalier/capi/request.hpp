// SPDX-License-Identifier: Apache-2.0

/// @file
/// The object behind `espalier_request`: one type for all collectives that can be planned.

#pragma once

#include <string>
#include <utility>

#include "include/espalier_neighbor.h"

#include <mpi.h>

#include "espalier/capi/barrier.hpp"
#include "espalier/plan/failure.hpp"

/// A planned collective. Functions return an MPI code or throw.
struct espalier_request {
  /// @param mechanism  how data move; empty if there is one way only
  explicit espalier_request(std::string algorithm, std::string mechanism = {})
      : algorithm_(std::move(algorithm)), mechanism_(std::move(mechanism)) {}

  espalier_request(espalier_request const&) = delete;
  espalier_request& operator=(espalier_request const&) = delete;
  espalier_request(espalier_request&&) = delete;
  espalier_request& operator=(espalier_request&&) = delete;
  virtual ~espalier_request() = default;

  /// Not if it is active.
  virtual int start() = 0;
  /// `is_complete` also if it is not active.
  virtual int test(bool& is_complete) = 0;
  virtual int wait() = 0;
  [[nodiscard]] virtual bool is_active() const noexcept = 0;

  /// The communicator whose error handler hears of what fails.
  [[nodiscard]] virtual MPI_Comm user() const noexcept = 0;

  /// @throws Error argument where nobody may call it now.
  virtual void check_caller() const {}

  /// What espalier_explain() says; by itself, what was planned.
  [[nodiscard]] virtual std::string explain() const;

  [[nodiscard]] std::string const& algorithm() const noexcept { return algorithm_; }

  [[nodiscard]] std::string const& mechanism() const noexcept { return mechanism_; }

protected:
  /// From now on something else runs.
  void rename(std::string algorithm, std::string mechanism) {
    algorithm_ = std::move(algorithm);
    mechanism_ = std::move(mechanism);
  }

private:
  std::string algorithm_;
  std::string mechanism_;
};

namespace espalier::capi {

/// The action, which returns a code; what fails is delivered to the handler of the request.
template <typename Action> int on(espalier_request* request, Action&& action) noexcept {
  if (request == nullptr) {
    return plan::raise(MPI_COMM_SELF, MPI_ERR_REQUEST);
  }
  return delivering(
      [&] { return request->user(); },
      [&] {
        request->check_caller();
        return std::forward<Action>(action)(*request);
      }
  );
}

}  // namespace espalier::capi
