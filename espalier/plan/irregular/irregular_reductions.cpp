// SPDX-License-Identifier: Apache-2.0

/// @file
/// Irregular reductions: a contribution that lies where the result goes is in place; one that lies
/// across it is copied.

#include "espalier/base/error.hpp"
#include "espalier/plan/calls/operators.hpp"
#include "espalier/plan/irregular/irregular.hpp"
#include "espalier/plan/irregular/irregular_parts.hpp"
#include "espalier/plan/irregular/irregular_vector.hpp"
#include "espalier/plan/irregular/mend.hpp"

namespace espalier::plan {
namespace {

/// A call whose result is a part of the vector.
template <typename Call>
void mend_scattered(
    Mended<Call>& mended, std::int64_t count, std::int64_t own_count, MPI_Datatype type
) {
  Call& call = mended.call;
  Elements const received{call.recvbuf, call.is_in_place() ? count : own_count, type};
  require_possible(received);
  if (!call.is_in_place()) {
    set_contribution(mended, {call.sendbuf, count, type}, received);
  }
  mended.bytes = size_bytes({nullptr, count, type});
}

}  // namespace

Mended<ExscanCall>
mend(ExscanCall const& call, CommunicatorFacts const& facts, Library const& library) {
  Mended<ExscanCall> mended =
      mend_contributed(call, facts.rank > 0 || call.is_in_place(), true, library);
  if (mended.code == MPI_SUCCESS && call.recvbuf == nullptr) {
    mended.code = library.says(call);
  }
  return mended;
}

Mended<ReduceCall>
mend(ReduceCall const& call, CommunicatorFacts const& facts, Library const& library) {
  require_root(call.root, facts);
  bool const is_root = facts.rank == call.root;
  return mend_contributed(call, is_root, is_root, library);
}

Mended<ReduceScatterCall>
mend(ReduceScatterCall const& call, CommunicatorFacts const& facts, Library const& library) {
  require_operator(call.op);
  require_lists(call, library, {call.recvcounts.data()});
  require_counts(call.recvcounts, facts.num_ranks);
  require_type(call, call.datatype, library);
  Mended<ReduceScatterCall> mended{.call = call};
  std::int64_t const count = *total_of(call.recvcounts, facts.num_ranks);
  mend_scattered(mended, count, call.recvcounts[facts.rank], call.datatype);
  mended.code = says_of(library, call, {nullptr, count, call.datatype});
  return mended;
}

Mended<ReduceScatterBlockCall>
mend(ReduceScatterBlockCall const& call, CommunicatorFacts const& facts, Library const& library) {
  require_operator(call.op);
  require_type(call, call.datatype, library);
  require_possible({call.recvbuf, call.recvcount, call.datatype});
  Mended<ReduceScatterBlockCall> mended{.call = call};
  std::int64_t const count = product(call.recvcount, facts.num_ranks);
  mend_scattered(mended, count, call.recvcount, call.datatype);
  mended.code = says_of(
      library, call, &ReduceScatterBlockCall::recvcount, {nullptr, call.recvcount, call.datatype}
  );
  return mended;
}

}  // namespace espalier::plan
