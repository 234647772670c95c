// SPDX-License-Identifier: Apache-2.0

/// @file
/// Wrong arguments reach the MPI library as they are, and its code reaches the caller; errors on
/// the way reach the error handler of the communicator that was used.

#include <string>
#include <vector>

#include <mpi.h>

#include "tests/shim/handled.hpp"
#include "tests/shim/support.hpp"

namespace {

using shim_test::class_of;
using shim_test::handled_code;
using shim_test::handled_comm;
using shim_test::num_handled;
using shim_test::on_error;
using shim_test::rank_of;
using shim_test::require;
using shim_test::require_name;
using shim_test::size_of;

void require_class(int code, int expected, std::string const& what) {
  require(
      class_of(code) == expected,
      what + ": expected error class " + std::to_string(expected) + ", got " +
          std::to_string(class_of(code))
  );
}

void check_bad_bcast(MPI_Comm comm) {
  int value = 0;
  int const p = size_of(comm);
  require_class(MPI_Bcast(&value, -1, MPI_INT, 0, comm), MPI_ERR_COUNT, "negative count");
  require_class(MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE, "null type");
  require_class(MPI_Bcast(&value, 1, MPI_INT, p, comm), MPI_ERR_ROOT, "root too large");
  require_class(MPI_Bcast(&value, 1, MPI_INT, -9, comm), MPI_ERR_ROOT, "negative root");
  require_class(MPI_Bcast(&value, 0, MPI_INT, p, comm), MPI_ERR_ROOT, "no data, root too large");
  require_class(
      MPI_Bcast(&value, 0, MPI_INT, 0, MPI_COMM_NULL), MPI_ERR_COMM, "no data, null comm"
  );
  require_class(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_NULL), MPI_ERR_COMM, "null communicator");
}

void check_bad_allgather(MPI_Comm comm) {
  int const value = 0;
  std::vector<int> all(static_cast<std::size_t>(size_of(comm)));
  auto const gather = [&](int sendcount, MPI_Datatype sendtype, int recvcount, MPI_Datatype recvtype
                      ) {
    return MPI_Allgather(&value, sendcount, sendtype, all.data(), recvcount, recvtype, comm);
  };
  require_class(gather(-1, MPI_INT, 1, MPI_INT), MPI_ERR_COUNT, "negative sendcount");
  require_class(gather(1, MPI_INT, -1, MPI_INT), MPI_ERR_COUNT, "negative recvcount");
  require_class(gather(1, MPI_DATATYPE_NULL, 1, MPI_INT), MPI_ERR_TYPE, "null sendtype");
  require_class(gather(1, MPI_INT, 1, MPI_DATATYPE_NULL), MPI_ERR_TYPE, "null recvtype");
#ifndef OPEN_MPI  // 4.1 does not look at the entries
  std::vector<int> const counts(all.size(), -3);
  std::vector<int> const displacements(all.size(), 0);
  int const code = MPI_Allgatherv(
      &value, 1, MPI_INT, all.data(), counts.data(), displacements.data(), MPI_INT, comm
  );
  require_class(code, MPI_ERR_COUNT, "negative entries of recvcounts");
#endif
}

