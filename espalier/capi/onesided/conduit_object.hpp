// SPDX-License-Identifier: Apache-2.0

/// @file
/// The object behind the handle of a conduit, of espalier_onesided.h.

#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "espalier/capi/barrier.hpp"
#include "espalier/capi/onesided/arrays/step_queue.hpp"
#include "espalier/capi/onesided/conduit_options.hpp"
#include "espalier/capi/onesided/kept_handler.hpp"
#include "espalier/capi/onesided/kept_tunings.hpp"
#include "espalier/capi/onesided/scratch_parts.hpp"
#include "espalier/capi/onesided/segment_places.hpp"
#include "espalier/capi/onesided/transfer_table.hpp"
#include "espalier/onesided/conduit.hpp"
#include "espalier/onesided/team/team.hpp"
#include "espalier/onesided/transports/transports.hpp"
#include "espalier/plan/devices/device_memory.hpp"
#include "espalier/plan/failure.hpp"

/// What a program has of one conduit.
struct espalier_conduit {
  /// Collective over own, a duplicate of comm.
  /// @throws Error as onesided::attach_node() and its like.
  espalier_conduit(
      MPI_Comm comm,
      espalier::mpi::OwnCommunicator own,
      std::uint64_t segment_bytes,
      espalier::capi::ConduitOptions const& options
  );

  /// Moves on all teams, and with `poll` of the conduit all that is underway.
  void move_on() {
    for (espalier::onesided::Team* const team : teams) {
      team->move_on();
    }
    for (espalier::capi::StepQueue* const queue : queues) {
      queue->move_on();
    }
  }

  /// Waits for something that other ranks do; meanwhile everything goes on.
  template <typename Condition> void wait(Condition&& is_true) {
    conduit->wait_until([&] {
      move_on();
      return is_true();
    });
  }

  /// Waits for something that other ranks do in MPI; meanwhile everything goes on.
  template <typename Condition> void wait_for_mpi(Condition&& is_true) {
    conduit->poll_until([&] {
      move_on();
      return is_true();
    });
  }

  espalier::onesided::Transport const& transport;
  espalier::capi::ScratchParts parts;
  std::unique_ptr<espalier::onesided::Conduit> conduit;
  espalier::capi::SegmentPlaces places;
  espalier::capi::TransferTable transfers;
  std::vector<espalier::onesided::Team*> teams;    ///< that were not freed
  std::vector<espalier::capi::StepQueue*> queues;  ///< of implicit teams
  std::vector<int> node_of_rank;                   ///< by the smallest rank on it
  bool checks_addresses;  ///< whether members with symmetric addresses plan together
  espalier::capi::KeptTunings kept;
  espalier::capi::KeptHandler handler;
  espalier::plan::DeviceMemory devices = espalier::plan::DeviceMemory::of_process();
};

namespace espalier::capi {

/// The action on the conduit, also in a handler of a message; what it throws is delivered to the
/// error handler of its communicator.
template <typename Conduit, typename Action>
  requires std::is_same_v<std::remove_const_t<Conduit>, espalier_conduit>
int on_inside(Conduit* conduit, Action&& action) noexcept {
  if (conduit == nullptr) {
    return plan::raise(MPI_COMM_SELF, MPI_ERR_ARG);
  }
  return delivering(
      [&] { return conduit->handler.comm(); },
      [&] {
        std::forward<Action>(action)(*conduit);
        return MPI_SUCCESS;
      }
  );
}

/// The same. In a handler it is an error before anything happens, unless it only asks.
template <typename Conduit, typename Action>
  requires std::is_same_v<std::remove_const_t<Conduit>, espalier_conduit>
int on(Conduit* conduit, Action&& action) noexcept {
  return on_inside(conduit, [&](Conduit& self) {
    if constexpr (!std::is_const_v<Conduit>) {
      self.conduit->check_outside_handler();
    }
    std::forward<Action>(action)(self);
  });
}

}  // namespace espalier::capi
