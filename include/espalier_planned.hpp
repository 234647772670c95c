/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * espalier_planned.h for C++20: requests that free themselves, exceptions. Header only; what calls
 * mean, and which of them are collective, is told there.
 *
 * @code
 *     espalier::Request sum = espalier::allreduce_init(
 *         MPI_IN_PLACE, residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, "recursive_doubling"
 *     );
 *     while (!is_solved) {
 *       residual[0] = local_residual();
 *       sum.start();
 *       compute_meanwhile();
 *       sum.wait();
 *     }
 * @endcode
 *
 * Errors are thrown where the error handler of the communicator returns, as MPI_ERRORS_RETURN does.
 * A destructor cannot throw: requests must not be under way when they are destroyed, and must end
 * before MPI_Finalize(). Buffers, and the type and the operator of a reduction, live as long as the
 * request.
 */

#ifndef ESPALIER_PLANNED_HPP
#define ESPALIER_PLANNED_HPP

#include "espalier_request.hpp"
#include <espalier_planned.h>

#include <mpi.h>

namespace espalier {

/** How to plan a collective: by default, with the algorithm of a name, or with the options of C.
 * Names are not copied; they are read while a collective is planned. */
class PlannedOptions {
public:
  PlannedOptions() noexcept : options_(ESPALIER_PLANNED_OPTIONS_INIT) {}

  PlannedOptions(char const* algorithm) noexcept : PlannedOptions() {
    options_.algorithm = algorithm;
  }

  PlannedOptions(espalier_planned_options const& options) noexcept : options_(options) {}

  [[nodiscard]] espalier_planned_options const* get() const noexcept { return &options_; }

private:
  espalier_planned_options options_;
};

/** See espalier_allreduce_init() of C, as for all that follow.
 * @throws CallError */
[[nodiscard]] inline Request allreduce_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_allreduce_init, sendbuf, recvbuf, count, datatype, op, comm, options.get()
  );
}

[[nodiscard]] inline Request allreduce_init_c(
    void const* sendbuf,
    void* recvbuf,
    MPI_Count count,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_allreduce_init_c, sendbuf, recvbuf, count, datatype, op, comm, options.get()
  );
}

[[nodiscard]] inline Request bcast_init(
    void* buffer,
    int count,
    MPI_Datatype datatype,
    int root,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(espalier_bcast_init, buffer, count, datatype, root, comm, options.get());
}

[[nodiscard]] inline Request bcast_init_c(
    void* buffer,
    MPI_Count count,
    MPI_Datatype datatype,
    int root,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_bcast_init_c, buffer, count, datatype, root, comm, options.get()
  );
}

[[nodiscard]] inline Request reduce_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    MPI_Op op,
    int root,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_reduce_init, sendbuf, recvbuf, count, datatype, op, root, comm, options.get()
  );
}

[[nodiscard]] inline Request reduce_init_c(
    void const* sendbuf,
    void* recvbuf,
    MPI_Count count,
    MPI_Datatype datatype,
    MPI_Op op,
    int root,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_reduce_init_c, sendbuf, recvbuf, count, datatype, op, root, comm, options.get()
  );
}

[[nodiscard]] inline Request barrier_init(MPI_Comm comm, PlannedOptions const& options = {}) {
  return Request::planned(espalier_barrier_init, comm, options.get());
}