void check_bad_reductions(MPI_Comm comm) {
  int const value = 0;
  int result = 0;
  int const p = size_of(comm);
  auto const reduce = [&](int count, MPI_Datatype type, MPI_Op op, int root) {
    return MPI_Reduce(&value, &result, count, type, op, root, comm);
  };
  require_class(reduce(1, MPI_INT, MPI_OP_NULL, 0), MPI_ERR_OP, "reduce: null operator");
  require_class(reduce(1, MPI_INT, MPI_SUM, p), MPI_ERR_ROOT, "reduce: root too large");
  auto const allreduce = [&](int count, MPI_Datatype type, MPI_Op op) {
    return MPI_Allreduce(&value, &result, count, type, op, comm);
  };
#ifdef OPEN_MPI  // MPICH 4.0 crashes
  require_class(reduce(-1, MPI_INT, MPI_SUM, 0), MPI_ERR_COUNT, "reduce: negative count");
  require_class(allreduce(-1, MPI_INT, MPI_SUM), MPI_ERR_COUNT, "allreduce: negative count");
#endif
  require_class(allreduce(1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP, "allreduce: null operator");
  require_class(allreduce(1, MPI_DOUBLE, MPI_BAND), MPI_ERR_OP, "allreduce: bits of a double");
  require_class(
      MPI_Scan(&value, &result, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP, "scan: null operator"
  );
}

void check_bad_moves(MPI_Comm comm) {
  int const value = 0;
  int const p = size_of(comm);
  std::vector<int> all(static_cast<std::size_t>(p));
  require_class(
      MPI_Gather(&value, 1, MPI_INT, all.data(), 1, MPI_INT, -9, comm),
      MPI_ERR_ROOT,
      "gather: negative root"
  );
  require_class(
      MPI_Scatter(all.data(), 1, MPI_INT, all.data(), -1, MPI_INT, rank_of(comm), comm),
      MPI_ERR_COUNT,
      "scatter: negative count"
  );
  require_class(
      MPI_Alltoall(&value, 1, MPI_INT, all.data(), 1, MPI_DATATYPE_NULL, comm),
      MPI_ERR_TYPE,
      "alltoall: null type"
  );
  require_class(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM, "barrier: null communicator");
}

/// Rank 1 sends the root more than it expects.
void check_truncated_gather() {
  if (size_of(MPI_COMM_WORLD) != 2) {
    return;
  }
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  num_handled = 0;
  int const values[2] = {1, 2};
  int all[2] = {};
  bool const is_root = rank_of(comm) == 0;
  int const code = MPI_Gather(values, is_root ? 1 : 2, MPI_INT, all, 1, MPI_INT, 0, comm);
  if (is_root) {
    require_class(code, MPI_ERR_TRUNCATE, "gather: message too long");
    require(num_handled == 1 && handled_comm == comm, "the user's communicator hears of it");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Errhandler_free(&handler);
}

/// The root sends two integers, all others expect one: an error of the program that shows on the
/// way, when the MPI library can no longer be asked.
void check_truncation() {
  if (size_of(MPI_COMM_WORLD) != 2) {
    return;
  }
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  int values[2] = {1, 2};
  bool const is_root = rank_of(comm) == 0;
  int const code = MPI_Bcast(values, is_root ? 2 : 1, MPI_INT, 0, comm);
  if (is_root) {
    require(code == MPI_SUCCESS, "the root has nothing to complain about");
  } else {
    require_class(code, MPI_ERR_TRUNCATE, "message too long");
    require(num_handled == 1, "the error handler must be called once");
    require(handled_comm == comm, "the error handler must get the user's communicator");
    require(handled_code == code, "the error handler must get the code that is returned");
  }
  values[0] = is_root ? 7 : 0;
  require(MPI_Bcast(values, 1, MPI_INT, 0, comm) == MPI_SUCCESS, "the next call is a new one");
  require(values[0] == 7, "the next call has its own data");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Errhandler_free(&handler);
}

void check_names_of_functions(MPI_Comm comm) {
  int value = 0;
  int const p = size_of(comm);
  if (p == 1) {
    return;
  }
  require_name(MPI_Bcast(&value, 1, MPI_INT, p, comm), "MPI_Bcast");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  // MPI 4 sends errors without a communicator there.
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (MPI_Comm const each : {MPI_COMM_WORLD, comm}) {
    MPI_Comm_set_errhandler(each, MPI_ERRORS_RETURN);
    check_bad_bcast(each);
    check_bad_allgather(each);
    check_bad_reductions(each);
    check_bad_moves(each);
  }
  MPI_Comm_free(&comm);
  // Ours only: the MPI libraries may hang.
  std::string const truncated = argc > 1 ? argv[1] : "";
  if (truncated == "bcast") {
    check_names_of_functions(MPI_COMM_WORLD);
    check_truncation();
  } else if (truncated == "gather") {
    check_truncated_gather();
  }
  MPI_Finalize();
  return 0;
}
