// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/calls/operators.hpp"

#include <array>
#include <initializer_list>
#include <optional>

#include "espalier/mpi/success.hpp"

namespace espalier::plan {
namespace {

bool is_one_of(Operand kind, std::initializer_list<Operand> kinds) noexcept {
  for (Operand const each : kinds) {
    if (each == kind) {
      return true;
    }
  }
  return false;
}

/// None for operators of the user.
std::optional<Operator> predefined(MPI_Op op) noexcept {
  struct Entry {
    MPI_Op op;
    Operator name;
  };

  std::array const entries{
      Entry{MPI_SUM, Operator::sum},
      Entry{MPI_MAX, Operator::max},
      Entry{MPI_MIN, Operator::min},
      Entry{MPI_PROD, Operator::prod},
      Entry{MPI_LAND, Operator::land},
      Entry{MPI_LOR, Operator::lor},
      Entry{MPI_LXOR, Operator::lxor},
      Entry{MPI_BAND, Operator::band},
      Entry{MPI_BOR, Operator::bor},
      Entry{MPI_BXOR, Operator::bxor},
      Entry{MPI_MINLOC, Operator::minloc},
      Entry{MPI_MAXLOC, Operator::maxloc},
  };
  for (Entry const& entry : entries) {
    if (entry.op == op) {
      return entry.name;
    }
  }
  return std::nullopt;
}

/// The table of the standard; nothing for operators of the user.
std::optional<bool> is_predefined_for(MPI_Op op, Operand kind) noexcept {
  using enum Operand;
  if (op == MPI_SUM || op == MPI_PROD) {
    return is_one_of(kind, {c_integer, integer, floating, complex});
  }
  if (op == MPI_MAX || op == MPI_MIN) {
    return is_one_of(kind, {c_integer, integer, floating});
  }
  if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR) {
    return is_one_of(kind, {c_integer, logical});
  }
  if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR) {
    return is_one_of(kind, {c_integer, integer, byte});
  }
  if (op == MPI_MINLOC || op == MPI_MAXLOC) {
    return kind == pair;
  }
  return std::nullopt;
}

}  // namespace

Combining combining(MPI_Op op, TypeFacts const& type) {
  if (auto const is_defined = is_predefined_for(op, type.operand)) {
    return *is_defined ? Combining::commutative : Combining::unknown;
  }
  int is_commutative = 0;
  mpi::require_success(PMPI_Op_commutative(op, &is_commutative), "MPI_Op_commutative");
  return is_commutative != 0 ? Combining::commutative : Combining::ordered;
}

bool is_predefined(MPI_Op op) noexcept {
  return is_predefined_for(op, Operand::c_integer).has_value();
}

Operator operator_of(MPI_Op op) {
  if (auto const name = predefined(op)) {
    return *name;
  }
  if (!is_operator(op)) {
    return Operator::none;
  }
  int is_commutative = 0;
  mpi::require_success(PMPI_Op_commutative(op, &is_commutative), "MPI_Op_commutative");
  return is_commutative != 0 ? Operator::user : Operator::user_ordered;
}

bool is_operator(MPI_Op op) noexcept {
  return op != MPI_OP_NULL && op != MPI_REPLACE && op != MPI_NO_OP;
}

}  // namespace espalier::plan
