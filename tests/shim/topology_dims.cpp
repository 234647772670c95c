// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/shim/topology.hpp"

namespace shim_test {
namespace {

int product(std::vector<int> const& values) {
  return std::accumulate(values.begin(), values.end(), 1, std::multiplies<>());
}

int spread(std::vector<int> const& values) {
  auto const [least, most] = std::ranges::minmax(values);
  return most - least;
}

/// The least difference between the largest and the smallest of so many factors, by trying all.
int least_spread(int number, int num_factors, std::vector<int> chosen = {}) {
  if (num_factors == 1) {
    chosen.push_back(number);
    return spread(chosen);
  }
  int best = std::numeric_limits<int>::max();
  for (int factor = 1; factor <= number; ++factor) {
    if (number % factor == 0) {
      std::vector<int> more = chosen;
      more.push_back(factor);
      best = std::min(best, least_spread(number / factor, num_factors - 1, std::move(more)));
    }
  }
  return best;
}

void check_free(int number, int ndims, bool is_balanced) {
  std::vector<int> dims(static_cast<std::size_t>(ndims));
  MPI_Dims_create(number, ndims, dims.data());
  std::string const what = std::to_string(number) + " in " + std::to_string(ndims);
  require(product(dims) == number, "factors of " + what);
  require(std::ranges::is_sorted(dims, std::greater<>()), "in descending order, " + what);
  require(
      !is_balanced || spread(dims) == least_spread(number, ndims), "as close as can be, " + what
  );
}

}  // namespace

void check_dims() {
  char const* const wanted = std::getenv("ESPALIER_DIMS");  // NOLINT(concurrency-mt-unsafe)
  bool const is_balanced = wanted != nullptr && std::string(wanted) == "balanced";
  for (int number = 1; number <= 96; ++number) {
    for (int ndims = 1; ndims <= 4; ++ndims) {
      check_free(number, ndims, is_balanced);
    }
  }
  std::vector<int> fixed{0, 3, 0};
  MPI_Dims_create(24, 3, fixed.data());
  require(fixed == std::vector<int>{4, 3, 2}, "the entries given stay");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::vector<int> wrong{5, 0};
  require(MPI_Dims_create(24, 2, wrong.data()) != MPI_SUCCESS, "the error of the MPI library");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

}  // namespace shim_test
