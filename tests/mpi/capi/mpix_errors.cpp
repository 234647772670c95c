// SPDX-License-Identifier: Apache-2.0

/// @file
/// Wrong arguments: the class of the code, the text, the handler of the communicator, the same on
/// all ranks, also where only one of them is wrong.

#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "include/espalier.h"
#include "include/espalier_mpix.h"

#include <mpi.h>

#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using Dims = std::vector<int>;

int rank = 0;
int size = 0;
int num_handled = 0;

void count_errors(MPI_Comm*, int*, ...) {
  ++num_handled;
}

struct Expected {
  int mpi_class;
  std::string text;  ///< part of what MPI_Error_string() says
};

/// @param call returns what the function under test returned.
void expect_error(
    Checks& checks,
    std::string const& what,
    Expected const& expected,
    std::function<int()> const& call
) {
  int const before = num_handled;
  int const code = call();
  int error_class = MPI_SUCCESS;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (code != MPI_SUCCESS) {
    MPI_Error_class(code, &error_class);
    MPI_Error_string(code, text, &length);
  }
  checks.expect(
      error_class == expected.mpi_class,
      what + ": class " + std::to_string(error_class) + ", " + text
  );
  char last[1024] = {};
  int const last_length = espalier_last_error(last, sizeof last);
  checks.expect(last_length == static_cast<int>(std::string(last).size()), what + ": length");
  checks.expect(
      std::string(last).find(expected.text) != std::string::npos, what + ": text " + last
  );
  // Either our text, or that of the class: never the text of another error.
  char of_class[MPI_MAX_ERROR_STRING] = {};
  MPI_Error_string(error_class, of_class, &length);
  bool const is_ours = std::string(text).find(expected.text) != std::string::npos;
  checks.expect(is_ours || std::string(text) == of_class, what + ": MPI says " + text);
  checks.expect(num_handled == before + 1, what + ": the handler is called once");
}

/// Arguments of one call, right until one is changed.
struct Weighted {
  MPI_Comm comm;
  int ndims = 2;
  std::vector<double> weights{1, 1};
  Dims dims{0, 0};
  Dims periods{0, 0};
  MPI_Info info = MPI_INFO_NULL;

  int operator()() {
    MPI_Comm made = MPI_COMM_NULL;
    return MPIX_Cart_weighted_create(
        comm, ndims, weights.data(), periods.data(), info, dims.data(), &made
    );
  }
};

void check_weighted(Checks& checks, MPI_Comm comm) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  Weighted const right{.comm = comm};
  auto const expect = [&](std::string const& what, Expected const& expected, auto change) {
    Weighted call = right;
    change(call);
    expect_error(checks, what, expected, call);
  };
  for (int const ndims : {0, -1}) {
    expect("ndims", {MPI_ERR_DIMS, "ndims must be at least 1"}, [&](auto& c) { c.ndims = ndims; });
  }
  for (double const weight : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    expect("weight", {MPI_ERR_ARG, "finite and >= 0"}, [&](auto& c) { c.weights[1] = weight; });
  }
  expect("negative dims", {MPI_ERR_DIMS, "got -2 at 1"}, [](auto& c) { c.dims[1] = -2; });
  expect("larger grid", {MPI_ERR_DIMS, "at most"}, [](auto& c) { c.dims = {size, 2}; });
  expect("huge grid", {MPI_ERR_DIMS, "at most"}, [](auto& c) { c.dims = {1 << 30, 1 << 30}; });
  if (size % 2 != 0 && size > 1) {
    expect("mismatch", {MPI_ERR_DIMS, "divides"}, [](auto& c) { c.dims = {2, 0}; });
  }
  if (size > 1) {
    expect("one rank only", {MPI_ERR_ARG, ""}, [&](auto& c) {
      c.weights[0] = rank == size - 1 ? nan : 1;
    });
    expect("different dims", {MPI_ERR_ARG, "equal arguments"}, [](auto& c) {
      c.dims = {rank == 0 ? 1 : size, 1};
    });
    expect("different weights", {MPI_ERR_ARG, "equal arguments"}, [](auto& c) {
      c.weights[0] = rank;
    });
  }
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "espalier_factorization", "none");
  expect("info", {MPI_ERR_INFO_VALUE, "greedy or joint"}, [&](auto& c) { c.info = info; });
  MPI_Info_set(info, "espalier_factorization", "joint");
  for (char const* const costs : {"1,", "1,-2", "x", "1 2", "0"}) {
    MPI_Info_set(info, "espalier_level_costs", costs);
    expect("costs", {MPI_ERR_INFO_VALUE, "separated by commas"}, [&](auto& c) { c.info = info; });
  }
  MPI_Info_free(&info);
}

