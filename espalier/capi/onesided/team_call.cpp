// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_call.hpp"

#include <string>

#include "espalier/base/format.hpp"
#include "espalier/exec/messages/mpi_datatype.hpp"
#include "espalier/plan/calls/named_types.hpp"
#include "espalier/plan/calls/operators.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {
namespace {

using plan::ClassError;

void require(bool is_right, int mpi_class, std::string const& text) {
  if (!is_right) {
    throw ClassError(mpi_class, text);
  }
}

/// Elements move as bytes. Those of named types may have padding, which nobody looks at.
std::int64_t extent_of(MPI_Datatype type, plan::TypeFacts const& facts) {
  exec::TypeShape const shape = exec::describe(type);
  bool const covers_all = shape.lower_bound_bytes == 0 && shape.true_lower_bound_bytes == 0 &&
                          shape.size_bytes == shape.extent_bytes &&
                          shape.true_extent_bytes == shape.extent_bytes;
  require(
      covers_all || (facts.is_named && shape.extent_bytes > 0),
      MPI_ERR_TYPE,
      "expected a contiguous datatype, got one with gaps; pack the data, or send bytes"
  );
  return shape.extent_bytes;
}

bool needs_rank_order(MPI_Op op, plan::TypeFacts const& facts) {
  require(plan::is_operator(op), MPI_ERR_OP, "expected an operator that reduces, got another one");
  plan::Combining const combining = plan::combining(op, facts);
  require(
      combining != plan::Combining::unknown,
      MPI_ERR_OP,
      "expected an operator that MPI defines for the datatype, got another one"
  );
  return combining == plan::Combining::ordered;
}

}  // namespace

TeamElements check(TeamCall const& call, int num_ranks) {
  if (call.collective == schedule::Collective::barrier) {
    return {};
  }
  require(
      call.root >= 0 && call.root < num_ranks,
      MPI_ERR_ROOT,
      formatted("expected a root in 0 .. {}, got {}", num_ranks - 1, call.root)
  );
  require(
      call.count >= 0,
      MPI_ERR_COUNT,
      formatted("expected a count of at least 0, got {}", call.count)
  );
  require(
      call.datatype != MPI_DATATYPE_NULL, MPI_ERR_TYPE, "expected a datatype, got MPI_DATATYPE_NULL"
  );
  plan::TypeFacts const facts = plan::NamedTypes().facts(call.datatype);
  TeamElements result{
      .count = call.blocks ? call.blocks->mean_count() : call.count,
      .extent_bytes = extent_of(call.datatype, facts),
  };
  if (schedule::reduces(call.collective)) {
    result.needs_rank_order = needs_rank_order(call.op, facts);
  }
  return result;
}

}  // namespace espalier::capi
