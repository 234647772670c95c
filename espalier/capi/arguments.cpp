// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/arguments.hpp"

#include <cmath>
#include <cstddef>

#include "include/espalier_mpix.h"

#include "espalier/plan/failure.hpp"

namespace espalier::capi {
namespace {

using plan::ClassError;

std::vector<int> checked_entries(int const* values, int count, int least, char const* name) {
  check_pointer(values, name);
  std::vector<int> const entries(values, values + count);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i] < least) {
      throw ClassError(
          MPI_ERR_DIMS,
          "expected entries of " + std::string(name) + " >= " + std::to_string(least) + ", got " +
              std::to_string(entries[i]) + " at " + std::to_string(i)
      );
    }
  }
  return entries;
}

}  // namespace

void check_pointer(void const* pointer, char const* name) {
  if (pointer == nullptr) {
    throw ClassError(MPI_ERR_ARG, "expected " + std::string(name) + ", got a null pointer");
  }
}

void check_count(int count, char const* name) {
  if (count < 1) {
    throw ClassError(
        MPI_ERR_DIMS, std::string(name) + " must be at least 1, got " + std::to_string(count)
    );
  }
}

std::vector<double> checked_weights(double const* weights, int ndims) {
  if (weights == MPIX_WEIGHTS_EQUAL) {
    return {};
  }
  if (weights == nullptr) {
    throw ClassError(MPI_ERR_ARG, "expected dim_weights or MPIX_WEIGHTS_EQUAL, got a null pointer");
  }
  for (int i = 0; i < ndims; ++i) {
    if (!(weights[i] >= 0) || !std::isfinite(weights[i])) {
      throw ClassError(
          MPI_ERR_ARG,
          "expected dim_weights that are finite and >= 0, got " + std::to_string(weights[i]) +
              " at " + std::to_string(i)
      );
    }
  }
  return {weights, weights + ndims};
}

std::vector<bool> checked_periods(int const* periods, int ndims) {
  check_pointer(periods, "periods");
  std::vector<bool> result;
  for (int i = 0; i < ndims; ++i) {
    result.push_back(periods[i] != 0);
  }
  return result;
}

std::vector<int> checked_dims(int const* dims, int ndims) {
  return checked_entries(dims, ndims, 0, "dims");
}

std::vector<int> checked_sizes(int const* sizes, int count, char const* name) {
  return checked_entries(sizes, count, 1, name);
}

int num_positions(std::span<int const> dims, int num_ranks) {
  std::int64_t product = 1;
  bool has_free = false;
  for (int const extent : dims) {
    has_free = has_free || extent == 0;
    product *= extent > 0 ? extent : 1;
    if (product > num_ranks) {
      throw ClassError(
          MPI_ERR_DIMS,
          "expected a grid of at most " + std::to_string(num_ranks) +
              " positions, as many as there are ranks, got more"
      );
    }
  }
  if (has_free && num_ranks % product != 0) {
    throw ClassError(
        MPI_ERR_DIMS,
        "expected fixed entries of dims whose product divides the number of ranks, " +
            std::to_string(num_ranks) + ", got " + std::to_string(product)
    );
  }
  return has_free ? num_ranks : static_cast<int>(product);
}

void Fingerprint::add(std::span<int const> values) noexcept {
  add_bytes(values.data(), values.size_bytes());
}

void Fingerprint::add(std::span<double const> values) noexcept {
  add_bytes(values.data(), values.size_bytes());
}

void Fingerprint::add(std::string const& text) noexcept {
  add_bytes(text.data(), text.size());
}

/// FNV-1a; a length of its own keeps what follows apart.
void Fingerprint::add_bytes(void const* bytes, std::size_t size) noexcept {
  auto const* const begin = static_cast<unsigned char const*>(bytes);
  for (std::size_t i = 0; i < size; ++i) {
    hash_ = (hash_ ^ begin[i]) * 1099511628211U;
  }
  hash_ = (hash_ ^ size) * 1099511628211U;
}

}  // namespace espalier::capi
