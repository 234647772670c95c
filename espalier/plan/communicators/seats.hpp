// SPDX-License-Identifier: Apache-2.0

/// @file
/// Where the messages of planned collectives travel: apart from those of the program, and of one
/// another, so that ranks may start requests in different orders.
///
/// A lane is a communicator of ours whose tags are cut into slots. A request has a slot from its
/// initialisation on until it is freed. What the MPI library runs has no tags: for it a slot has a
/// communicator of its own, which is made when it is needed first and stays for later requests.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <mpi.h>

#include "espalier/exec/messages/mpi_context.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/plan/communicators/planned_slots.hpp"

namespace espalier::plan {

struct Lane;

/// Makes what native collectives of one slot run on, from a communicator of the same ranks, which
/// it must not keep. Collective.
using MakeNativeComms = std::function<std::vector<mpi::OwnCommunicator>(MPI_Comm like)>;

/// A slot of a lane, free again when the object ends.
class Seat {
public:
  Seat(std::shared_ptr<Lane> lane, int slot) noexcept;
  Seat(Seat&& other) noexcept = default;
  Seat& operator=(Seat&& other) = delete;
  Seat(Seat const&) = delete;
  Seat& operator=(Seat const&) = delete;
  ~Seat();

  /// What executors are bound for. Local.
  [[nodiscard]] exec::MpiContext context() const noexcept;

  /// Collective over the lane the first time, later local.
  /// @throws Error mpi.
  [[nodiscard]] MPI_Comm native_comm();

  /// The same of several communicators. Who asks for the slots of a lane makes the same of each.
  /// @throws Error mpi, and what `make` throws.
  [[nodiscard]] std::vector<mpi::OwnCommunicator> const& native_comms(MakeNativeComms const& make);

  /// The slot is never used again, since messages may be left in it. Local.
  void retire() noexcept { lane_.reset(); }

private:
  std::shared_ptr<Lane> lane_;  ///< null: nothing is to be freed
  int slot_;
};

/// The lanes of one communicator of the program. Used by one thread at a time; seats may end at any
/// time.
class Seats {
public:
  /// Collective over `user`, whose ranks are meant.
  /// @throws Error mpi.
  explicit Seats(MPI_Comm user);

  /// The first lane, for agreements. Only while no other collective on it is under way.
  [[nodiscard]] mpi::OwnCommunicator const& own() const noexcept;

  /// The same seat on all ranks. Collective; makes a communicator if all lanes are full.
  /// @throws Error mpi.
  [[nodiscard]] Seat take();

private:
  std::vector<std::shared_ptr<Lane>> lanes_;
};

}  // namespace espalier::plan
