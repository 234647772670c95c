// SPDX-License-Identifier: Apache-2.0

/// @file
/// Types and operators for reductions: built-in ones, and those of a user who looks at the handle
/// of the type.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/mpi/exec/support.hpp"

namespace espalier::test {

/// What the operators of this file were called with in vain: other types than they were made for.
inline long& num_wrong_types() {
  static long number = 0;
  return number;
}

/// The type that operators of the user are called with now.
inline MPI_Datatype& expected_type() {
  static MPI_Datatype type = MPI_DATATYPE_NULL;
  return type;
}

/// Two unsigned numbers somewhere in an element.
struct PairPlaces {
  std::ptrdiff_t first = 0;
  std::ptrdiff_t second = 4;
};

inline PairPlaces& pair_places() {
  static PairPlaces places;
  return places;
}

template <typename Combine>
void for_each_pair(
    void* in, void* in_out, int const* count, MPI_Datatype const* type, Combine&& combine
) {
  num_wrong_types() += *type == expected_type() ? 0 : 1;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(*type, &lower_bound, &extent);
  auto const [first, second] = pair_places();
  for (std::ptrdiff_t i = 0; i < *count; ++i) {
    auto const* const source = static_cast<std::byte const*>(in) + i * extent;
    auto* const destination = static_cast<std::byte*>(in_out) + i * extent;
    std::uint32_t left[2];
    std::uint32_t right[2];
    std::memcpy(&left[0], source + first, 4);
    std::memcpy(&left[1], source + second, 4);
    std::memcpy(&right[0], destination + first, 4);
    std::memcpy(&right[1], destination + second, 4);
    combine(left, right);
    std::memcpy(destination + first, &right[0], 4);
    std::memcpy(destination + second, &right[1], 4);
  }
}

/// Affine maps modulo 2^32: not commutative.
inline void compose_pairs(void* in, void* in_out, int* count, MPI_Datatype* type) {
  for_each_pair(in, in_out, count, type, [](std::uint32_t const* left, std::uint32_t* right) {
    right[1] = left[0] * right[1] + left[1];
    right[0] *= left[0];
  });
}

inline void add_pairs(void* in, void* in_out, int* count, MPI_Datatype* type) {
  for_each_pair(in, in_out, count, type, [](std::uint32_t const* left, std::uint32_t* right) {
    right[0] += left[0];
    right[1] ^= left[1];
  });
}

/// A type, an operator, and how to write an element.
struct OperatorCase {
  std::string name;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  bool is_commutative = true;
  bool is_users = false;
  /// Operators of the library may write padding as well.
  bool leaves_gaps = true;
  PairPlaces places{};
  void (*write)(std::byte* element, PairPlaces const& places, std::uint32_t value) = nullptr;

  /// The same numbers without gaps: what the MPI library is asked to reduce. Open MPI 4.1 writes
  /// in front of its own buffers when a type begins before its address.
  MPI_Datatype native_type = MPI_DATATYPE_NULL;
  PairPlaces native_places{};

  [[nodiscard]] OperatorCase native() const {
    OperatorCase result = *this;
    result.type = native_type == MPI_DATATYPE_NULL ? type : native_type;
    result.places = native_type == MPI_DATATYPE_NULL ? places : native_places;
    return result;
  }

  /// Called before the operator is used.
  void select() const {
    expected_type() = type;
    pair_places() = places;
  }
};

template <typename Number>
void write_number(std::byte* element, PairPlaces const&, std::uint32_t value) {
  auto const number = static_cast<Number>(value % 1000);
  std::memcpy(element, &number, sizeof number);
}

inline void write_located(std::byte* element, PairPlaces const&, std::uint32_t value) {
  double const number = value / 7 % 5;
  int const index = static_cast<int>(value % 100);
  std::memcpy(element, &number, sizeof number);
  std::memcpy(element + sizeof number, &index, sizeof index);
}

inline void write_pair(std::byte* element, PairPlaces const& places, std::uint32_t value) {
  std::uint32_t const second = value * 2654435769U;
  std::memcpy(element + places.first, &value, 4);
  std::memcpy(element + places.second, &second, 4);
}

/// Two unsigned numbers from 4 bytes before the element on, in a frame of 24 bytes.
inline MPI_Datatype framed_pair() {
  int const lengths[2] = {1, 1};
  MPI_Aint const places[2] = {8, -4};
  MPI_Datatype const types[2] = {MPI_UINT32_T, MPI_UINT32_T};
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_struct(2, lengths, places, types, &inner);
  PMPI_Type_create_resized(inner, -8, 24, &type);
  PMPI_Type_free(&inner);
  return committed(type);
}

/// Operators and types of a list; freed with it.
class OperatorCases {
public:
  OperatorCases() {
    PMPI_Op_create(add_pairs, 1, &add_);
    PMPI_Op_create(compose_pairs, 0, &compose_);
    PMPI_Type_contiguous(2, MPI_UINT32_T, &adjacent_);
    PMPI_Type_commit(&adjacent_);
    framed_ = framed_pair();
    cases_ = {
        {.name = "int32 sum",
         .type = MPI_INT32_T,
         .op = MPI_SUM,
         .write = write_number<std::int32_t>},
        {.name = "double sum", .type = MPI_DOUBLE, .op = MPI_SUM, .write = write_number<double>},
        {.name = "int32 max",
         .type = MPI_INT32_T,
         .op = MPI_MAX,
         .write = write_number<std::int32_t>},
        {.name = "double_int maxloc",
         .type = MPI_DOUBLE_INT,
         .op = MPI_MAXLOC,
         .leaves_gaps = false,
         .write = write_located},
        users("added pairs", adjacent_, add_, true, {.first = 0, .second = 4}),
        users("composed pairs", adjacent_, compose_, false, {.first = 0, .second = 4}),
        users("added framed pairs", framed_, add_, true, {.first = 8, .second = -4}),
        users("composed framed pairs", framed_, compose_, false, {.first = 8, .second = -4}),
    };
  }

  OperatorCases(OperatorCases const&) = delete;
  OperatorCases& operator=(OperatorCases const&) = delete;

  ~OperatorCases() {
    PMPI_Op_free(&add_);
    PMPI_Op_free(&compose_);
    PMPI_Type_free(&adjacent_);
    PMPI_Type_free(&framed_);
  }

  [[nodiscard]] std::vector<OperatorCase> const& get() const { return cases_; }

private:
  [[nodiscard]] OperatorCase users(
      char const* name, MPI_Datatype type, MPI_Op op, bool is_commutative, PairPlaces const& places
  ) const {
    return {
        .name = name,
        .type = type,
        .op = op,
        .is_commutative = is_commutative,
        .is_users = true,
        .places = places,
        .write = write_pair,
        .native_type = adjacent_,
    };
  }

  MPI_Op add_ = MPI_OP_NULL;
  MPI_Op compose_ = MPI_OP_NULL;
  MPI_Datatype adjacent_ = MPI_DATATYPE_NULL;
  MPI_Datatype framed_ = MPI_DATATYPE_NULL;
  std::vector<OperatorCase> cases_;
};

}  // namespace espalier::test