void check_pointers(Checks& checks, MPI_Comm comm) {
  Dims dims{0, 0};
  Dims const periods{0, 0};
  MPI_Comm made = MPI_COMM_NULL;
  double const* const equal = MPIX_WEIGHTS_EQUAL;
  expect_error(checks, "null weights", {MPI_ERR_ARG, "MPIX_WEIGHTS_EQUAL"}, [&] {
    return MPIX_Cart_weighted_create(
        comm, 2, nullptr, periods.data(), MPI_INFO_NULL, dims.data(), &made
    );
  });
  expect_error(checks, "null periods", {MPI_ERR_ARG, "expected periods"}, [&] {
    return MPIX_Cart_weighted_create(comm, 2, equal, nullptr, MPI_INFO_NULL, dims.data(), &made);
  });
  expect_error(checks, "null dims", {MPI_ERR_ARG, "expected dims"}, [&] {
    return MPIX_Cart_weighted_create(comm, 2, equal, periods.data(), MPI_INFO_NULL, nullptr, &made);
  });
  expect_error(checks, "null comm_cart", {MPI_ERR_ARG, "expected comm_cart"}, [&] {
    return MPIX_Cart_weighted_create(
        comm, 2, equal, periods.data(), MPI_INFO_NULL, dims.data(), nullptr
    );
  });
  expect_error(checks, "null types", {MPI_ERR_ARG, "expected split_types"}, [&] {
    return MPIX_Cart_ml_create_from_types(
        comm, 2, equal, periods.data(), 1, nullptr, MPI_INFO_NULL, dims.data(), &made
    );
  });
  expect_error(checks, "negative types", {MPI_ERR_ARG, "at least 0"}, [&] {
    return MPIX_Cart_ml_create_from_types(
        comm, 2, equal, periods.data(), -1, nullptr, MPI_INFO_NULL, dims.data(), &made
    );
  });
}

void check_levels(Checks& checks, MPI_Comm comm) {
  Dims dims{0, 0};
  Dims const periods{0, 0};
  MPI_Comm made = MPI_COMM_NULL;
  auto const create = [&](MPI_Comm first, MPI_Comm second) {
    MPI_Comm const levels[] = {first, second};
    return MPIX_Cart_ml_create_from_comms(
        2, levels, 2, MPIX_WEIGHTS_EQUAL, periods.data(), MPI_INFO_NULL, dims.data(), &made
    );
  };
  expect_error(checks, "null level", {MPI_ERR_COMM, "MPI_COMM_NULL"}, [&] {
    return create(comm, MPI_COMM_NULL);
  });
  if (size >= 3) {
    MPI_Comm uneven = MPI_COMM_NULL;
    MPI_Comm_split(comm, rank == 0 ? 0 : 1, 0, &uneven);
    expect_error(checks, "uneven parts", {MPI_ERR_TOPOLOGY, "equal size"}, [&] {
      return create(comm, uneven);
    });
    // The level inside has ranks that the first does not.
    int const before = num_handled;
    MPI_Comm_set_errhandler(uneven, MPI_ERRORS_RETURN);
    int const code = create(uneven, comm);
    int error_class = 0;
    MPI_Error_class(code, &error_class);
    checks.expect(error_class == MPI_ERR_TOPOLOGY, "a level that reaches beyond the first");
    checks.expect(num_handled == before, "the handler is that of the first");
    MPI_Comm_free(&uneven);
  }
  int const two_levels[] = {1, size, 1, 1};
  int const larger[] = {size, 1, 2, 1};
  int const zero[] = {1, 0, 1, 1};
  auto const ml_create = [&](int nlevels, int const* dims_ml) {
    return MPIX_Cart_ml_create(
        comm, 2, periods.data(), nlevels, dims_ml, MPI_INFO_NULL, dims.data(), &made
    );
  };
  expect_error(checks, "larger dims_ml", {MPI_ERR_DIMS, "at most"}, [&] {
    return ml_create(2, larger);
  });
  expect_error(checks, "zero in dims_ml", {MPI_ERR_DIMS, "got 0 at 1"}, [&] {
    return ml_create(2, zero);
  });
  expect_error(checks, "no levels", {MPI_ERR_ARG, "at least 1"}, [&] {
    return ml_create(0, two_levels);
  });
}

