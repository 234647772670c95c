// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/calls/named_types.hpp"

#include <algorithm>
#include <iterator>

#include "espalier/base/error.hpp"
#include "espalier/exec/messages/mpi_datatype.hpp"
#include "espalier/plan/irregular/library.hpp"

namespace espalier::plan {
namespace {

struct KnownOperand {
  MPI_Datatype type;
  Operand operand;
};

/// Optional types for which a library may have no operators (MPI_REAL16, MPI_CXX_BOOL) are left
/// out. Others are MPI_DATATYPE_NULL in libraries that do not have them, and never looked up.
Operand operand_of(MPI_Datatype type) noexcept {
  using enum Operand;
  static KnownOperand const known[] = {
      {MPI_DOUBLE, floating},
      {MPI_INT, c_integer},
      {MPI_FLOAT, floating},
      {MPI_LONG, c_integer},
      {MPI_UNSIGNED_LONG, c_integer},
      {MPI_UNSIGNED, c_integer},
      {MPI_LONG_LONG, c_integer},
      {MPI_UNSIGNED_LONG_LONG, c_integer},
      {MPI_SHORT, c_integer},
      {MPI_UNSIGNED_SHORT, c_integer},
      {MPI_SIGNED_CHAR, c_integer},
      {MPI_UNSIGNED_CHAR, c_integer},
      {MPI_INT8_T, c_integer},
      {MPI_INT16_T, c_integer},
      {MPI_INT32_T, c_integer},
      {MPI_INT64_T, c_integer},
      {MPI_UINT8_T, c_integer},
      {MPI_UINT16_T, c_integer},
      {MPI_UINT32_T, c_integer},
      {MPI_UINT64_T, c_integer},
      {MPI_DOUBLE_PRECISION, floating},
      {MPI_INTEGER, integer},
      {MPI_REAL, floating},
      {MPI_LONG_DOUBLE, floating},
      {MPI_LOGICAL, logical},
      {MPI_C_BOOL, logical},
      {MPI_REAL4, floating},
      {MPI_REAL8, floating},
      {MPI_INTEGER1, integer},
      {MPI_INTEGER2, integer},
      {MPI_INTEGER4, integer},
      {MPI_INTEGER8, integer},
      {MPI_COMPLEX8, complex},
      {MPI_COMPLEX16, complex},
      {MPI_C_FLOAT_COMPLEX, complex},
      {MPI_C_DOUBLE_COMPLEX, complex},
      {MPI_C_LONG_DOUBLE_COMPLEX, complex},
      {MPI_COMPLEX, complex},
      {MPI_DOUBLE_COMPLEX, complex},
      {MPI_BYTE, byte},
      {MPI_AINT, integer},
      {MPI_OFFSET, integer},
      {MPI_COUNT, integer},
      {MPI_FLOAT_INT, pair},
      {MPI_DOUBLE_INT, pair},
      {MPI_LONG_INT, pair},
      {MPI_2INT, pair},
      {MPI_SHORT_INT, pair},
      {MPI_LONG_DOUBLE_INT, pair},
      {MPI_2REAL, pair},
      {MPI_2DOUBLE_PRECISION, pair},
      {MPI_2INTEGER, pair},
  };
  auto const* const found = std::ranges::find(known, type, &KnownOperand::type);
  return found == std::end(known) ? other : found->operand;
}

}  // namespace

TypeFacts NamedTypes::facts(MPI_Datatype type) {
  for (std::size_t i = 0; i < num_entries_; ++i) {
    if (entries_[i].type == type) {
      return entries_[i].facts;
    }
  }
  return ask(type);
}

// Apart from what every call does, as its registers would have to be saved there.
[[gnu::noinline]] TypeFacts NamedTypes::ask(MPI_Datatype type) {
  exec::TypeShape const shape = exec::describe(type);
  TypeFacts facts{.size_bytes = shape.size_bytes, .is_gapless = shape.is_gapless};
  if (exec::is_named(type)) {
    facts.is_named = true;
    facts.operand = operand_of(type);
    entries_[next_] = {.type = type, .facts = facts};
    next_ = (next_ + 1) % capacity;
    num_entries_ = std::min(num_entries_ + 1, capacity);
  } else if (!is_committed(type, self_)) {
    throw Error(ErrorCode::argument, "expected a committed datatype");
  }
  return facts;
}

}  // namespace espalier::plan
