// SPDX-License-Identifier: Apache-2.0

/// @file
/// The rules `binding` of espalier/calls/functions.json: `bind_<rule>` and `<rule>_executor`. Calls
/// without such a rule are bound in bindings.cpp.

#pragma once

#include <cstdint>

#include <mpi.h>

#include "espalier/exec/collectives/mpi_collectives.hpp"
#include "espalier/plan/calls/binding.hpp"
#include "espalier/plan/calls/named_types.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::plan {

/// Of a reduction of so many elements.
template <typename Call>
Binding bind_elements(Call const& call, std::int64_t count, NamedTypes& types) {
  TypeFacts const type = types.facts(call.datatype);
  return {
      .key =
          {
              .call = Call::call,
              .is_in_place = call.is_in_place(),
              .bytes = count * type.size_bytes,
              .op = call.op,
              .type = call.datatype,
          },
      .may_stay = type.is_named,
      .input = call.sendbuf,
      .output = call.recvbuf,
  };
}

template <typename Call> exec::Reduction reduction(Call const& call) noexcept {
  return {.type = call.datatype, .op = call.op, .is_in_place = call.is_in_place()};
}

/// Each rank contributes a vector, and there is no root.
template <typename Call>
Binding bind_vector(Call const& call, BindingTarget const&, NamedTypes& types) {
  return bind_elements(call, call.count, types);
}

/// @param make as exec::allreduce_executor().
template <typename Make, typename Call>
exec::MpiExecutor vector_executor(
    Make const& make,
    Call const& call,
    BindingTarget const& target,
    schedule::RankProgram const& program
) {
  return make(program, target.context, call.count, reduction(call));
}

}  // namespace espalier::plan
