// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/named_types.hpp"

#include <algorithm>

#include "espalier/exec/mpi_datatype.hpp"

namespace espalier::plan {
namespace {

bool is_named(MPI_Datatype type) {
  int num_integers = 0;
  int num_addresses = 0;
  int num_types = 0;
  int combiner = 0;
  exec::require_success(
      PMPI_Type_get_envelope(type, &num_integers, &num_addresses, &num_types, &combiner),
      "MPI_Type_get_envelope"
  );
  return combiner == MPI_COMBINER_NAMED;
}

}  // namespace

TypeFacts NamedTypes::facts(MPI_Datatype type) {
  for (std::size_t i = 0; i < num_entries_; ++i) {
    if (entries_[i].type == type) {
      return entries_[i].facts;
    }
  }
  exec::TypeShape const shape = exec::describe(type);
  TypeFacts const facts{.size_bytes = shape.size_bytes, .is_gapless = shape.is_gapless};
  if (is_named(type)) {
    entries_[next_] = {.type = type, .facts = facts};
    next_ = (next_ + 1) % capacity;
    num_entries_ = std::min(num_entries_ + 1, capacity);
  }
  return facts;
}

}  // namespace espalier::plan
