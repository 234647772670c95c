// SPDX-License-Identifier: Apache-2.0

/// @file
/// Arguments of the C functions, checked. Everything here is local and throws plan::ClassError.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

namespace espalier::capi {

/// @throws of the class MPI_ERR_ARG if it is null.
void check_pointer(void const* pointer, char const* name);

/// @throws of the class MPI_ERR_DIMS unless it is at least 1.
void check_count(int count, char const* name);

/// Empty for MPIX_WEIGHTS_EQUAL.
std::vector<double> checked_weights(double const* weights, int ndims);

/// Entries of periods; all are meaningful.
std::vector<bool> checked_periods(int const* periods, int ndims);

/// Entries >= 0.
std::vector<int> checked_dims(int const* dims, int ndims);

/// Entries >= 1.
std::vector<int> checked_sizes(int const* sizes, int count, char const* name);

/// The number of positions of a grid on a communicator of so many ranks: all of them if an entry is
/// free, otherwise the product.
/// @throws of the class MPI_ERR_DIMS if the fixed entries do not divide the ranks, or are more.
int num_positions(std::span<int const> dims, int num_ranks);

/// What must be equal on all ranks, in one number; >= 0.
class Fingerprint {
public:
  void add(std::span<int const> values) noexcept;
  void add(std::span<double const> values) noexcept;
  void add(std::string const& text) noexcept;

  [[nodiscard]] std::int64_t value() const noexcept {
    return static_cast<std::int64_t>(hash_ >> 1);
  }

private:
  void add_bytes(void const* bytes, std::size_t size) noexcept;

  std::uint64_t hash_ = 14695981039346656037U;
};

}  // namespace espalier::capi
