// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/collectives/reduction.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "espalier/measure/common/contents.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure {
namespace {

using plan::Operator;

/// Of logical and bitwise operators: which rank alone decides an element, if it takes part.
constexpr std::uint64_t most_deciders = 16;

/// 64 bits that differ between ranks, positions and stamps.
std::uint64_t word(int rank, std::size_t position, std::uint32_t stamp) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof bits; ++i) {
    std::byte const byte = content_byte(rank, position * sizeof bits + i, stamp);
    bits = bits << 8U | std::to_integer<std::uint64_t>(byte);
  }
  return bits;
}

/// The map x -> a x + b over 32 bits, as one element.
struct Map {
  std::uint32_t a;
  std::uint32_t b;
};

/// First the left one, then the right one.
std::uint64_t composed(std::uint64_t left, std::uint64_t right) noexcept {
  auto const first = std::bit_cast<Map>(left);
  auto const then = std::bit_cast<Map>(right);
  return std::bit_cast<std::uint64_t>(Map{then.a * first.a, then.a * first.b + then.b});
}

/// A value and its place, as MPI_2INT.
struct Placed {
  std::int32_t value;
  std::int32_t place;
};

std::uint64_t better(std::uint64_t left, std::uint64_t right, bool is_max) noexcept {
  auto const a = std::bit_cast<Placed>(left);
  auto const b = std::bit_cast<Placed>(right);
  if (a.value == b.value) {
    return a.place < b.place ? left : right;
  }
  return (a.value > b.value) == is_max ? left : right;
}

template <typename Combine>
void combine_all(void* left, void* result, int const* count, Combine combine) noexcept {
  auto const* const from = static_cast<std::byte const*>(left);
  auto* const to = static_cast<std::byte*>(result);
  for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
    std::uint64_t first = 0;
    std::uint64_t then = 0;
    std::memcpy(&first, from + i * sizeof first, sizeof first);
    std::memcpy(&then, to + i * sizeof then, sizeof then);
    std::uint64_t const both = combine(first, then);
    std::memcpy(to + i * sizeof both, &both, sizeof both);
  }
}

void add_all(void* left, void* result, int* count, MPI_Datatype*) noexcept {
  combine_all(left, result, count, [](std::uint64_t a, std::uint64_t b) { return a + b; });
}

void compose_all(void* left, void* result, int* count, MPI_Datatype*) noexcept {
  combine_all(left, result, count, composed);
}

MPI_Op predefined(Operator op) noexcept {
  switch (op) {
  case Operator::sum:
    return MPI_SUM;
  case Operator::prod:
    return MPI_PROD;
  case Operator::max:
    return MPI_MAX;
  case Operator::min:
    return MPI_MIN;
  case Operator::land:
    return MPI_LAND;
  case Operator::lor:
    return MPI_LOR;
  case Operator::lxor:
    return MPI_LXOR;
  case Operator::band:
    return MPI_BAND;
  case Operator::bor:
    return MPI_BOR;
  case Operator::bxor:
    return MPI_BXOR;
  case Operator::minloc:
    return MPI_MINLOC;
  case Operator::maxloc:
    return MPI_MAXLOC;
  case Operator::none:
  case Operator::user:
  case Operator::user_ordered:
    break;
  }
  return MPI_OP_NULL;
}

bool is_of_doubles(Operator op) noexcept {
  return op == Operator::sum || op == Operator::max || op == Operator::min;
}

}  // namespace

Reduction::Reduction(Operator op) : name_(op), op_(predefined(op)) {
  if (is_of_the_program()) {
    bool const commutes = name_ == Operator::user;
    mpi::require_success(
        PMPI_Op_create(commutes ? add_all : compose_all, commutes ? 1 : 0, &op_), "MPI_Op_create"
    );
  }
}

Reduction::~Reduction() {
  if (is_of_the_program()) {
    PMPI_Op_free(&op_);
  }
}

bool Reduction::is_of_the_program() const noexcept {
  return name_ == Operator::user || name_ == Operator::user_ordered;
}

MPI_Datatype Reduction::type() const noexcept {
  if (name_ == Operator::minloc || name_ == Operator::maxloc) {
    return MPI_2INT;
  }
  return is_of_doubles(name_) ? MPI_DOUBLE : MPI_UINT64_T;
}

/// A missing contribution, or one that is there twice, changes results at some positions.
std::uint64_t
Reduction::contribution(int rank, std::size_t position, std::uint32_t stamp) const noexcept {
  std::uint64_t const own = word(rank, position, stamp);
  bool const decides =
      word(0, position, stamp) % most_deciders == static_cast<std::uint64_t>(rank) % most_deciders;
  switch (name_) {
  case Operator::sum:
  case Operator::max:
  case Operator::min:
    return std::bit_cast<std::uint64_t>(Addends::of_rank(rank, stamp).sum(position));
  case Operator::prod:
    return own | 1U;
  case Operator::land:
    return decides ? 0 : 1;
  case Operator::lor:
    return decides ? 1 : 0;
  case Operator::lxor:
    return own & 1U;
  case Operator::band:
    return decides ? own : ~std::uint64_t{0};
  case Operator::bor:
    return decides ? own : 0;
  case Operator::minloc:
  case Operator::maxloc:
    return std::bit_cast<std::uint64_t>(Placed{static_cast<std::int32_t>(own & 0x7U), rank});
  default:
    return own;
  }
}

std::uint64_t Reduction::combined(std::uint64_t first, std::uint64_t then) const noexcept {
  switch (name_) {
  case Operator::sum:
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(first) + std::bit_cast<double>(then));
  case Operator::max:
    return std::bit_cast<double>(first) > std::bit_cast<double>(then) ? first : then;
  case Operator::min:
    return std::bit_cast<double>(first) < std::bit_cast<double>(then) ? first : then;
  case Operator::prod:
    return first * then;
  case Operator::land:
  case Operator::band:
    return first & then;
  case Operator::lor:
  case Operator::bor:
    return first | then;
  case Operator::lxor:
  case Operator::bxor:
    return first ^ then;
  case Operator::minloc:
  case Operator::maxloc:
    return better(first, then, name_ == Operator::maxloc);
  case Operator::user:
    return first + then;
  default:
    return composed(first, then);
  }
}

void Reduction::put_contribution(std::span<std::byte> elements, int rank, std::uint32_t stamp)
    const {
  for (std::size_t i = 0; i < elements.size() / element_bytes; ++i) {
    std::uint64_t const element = contribution(rank, i, stamp);
    std::memcpy(elements.data() + i * element_bytes, &element, element_bytes);
  }
}

/// Sums are known from two numbers; of other operators each element costs a step for each rank.
void Reduction::put_result(
    std::span<std::byte> elements, int num_ranks, std::size_t begin, std::uint32_t stamp
) const {
  Addends const addends = Addends::of_first(num_ranks, stamp);
  for (std::size_t i = 0; i < elements.size() / element_bytes; ++i) {
    std::size_t const position = begin + i;
    std::uint64_t element = 0;
    if (name_ == Operator::sum) {
      element = std::bit_cast<std::uint64_t>(addends.sum(position));
    } else if (num_ranks > 0) {
      element = contribution(0, position, stamp);
      for (int rank = 1; rank < num_ranks; ++rank) {
        element = combined(element, contribution(rank, position, stamp));
      }
    }
    std::memcpy(elements.data() + i * element_bytes, &element, element_bytes);
  }
}

}  // namespace espalier::measure