[[nodiscard]] inline Request allgather_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_allgather_init,
      sendbuf,
      sendcount,
      sendtype,
      recvbuf,
      recvcount,
      recvtype,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request allgather_init_c(
    void const* sendbuf,
    MPI_Count sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count recvcount,
    MPI_Datatype recvtype,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_allgather_init_c,
      sendbuf,
      sendcount,
      sendtype,
      recvbuf,
      recvcount,
      recvtype,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request allgatherv_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int const* recvcounts,
    int const* displs,
    MPI_Datatype recvtype,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_allgatherv_init,
      sendbuf,
      sendcount,
      sendtype,
      recvbuf,
      recvcounts,
      displs,
      recvtype,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request allgatherv_init_c(
    void const* sendbuf,
    MPI_Count sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count const* recvcounts,
    MPI_Aint const* displs,
    MPI_Datatype recvtype,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_allgatherv_init_c,
      sendbuf,
      sendcount,
      sendtype,
      recvbuf,
      recvcounts,
      displs,
      recvtype,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request alltoall_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_alltoall_init,
      sendbuf,
      sendcount,
      sendtype,
      recvbuf,
      recvcount,
      recvtype,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request alltoall_init_c(
    void const* sendbuf,
    MPI_Count sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count recvcount,
    MPI_Datatype recvtype,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_alltoall_init_c,
      sendbuf,
      sendcount,
      sendtype,
      recvbuf,
      recvcount,
      recvtype,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request alltoallv_init(
    void const* sendbuf,
    int const* sendcounts,
    int const* sdispls,
    MPI_Datatype sendtype,
    void* recvbuf,
    int const* recvcounts,
    int const* rdispls,
    MPI_Datatype recvtype,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_alltoallv_init,
      sendbuf,
      sendcounts,
      sdispls,
      sendtype,
      recvbuf,
      recvcounts,
      rdispls,
      recvtype,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request alltoallv_init_c(
    void const* sendbuf,
    MPI_Count const* sendcounts,
    MPI_Aint const* sdispls,
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count const* recvcounts,
    MPI_Aint const* rdispls,
    MPI_Datatype recvtype,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_alltoallv_init_c,
      sendbuf,
      sendcounts,
      sdispls,
      sendtype,
      recvbuf,
      recvcounts,
      rdispls,
      recvtype,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request alltoallw_init(
    void const* sendbuf,
    int const* sendcounts,
    int const* sdispls,
    MPI_Datatype const* sendtypes,
    void* recvbuf,
    int const* recvcounts,
    int const* rdispls,
    MPI_Datatype const* recvtypes,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_alltoallw_init,
      sendbuf,
      sendcounts,
      sdispls,
      sendtypes,
      recvbuf,
      recvcounts,
      rdispls,
      recvtypes,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request alltoallw_init_c(
    void const* sendbuf,
    MPI_Count const* sendcounts,
    MPI_Aint const* sdispls,
    MPI_Datatype const* sendtypes,
    void* recvbuf,
    MPI_Count const* recvcounts,
    MPI_Aint const* rdispls,
    MPI_Datatype const* recvtypes,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_alltoallw_init_c,
      sendbuf,
      sendcounts,
      sdispls,
      sendtypes,
      recvbuf,
      recvcounts,
      rdispls,
      recvtypes,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request reduce_scatter_init(
    void const* sendbuf,
    void* recvbuf,
    int const* recvcounts,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_reduce_scatter_init, sendbuf, recvbuf, recvcounts, datatype, op, comm, options.get()
  );
}

[[nodiscard]] inline Request reduce_scatter_init_c(
    void const* sendbuf,
    void* recvbuf,
    MPI_Count const* recvcounts,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_reduce_scatter_init_c,
      sendbuf,
      recvbuf,
      recvcounts,
      datatype,
      op,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request reduce_scatter_block_init(
    void const* sendbuf,
    void* recvbuf,
    int recvcount,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_reduce_scatter_block_init,
      sendbuf,
      recvbuf,
      recvcount,
      datatype,
      op,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request reduce_scatter_block_init_c(
    void const* sendbuf,
    void* recvbuf,
    MPI_Count recvcount,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_reduce_scatter_block_init_c,
      sendbuf,
      recvbuf,
      recvcount,
      datatype,
      op,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request scan_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_scan_init, sendbuf, recvbuf, count, datatype, op, comm, options.get()
  );
}

[[nodiscard]] inline Request scan_init_c(
    void const* sendbuf,
    void* recvbuf,
    MPI_Count count,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_scan_init_c, sendbuf, recvbuf, count, datatype, op, comm, options.get()
  );
}

[[nodiscard]] inline Request exscan_init(
    void const* sendbuf,
    void* recvbuf,
    int count,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_exscan_init, sendbuf, recvbuf, count, datatype, op, comm, options.get()
  );
}

[[nodiscard]] inline Request exscan_init_c(
    void const* sendbuf,
    void* recvbuf,
    MPI_Count count,
    MPI_Datatype datatype,
    MPI_Op op,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_exscan_init_c, sendbuf, recvbuf, count, datatype, op, comm, options.get()
  );
}

[[nodiscard]] inline Request gather_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_gather_init,
      sendbuf,
      sendcount,
      sendtype,
      recvbuf,
      recvcount,
      recvtype,
      root,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request gather_init_c(
    void const* sendbuf,
    MPI_Count sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count recvcount,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_gather_init_c,
      sendbuf,
      sendcount,
      sendtype,
      recvbuf,
      recvcount,
      recvtype,
      root,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request gatherv_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int const* recvcounts,
    int const* displs,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_gatherv_init,
      sendbuf,
      sendcount,
      sendtype,
      recvbuf,
      recvcounts,
      displs,
      recvtype,
      root,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request gatherv_init_c(
    void const* sendbuf,
    MPI_Count sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count const* recvcounts,
    MPI_Aint const* displs,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_gatherv_init_c,
      sendbuf,
      sendcount,
      sendtype,
      recvbuf,
      recvcounts,
      displs,
      recvtype,
      root,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request scatter_init(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_scatter_init,
      sendbuf,
      sendcount,
      sendtype,
      recvbuf,
      recvcount,
      recvtype,
      root,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request scatter_init_c(
    void const* sendbuf,
    MPI_Count sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count recvcount,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_scatter_init_c,
      sendbuf,
      sendcount,
      sendtype,
      recvbuf,
      recvcount,
      recvtype,
      root,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request scatterv_init(
    void const* sendbuf,
    int const* sendcounts,
    int const* displs,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_scatterv_init,
      sendbuf,
      sendcounts,
      displs,
      sendtype,
      recvbuf,
      recvcount,
      recvtype,
      root,
      comm,
      options.get()
  );
}

[[nodiscard]] inline Request scatterv_init_c(
    void const* sendbuf,
    MPI_Count const* sendcounts,
    MPI_Aint const* displs,
    MPI_Datatype sendtype,
    void* recvbuf,
    MPI_Count recvcount,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm,
    PlannedOptions const& options = {}
) {
  return Request::planned(
      espalier_scatterv_init_c,
      sendbuf,
      sendcounts,
      displs,
      sendtype,
      recvbuf,
      recvcount,
      recvtype,
      root,
      comm,
      options.get()
  );
}

}  // namespace espalier

#endif
