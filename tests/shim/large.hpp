// SPDX-License-Identifier: Apache-2.0

/// @file
/// Included before a test of blocking collectives: each of them becomes the one with large counts,
/// or the nonblocking one with large counts and its completion if SHIM_TEST_STARTED is defined.

#pragma once

#include <cstddef>
#include <list>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <mpi.h>

#include "tests/shim/completing.hpp"

namespace shim_test {

/// Lists of numbers as functions with large counts take them, as long as a call lasts.
class LargeLists {
public:
  explicit LargeLists(MPI_Comm comm) { MPI_Comm_size(comm, &num_ranks_); }

  /// An argument of the function without large counts as `Parameter` of the one with them.
  template <typename Parameter, typename Argument> Parameter enlarged(Argument argument) {
    if constexpr (std::is_same_v<Argument, int*> || std::is_same_v<Argument, int const*>) {
      if constexpr (std::is_same_v<Parameter, MPI_Count const*>) {
        return copied(counts_, argument);
      } else if constexpr (std::is_same_v<Parameter, MPI_Aint const*>) {
        return copied(displacements_, argument);
      } else {
        return argument;
      }
    } else {
      return argument;
    }
  }

private:
  template <typename Number>
  Number const* copied(std::list<std::vector<Number>>& lists, int const* numbers) const {
    return numbers == nullptr ? nullptr : lists.emplace_back(numbers, numbers + num_ranks_).data();
  }

  int num_ranks_ = 0;
  std::list<std::vector<MPI_Count>> counts_;
  std::list<std::vector<MPI_Aint>> displacements_;
};

template <auto Function, typename Signature = decltype(Function)> struct WithLargeCounts;

/// `Function`, called with the arguments of the function without large counts, of which the last
/// is the communicator. A request that it gives is completed.
template <auto Function, typename... Parameters>
struct WithLargeCounts<Function, int (*)(Parameters...)> {
  template <typename... Arguments> static int call(Arguments... arguments) {
    std::tuple const given(arguments...);
    LargeLists lists(std::get<sizeof...(Arguments) - 1>(given));
    auto const indices = std::index_sequence_for<Arguments...>();
    if constexpr (sizeof...(Arguments) == sizeof...(Parameters)) {
      return call(lists, given, indices);
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      int const code = call(lists, given, indices, &request);
      return code == MPI_SUCCESS ? complete(request) : code;
    }
  }

private:
  template <typename Given, std::size_t... Index, typename... Request>
  static int
  call(LargeLists& lists, Given const& given, std::index_sequence<Index...>, Request... request) {
    using All = std::tuple<Parameters...>;
    return Function(
        lists.enlarged<std::tuple_element_t<Index, All>>(std::get<Index>(given))..., request...
    );
  }
};

template <auto Function, typename... Arguments> int with_large_counts(Arguments... arguments) {
  return WithLargeCounts<Function>::call(arguments...);
}

}  // namespace shim_test

// The tests call functions of MPI by these names.
#ifdef SHIM_TEST_STARTED
#define MPI_Allgather shim_test::with_large_counts<::MPI_Iallgather_c>
#define MPI_Allgatherv shim_test::with_large_counts<::MPI_Iallgatherv_c>
#define MPI_Allreduce shim_test::with_large_counts<::MPI_Iallreduce_c>
#define MPI_Alltoall shim_test::with_large_counts<::MPI_Ialltoall_c>
#define MPI_Alltoallv shim_test::with_large_counts<::MPI_Ialltoallv_c>
#define MPI_Alltoallw shim_test::with_large_counts<::MPI_Ialltoallw_c>
#define MPI_Bcast shim_test::with_large_counts<::MPI_Ibcast_c>
#define MPI_Exscan shim_test::with_large_counts<::MPI_Iexscan_c>
#define MPI_Gather shim_test::with_large_counts<::MPI_Igather_c>
#define MPI_Gatherv shim_test::with_large_counts<::MPI_Igatherv_c>
#define MPI_Reduce shim_test::with_large_counts<::MPI_Ireduce_c>
#define MPI_Reduce_scatter shim_test::with_large_counts<::MPI_Ireduce_scatter_c>
#define MPI_Reduce_scatter_block shim_test::with_large_counts<::MPI_Ireduce_scatter_block_c>
#define MPI_Scan shim_test::with_large_counts<::MPI_Iscan_c>
#define MPI_Scatter shim_test::with_large_counts<::MPI_Iscatter_c>
#define MPI_Scatterv shim_test::with_large_counts<::MPI_Iscatterv_c>
#else
#define MPI_Allgather shim_test::with_large_counts<::MPI_Allgather_c>
#define MPI_Allgatherv shim_test::with_large_counts<::MPI_Allgatherv_c>
#define MPI_Allreduce shim_test::with_large_counts<::MPI_Allreduce_c>
#define MPI_Alltoall shim_test::with_large_counts<::MPI_Alltoall_c>
#define MPI_Alltoallv shim_test::with_large_counts<::MPI_Alltoallv_c>
#define MPI_Alltoallw shim_test::with_large_counts<::MPI_Alltoallw_c>
#define MPI_Bcast shim_test::with_large_counts<::MPI_Bcast_c>
#define MPI_Exscan shim_test::with_large_counts<::MPI_Exscan_c>
#define MPI_Gather shim_test::with_large_counts<::MPI_Gather_c>
#define MPI_Gatherv shim_test::with_large_counts<::MPI_Gatherv_c>
#define MPI_Reduce shim_test::with_large_counts<::MPI_Reduce_c>
#define MPI_Reduce_scatter shim_test::with_large_counts<::MPI_Reduce_scatter_c>
#define MPI_Reduce_scatter_block shim_test::with_large_counts<::MPI_Reduce_scatter_block_c>
#define MPI_Scan shim_test::with_large_counts<::MPI_Scan_c>
#define MPI_Scatter shim_test::with_large_counts<::MPI_Scatter_c>
#define MPI_Scatterv shim_test::with_large_counts<::MPI_Scatterv_c>
#endif