void check_options(Checks& checks, MPI_Comm comm) {
  Dims const periods{0, 0};
  auto const expect = [&](Expected const& expected, auto change) {
    espalier_cart_options options = ESPALIER_CART_OPTIONS_INIT;
    change(options);
    expect_error(checks, "options", expected, [&] {
      Dims dims{0, 0};
      MPI_Comm made = MPI_COMM_NULL;
      return espalier_cart_create(comm, 2, dims.data(), periods.data(), &options, &made);
    });
  };
  int const twice[] = {1, 0, 1, 0};
  expect({MPI_ERR_ARG, "ESPALIER_CART_OPTIONS_INIT"}, [](auto& o) { o.size = 3; });
  expect({MPI_ERR_ARG, "flags must be 0"}, [](auto& o) { o.flags = 1; });
  expect({MPI_ERR_ARG, "'fast'"}, [](auto& o) { o.objective = "fast"; });
  expect({MPI_ERR_ARG, "'magic'"}, [](auto& o) { o.algorithm = "magic"; });
  expect({MPI_ERR_ARG, "offsets"}, [](auto& o) { o.num_neighbors = 1; });
  expect({MPI_ERR_ARG, "twice"}, [&](auto& o) {
    o.num_neighbors = 2;
    o.offsets = twice;
  });
  expect({MPI_ERR_ARG, "level_costs"}, [](auto& o) { o.num_level_costs = 1; });
  int num_levels = 0;
  expect_error(checks, "no record", {MPI_ERR_TOPOLOGY, "as espalier_cart_create"}, [&] {
    return espalier_cart_report(comm, 0, nullptr, &num_levels, nullptr);
  });
}

/// Those without a communicator use that of MPI_COMM_WORLD.
void check_dims(Checks& checks) {
  Dims const periods{0, 0};
  double const* const equal = MPIX_WEIGHTS_EQUAL;
  auto const weighted = [&](int nnodes, Dims dims) {
    return MPIX_Dims_weighted_create(nnodes, 2, equal, periods.data(), MPI_INFO_NULL, dims.data());
  };
  expect_error(checks, "nnodes", {MPI_ERR_DIMS, "at least 1"}, [&] { return weighted(0, {0, 0}); });
  expect_error(checks, "divides", {MPI_ERR_DIMS, "divides"}, [&] { return weighted(12, {5, 0}); });
  expect_error(checks, "product", {MPI_ERR_DIMS, "nnodes, 12"}, [&] {
    return weighted(12, {2, 3});
  });
  Dims dims_ml(4);
  auto const levels = [&](Dims const& sizes) {
    return MPIX_Dims_ml_create(
        12, 2, equal, 2, sizes.data(), periods.data(), MPI_INFO_NULL, dims_ml.data()
    );
  };
  expect_error(checks, "less", {MPI_ERR_DIMS, "nnodes, 12, got 6"}, [&] { return levels({2, 3}); });
  expect_error(checks, "more", {MPI_ERR_DIMS, "got more"}, [&] { return levels({12, 12}); });
  expect_error(checks, "zero size", {MPI_ERR_DIMS, "got 0 at 1"}, [&] { return levels({12, 0}); });
}

/// ESPALIER_MACHINE is wrong, or the job contradicts it.
void check_machine(Checks& checks, MPI_Comm comm) {
  Dims dims{size, 1};
  Dims periods{0, 0};
  MPI_Comm made = MPI_COMM_NULL;
  auto const create = [&] {
    return espalier_cart_create(comm, 2, dims.data(), periods.data(), nullptr, &made);
  };
  auto const describe = [](char const* machine) {
    setenv("ESPALIER_MACHINE", machine, 1);  // NOLINT(concurrency-mt-unsafe)
  };
  describe("nonsense");
  expect_error(checks, "machine text", {MPI_ERR_ARG, "got 'nonsense'"}, create);
  describe("2w x 4c");
  expect_error(checks, "machine without nodes", {MPI_ERR_ARG, "expected a level of nodes"}, create);
  if (size > 1) {
    describe("1c");
    expect_error(checks, "small machine", {MPI_ERR_ARG, "ESPALIER_MACHINE: "}, create);
  }
  describe("24t");
  checks.expect(create() == MPI_SUCCESS, "threads without a node are those of one");
  MPI_Comm_free(&made);
  unsetenv("ESPALIER_MACHINE");  // NOLINT(concurrency-mt-unsafe)
}

void check_communicators(Checks& checks, MPI_Comm comm) {
  Weighted null{.comm = MPI_COMM_NULL};
  expect_error(checks, "null comm", {MPI_ERR_COMM, "MPI_COMM_NULL"}, null);
  if (size < 2) {
    return;
  }
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_split(comm, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, comm, 1 - rank % 2, 7, &inter);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &handler);
  MPI_Comm_set_errhandler(inter, handler);
  MPI_Errhandler_free(&handler);
  Weighted between{.comm = inter};
  expect_error(checks, "intercommunicator", {MPI_ERR_COMM, "intracommunicator"}, between);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

int run() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_errors, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  Checks checks;
  check_weighted(checks, comm);
  check_pointers(checks, comm);
  check_levels(checks, comm);
  check_options(checks, comm);
  check_dims(checks);
  check_machine(checks, comm);
  check_communicators(checks, comm);
  MPI_Comm_free(&comm);
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
