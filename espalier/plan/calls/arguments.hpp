// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the arguments of a call say of memory; what every call needs is inline. Everything here is
/// about one rank; a call that is wrong on one rank is an error of the program, and the MPI library
/// has to say so.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <mpi.h>

#include "espalier/exec/memory/integers.hpp"
#include "espalier/plan/calls/named_types.hpp"

namespace espalier::plan {

/// Product of two numbers >= 0; the largest number if it does not fit, on every rank alike.
[[nodiscard]] inline std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

/// The same of their sum.
[[nodiscard]] inline std::int64_t sum(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

/// Sum of the counts, none if one of them is negative or there is no list.
[[nodiscard]] std::optional<std::int64_t> total_of(exec::Integers counts, int num_counts) noexcept;

/// True if `root` is a rank.
[[nodiscard]] constexpr bool is_rank(int root, int num_ranks) noexcept {
  return root >= 0 && root < num_ranks;
}

/// 0 for calls without a root.
template <typename Call> [[nodiscard]] int root_of(Call const& call) noexcept {
  if constexpr (requires { call.root; }) {
    return call.root;
  } else {
    return 0;
  }
}

/// A part of memory that holds `bytes` of data.
struct Part {
  void const* address = nullptr;
  TypeFacts type{};
  std::int64_t bytes = 0;

  /// An address of 0 is right only for types that hold absolute addresses.
  [[nodiscard]] bool is_missing() const noexcept {
    return address == nullptr && type.is_gapless && bytes > 0;
  }
};

/// Elements at an address as a call gives them; none if they cannot be right.
/// @throws Error mpi.
[[nodiscard]] std::optional<Part>
part_of(void const* address, std::int64_t count, MPI_Datatype type, NamedTypes& types);

/// True if two parts share memory, or may: of types with gaps only the first byte is looked at, and
/// nothing where addresses are absolute.
[[nodiscard]] inline bool meet(Part const& a, Part const& b) noexcept {
  if (a.bytes <= 0 || b.bytes <= 0) {
    return false;
  }
  if (!a.type.is_gapless || !b.type.is_gapless) [[unlikely]] {
    return a.address == b.address && a.address != nullptr;
  }
  auto const first = reinterpret_cast<std::uintptr_t>(a.address);
  auto const second = reinterpret_cast<std::uintptr_t>(b.address);
  return first < second + static_cast<std::uintptr_t>(b.bytes) &&
         second < first + static_cast<std::uintptr_t>(a.bytes);
}

/// `part` with its address so many elements of the type further on.
/// @throws Error mpi.
[[nodiscard]] Part at_element(Part part, std::int64_t element, MPI_Datatype type);

/// Blocks of one type, in elements from an address on.
struct BlockList {
  exec::Integers counts{};
  exec::Integers displacements{};
  int num_blocks = 0;
};

/// What two lists of blocks cover, byte by byte. Blocks of one list may lie between those of the
/// other, as the halos and the inner part of an array do.
class CoveredBytes {
public:
  /// Blocks of no bytes, and those with gaps, cover nothing.
  void add(Part const& block, bool is_sent);
  /// All blocks of a list, whose elements begin at the address of `all`.
  void add(Part const& all, BlockList const& blocks, bool is_sent);

  /// Whether a byte is in a block that is sent and in one that is received. Sorts what was added.
  [[nodiscard]] bool meet();

private:
  struct Interval {
    std::uintptr_t begin;
    std::uintptr_t end;
    bool is_sent;
  };

  std::vector<Interval> intervals_;
};

/// From the first byte of any block to the last; of a type with gaps, the block `own`.
/// @throws Error mpi.
[[nodiscard]] Part hull_of(Part const& all, BlockList const& blocks, int own, MPI_Datatype type);

}  // namespace espalier::plan
