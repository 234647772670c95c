// SPDX-License-Identifier: Apache-2.0

/// @file
/// What every function espalier_neighbor_<collective>() and .._init() is.

#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/capi/device_buffers.hpp"
#include "espalier/capi/neighbor_agreement.hpp"
#include "espalier/capi/neighbor_choice.hpp"
#include "espalier/capi/neighbor_objects.hpp"
#include "espalier/capi/neighbor_request.hpp"
#include "espalier/neighborhood/catalog.hpp"
#include "espalier/plan/neighbors/neighbor_calls.hpp"

namespace espalier::capi {

/// Whether some rank has blocks in memory that the processor must not touch. Collective.
template <typename Call>
bool has_device_memory(espalier_neighborhood const& self, Call const& call) {
  if (!self.devices.are_possible()) {
    return false;
  }
  std::array const spans{
      plan::span_of(call.sendbuf, sent_blocks(call, self.neighbors.degrees())),
      plan::span_of(call.recvbuf, received_blocks(call, self.neighbors.degrees())),
  };
  return self.devices.hold_any(spans, self.neighbors.own_comm());
}

/// Who forwards blocks copies them; direct ones are messages from and to where they are.
/// Collective.
template <typename Call>
neighborhood::Algorithm const& fit_for_memory(
    espalier_neighborhood const& self, Call const& call, neighborhood::Algorithm const& algorithm
) {
  if (!algorithm.forwards || !has_device_memory(self, call)) {
    return algorithm;
  }
  if (!self.options.algorithm.empty()) {
    throw Error(
        ErrorCode::unsupported, neighborhood::full_name(algorithm) + ": " + in_device_memory
    );
  }
  return direct(Call::neighbor_call);
}

/// For blocks whose sizes are announced to those who forward them. Collective.
template <typename Call>
neighborhood::Algorithm const& chosen(espalier_neighborhood& self, Call const& call) {
  neighborhood::Algorithm const& algorithm =
      self.options.algorithm.empty()
          ? predicted(self, Call::neighbor_call, self.neighbors.typical_bytes(call))
          : named(self, Call::neighbor_call, plan::SizesBy::exchange);
  return fit_for_memory(self, call, algorithm);
}

/// For a call that plans nothing ahead; the last choice is remembered.
template <typename Call>
neighborhood::Algorithm const& chosen_now(espalier_neighborhood& self, Call const& call) {
  constexpr plan::NeighborCall kind = Call::neighbor_call;
  if constexpr (!plan::has_equal_blocks(kind)) {
    return direct(kind);
  }
  LastChoice& last = self.last[plan::index_of(kind)];
  bool const is_named = !self.options.algorithm.empty();
  std::int64_t const bytes = is_named ? 0 : self.neighbors.typical_bytes(call);
  if (last.algorithm == nullptr || last.bytes != bytes) {
    last = {
        .algorithm =
            is_named ? &named(self, kind, plan::SizesBy::standard) : &predicted(self, kind, bytes),
        .bytes = bytes,
    };
  }
  return fit_for_memory(self, call, *last.algorithm);
}

/// A request on all ranks, or an error on all. Collective.
/// @param complaint  as for agree_on_call(); what is wrong with the call is not asked for beside
/// one
template <typename Call>
espalier_request* planned(espalier_neighborhood& self, Call const& call, char const* complaint) {
  std::string function(plan::to_string(Call::neighbor_call));
  function.append("_init");
  int const code = complaint == nullptr ? misuse(call, self.neighbors.degrees()) : MPI_SUCCESS;
  agree_on_call(self, function, complaint, code);
  neighborhood::Algorithm const& algorithm = chosen(self, call);
  return new NeighborRequest(
      self,
      self.neighbors.plan(algorithm, call),
      neighborhood::full_name(algorithm),
      {.input = call.sendbuf, .output = call.recvbuf}
  );
}

/// @return MPI_SUCCESS, or a code that is not yet delivered to an error handler.
template <typename Call> int run_call(espalier_neighborhood& self, Call const& call) {
  if (int const code = misuse(call, self.neighbors.degrees()); code != MPI_SUCCESS) {
    return code;
  }
  return self.neighbors.run(chosen_now(self, call), call);
}

template <typename Call> int run_neighbors(espalier_neighborhood* self, Call const& call) noexcept {
  return on(self, [&] { return run_call(*self, call); });
}

template <typename Call>
int plan_neighbors(
    espalier_neighborhood* self, Call const& call, espalier_request** request
) noexcept {
  return on(self, [&] {
    bool const has_place = request != nullptr;
    if (has_place) {
      *request = nullptr;
    }
    *request = planned(
        *self, call, has_place ? nullptr : "expected a place for the request, got a null pointer"
    );
    return MPI_SUCCESS;
  });
}

}  // namespace espalier::capi
