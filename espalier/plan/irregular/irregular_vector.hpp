// SPDX-License-Identifier: Apache-2.0

/// @file
/// The rules `irregular` of espalier/calls/functions.json, a function `mend_<rule>` for each, and
/// what other reductions share with them. A contribution that lies where the result goes is in
/// place; one that lies across it is copied.

#pragma once

#include <cstddef>
#include <cstdint>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/plan/calls/calls.hpp"
#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/plan/calls/operators.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/irregular/elements.hpp"
#include "espalier/plan/irregular/irregular.hpp"
#include "espalier/plan/irregular/irregular_parts.hpp"
#include "espalier/plan/irregular/library.hpp"

namespace espalier::plan {

inline void require_operator(MPI_Op op) {
  if (!is_operator(op)) {
    throw ClassError(MPI_ERR_OP, "expected an operator that reduces, got another handle");
  }
}

/// MPICH calls a null type an operand that the operator is not defined for.
template <typename Call>
void require_type(Call const& call, MPI_Datatype type, Library const& library) {
  int const code = type == MPI_DATATYPE_NULL ? library.says(call) : MPI_SUCCESS;
  if (code != MPI_SUCCESS) {
    throw LibraryError(code);
  }
}

/// What the library says of the aliases, types and operators of a reduction. Nothing is moved but
/// memory onto itself.
template <typename Call>
inline int
says_of(Library const& library, Call call, std::int64_t Call::*count, Elements const& received) {
  bool const is_alias = call.sendbuf == call.recvbuf && call.sendbuf != nullptr;
  if (!is_alias && !is_questionable(received, library.self())) {
    return MPI_SUCCESS;
  }
  call.*count = is_alias && received.count > 0 ? 1 : 0;
  return library.says(call);
}

inline int says_of(Library const& library, ReduceScatterCall call, Elements const& all) {
  bool const is_alias = call.sendbuf == call.recvbuf && call.sendbuf != nullptr;
  if (!is_alias && !is_questionable(all, library.self())) {
    return MPI_SUCCESS;
  }
  int const count = is_alias && all.count > 0 ? 1 : 0;
  call.recvcounts = &count;
  call.has_large_counts = false;
  return library.says(call);
}

/// Elements of the user's type in memory of ours, gaps and all.
inline void const* copy_of(Elements const& elements, Substitutes& substitutes) {
  exec::TypeShape const shape = shape_of(elements.type);
  std::int64_t const span_bytes =
      (elements.count - 1) * shape.extent_bytes + shape.true_extent_bytes;
  if (span_bytes < shape.size_bytes) {
    throw Error(
        ErrorCode::unsupported,
        "expected elements of a positive extent in a reduction with overlapping buffers"
    );
  }
  auto& memory = substitutes.memory.emplace_back(static_cast<std::size_t>(span_bytes));
  Elements copy = elements;
  copy.address = memory.data() - shape.true_lower_bound_bytes;
  static_cast<void>(unpack(packed(elements), copy));
  return copy.address;
}

/// The contribution, where it cannot be trodden on.
template <typename Call>
void set_contribution(Mended<Call>& mended, Elements const& contributed, Elements const& received) {
  require_possible(contributed);
  if (contributed.address == received.address) {
    mended.call.sendbuf = MPI_IN_PLACE;
  } else if (share_memory(contributed, received)) {
    mended.call.sendbuf = copy_of(contributed, mended.substitutes);
  }
}

/// A call in which each rank contributes a vector, and those with a result get one.
template <typename Call>
Mended<Call>
mend_contributed(Call const& call, bool has_result, bool may_be_in_place, Library const& library) {
  require_operator(call.op);
  require_type(call, call.datatype, library);
  Mended<Call> mended{.call = call};
  Elements const received{call.recvbuf, call.count, call.datatype};
  if (has_result) {
    require_possible(received);
  }
  if (!call.is_in_place() || !may_be_in_place) {
    Elements const contributed{call.sendbuf, call.count, call.datatype};
    require_possible(contributed);
    mended.code = says_of(library, call, &Call::count, contributed);
    if (has_result) {
      set_contribution(mended, contributed, received);
    }
  } else {
    mended.code = says_of(library, call, &Call::count, received);
  }
  mended.bytes = size_bytes({nullptr, call.count, call.datatype});
  return mended;
}

/// Each rank contributes a vector and gets one.
template <typename Call>
Mended<Call> mend_vector(Call const& call, CommunicatorFacts const&, Library const& library) {
  return mend_contributed(call, true, true, library);
}

}  // namespace espalier::plan
