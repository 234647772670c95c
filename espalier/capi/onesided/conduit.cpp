// SPDX-License-Identifier: Apache-2.0

/// @file
/// Conduits of espalier_onesided.h: attached and detached, what they are, progress and barriers.

#include <cstdint>
#include <limits>
#include <string>

#include "espalier/base/environment.hpp"
#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/capi/agreement.hpp"
#include "espalier/capi/onesided/conduit_object.hpp"
#include "espalier/capi/onesided/messages.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/onesided/mpi/mpi_attachment.hpp"
#include "espalier/onesided/transports/transports.hpp"

namespace {

using espalier::Error;
using espalier::ErrorCode;
using espalier::formatted;
using espalier::capi::ConduitOptions;
using espalier::mpi::OwnCommunicator;

void check_segment_bytes(std::uint64_t num_bytes, ConduitOptions const& options) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / 4;
  if (num_bytes > most - options.scratch_bytes) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected segment_bytes and scratch_bytes of at most {} together, got {} and {}",
            most,
            num_bytes,
            options.scratch_bytes
        )
    );
  }
}

/// What ESPALIER_CHECK_ADDRESSES says on rank 0. Collective.
bool rank_0_wants_checks(MPI_Comm comm) {
  std::string const text = espalier::environment_variable("ESPALIER_CHECK_ADDRESSES");
  int wants = !text.empty() && text != "0" ? 1 : 0;
  espalier::mpi::require_success(PMPI_Bcast(&wants, 1, MPI_INT, 0, comm), "MPI_Bcast");
  return wants != 0;
}

void check_freed(espalier_conduit const& conduit) {
  if (!conduit.teams.empty()) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected a conduit whose teams were freed, got one with {} of them",
            conduit.teams.size()
        )
    );
  }
}

}  // namespace

espalier_conduit::espalier_conduit(
    MPI_Comm comm, OwnCommunicator own, std::uint64_t segment_bytes, ConduitOptions const& options
)
    : transport(
          options.transport != nullptr ? *options.transport
                                       : espalier::onesided::usual_transport(own)
      ),
      parts(options.scratch_bytes),
      conduit(transport.attach(
          own.get(), parts.num_bytes() + segment_bytes, espalier::capi::handlers_of(*this, options)
      )),
      places(*conduit, parts.num_bytes()),
      node_of_rank(espalier::onesided::nodes_of_ranks(own.get())),
      checks_addresses(rank_0_wants_checks(own.get())), kept(own, transport.name, node_of_rank),
      handler(std::move(own), comm) {}

using espalier::capi::on;
using espalier::capi::read;

extern "C" {

int espalier_conduit_attach(
    MPI_Comm comm,
    uint64_t segment_bytes,
    espalier_conduit_options const* options,
    espalier_conduit** conduit
) {
  return on(comm, [&] {
    OwnCommunicator own = OwnCommunicator::duplicate(comm);
    ConduitOptions known;
    espalier::capi::agree(own, [&] {
      espalier::capi::check_pointer(static_cast<void const*>(conduit), "conduit");
      *conduit = nullptr;
      known = read(options);
      check_segment_bytes(segment_bytes, known);
      return fingerprint(known);
    });
    *conduit = new espalier_conduit(comm, std::move(own), segment_bytes, known);
  });
}

int espalier_conduit_detach(espalier_conduit** conduit) {
  return on(
      conduit == nullptr ? static_cast<espalier_conduit*>(nullptr) : *conduit,
      [&](espalier_conduit& self) {
        check_freed(self);
        delete *conduit;
        *conduit = nullptr;
      }
  );
}

int espalier_conduit_rank(espalier_conduit const* conduit) {
  return conduit == nullptr ? -1 : conduit->conduit->rank();
}

int espalier_conduit_size(espalier_conduit const* conduit) {
  return conduit == nullptr ? 0 : conduit->conduit->num_ranks();
}

char const* espalier_conduit_transport(espalier_conduit const* conduit) {
  return conduit == nullptr ? "" : conduit->transport.name.data();
}

void* espalier_conduit_segment(espalier_conduit const* conduit) {
  return conduit == nullptr ? nullptr : conduit->places.begin();
}

int espalier_conduit_segment_bytes(espalier_conduit const* conduit, int rank, uint64_t* num_bytes) {
  return on(conduit, [&](espalier_conduit const& self) {
    espalier::capi::check_pointer(num_bytes, "num_bytes");
    *num_bytes = self.places.num_bytes(rank);
  });
}

int espalier_conduit_poll(espalier_conduit* conduit) {
  return on(conduit, [](espalier_conduit& self) {
    self.conduit->poll();
    self.move_on();
  });
}

int espalier_conduit_notify(espalier_conduit* conduit) {
  return on(conduit, [](espalier_conduit& self) { self.conduit->notify(); });
}

int espalier_conduit_try_barrier(espalier_conduit* conduit, int* is_complete) {
  return on(conduit, [&](espalier_conduit& self) {
    espalier::capi::check_pointer(is_complete, "is_complete");
    self.move_on();
    *is_complete = self.conduit->try_barrier() ? 1 : 0;
  });
}

int espalier_conduit_barrier(espalier_conduit* conduit) {
  return on(conduit, [](espalier_conduit& self) {
    self.conduit->notify();
    self.wait([&] { return self.conduit->try_barrier(); });
  });
}

}  // extern "C"
