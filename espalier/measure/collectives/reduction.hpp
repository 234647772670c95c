// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <mpi.h>

#include "espalier/plan/settings/manner.hpp"

namespace espalier::measure {

/// An operator with contributions of all ranks to it, whose results every rank knows without asking
/// a library. All elements have 8 bytes: sums, maxima and minima are of MPI_DOUBLE, values with
/// places of MPI_2INT, all others of MPI_UINT64_T. See contents.hpp for sums.
class Reduction {
public:
  static constexpr std::size_t element_bytes = 8;

  /// Local. Operators of the program are made here: `user` adds, `user_ordered` composes maps
  /// x -> a x + b, which do not commute.
  /// @throws Error mpi.
  explicit Reduction(plan::Operator op);
  Reduction(Reduction const&) = delete;
  Reduction& operator=(Reduction const&) = delete;
  Reduction(Reduction&&) = delete;
  Reduction& operator=(Reduction&&) = delete;
  ~Reduction();

  [[nodiscard]] MPI_Op op() const noexcept { return op_; }

  [[nodiscard]] MPI_Datatype type() const noexcept;

  /// What a rank has from position 0 on.
  void put_contribution(std::span<std::byte> elements, int rank, std::uint32_t stamp) const;
  /// Contributions of ranks 0 .. num_ranks - 1 combined in their order, from position `begin` on.
  void put_result(
      std::span<std::byte> elements, int num_ranks, std::size_t begin, std::uint32_t stamp
  ) const;

private:
  [[nodiscard]] std::uint64_t
  contribution(int rank, std::size_t position, std::uint32_t stamp) const noexcept;
  [[nodiscard]] std::uint64_t combined(std::uint64_t first, std::uint64_t then) const noexcept;
  [[nodiscard]] bool is_of_the_program() const noexcept;

  plan::Operator name_;
  MPI_Op op_ = MPI_OP_NULL;
};

}  // namespace espalier::measure
