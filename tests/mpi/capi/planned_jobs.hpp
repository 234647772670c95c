// SPDX-License-Identifier: Apache-2.0

/// @file
/// Calls of every collective for tests of planned ones: the same arguments for the planned and for
/// the native call, with results in memory of their own.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "include/espalier_planned.h"

#include <mpi.h>

#include "espalier/profile/call.hpp"

namespace espalier::test {

/// The functions under test, by the names of calls.
struct PlannedFunctions {
  static constexpr auto allgather = espalier_allgather_init;
  static constexpr auto allgatherv = espalier_allgatherv_init;
  static constexpr auto allreduce = espalier_allreduce_init;
  static constexpr auto alltoall = espalier_alltoall_init;
  static constexpr auto alltoallv = espalier_alltoallv_init;
  static constexpr auto alltoallw = espalier_alltoallw_init;
  static constexpr auto barrier = espalier_barrier_init;
  static constexpr auto bcast = espalier_bcast_init;
  static constexpr auto exscan = espalier_exscan_init;
  static constexpr auto gather = espalier_gather_init;
  static constexpr auto gatherv = espalier_gatherv_init;
  static constexpr auto reduce = espalier_reduce_init;
  static constexpr auto reduce_scatter = espalier_reduce_scatter_init;
  static constexpr auto reduce_scatter_block = espalier_reduce_scatter_block_init;
  static constexpr auto scan = espalier_scan_init;
  static constexpr auto scatter = espalier_scatter_init;
  static constexpr auto scatterv = espalier_scatterv_init;
};

/// Those with large counts.
struct LargePlannedFunctions {
  static constexpr auto allgather = espalier_allgather_init_c;
  static constexpr auto allgatherv = espalier_allgatherv_init_c;
  static constexpr auto allreduce = espalier_allreduce_init_c;
  static constexpr auto alltoall = espalier_alltoall_init_c;
  static constexpr auto alltoallv = espalier_alltoallv_init_c;
  static constexpr auto alltoallw = espalier_alltoallw_init_c;
  static constexpr auto barrier = espalier_barrier_init;
  static constexpr auto bcast = espalier_bcast_init_c;
  static constexpr auto exscan = espalier_exscan_init_c;
  static constexpr auto gather = espalier_gather_init_c;
  static constexpr auto gatherv = espalier_gatherv_init_c;
  static constexpr auto reduce = espalier_reduce_init_c;
  static constexpr auto reduce_scatter = espalier_reduce_scatter_init_c;
  static constexpr auto reduce_scatter_block = espalier_reduce_scatter_block_init_c;
  static constexpr auto scan = espalier_scan_init_c;
  static constexpr auto scatter = espalier_scatter_init_c;
  static constexpr auto scatterv = espalier_scatterv_init_c;
};

/// A list of int as one of larger integers, MPI_Count or MPI_Aint; a list of types as it is, where
/// these are int.
class WideList {
public:
  WideList(int const* first, int size) : first_(first), numbers_(first, first + size) {}

  template <typename Number> operator Number const*() const {
    if constexpr (std::is_same_v<Number, int>) {
      return first_;
    } else {
      static_assert(sizeof(Number) == sizeof(std::int64_t));
      return reinterpret_cast<Number const*>(numbers_.data());
    }
  }

private:
  int const* first_;
  std::vector<std::int64_t> numbers_;
};

/// What a call is made of, beside its buffers.
struct JobShape {
  MPI_Comm comm = MPI_COMM_WORLD;
  int num_elements = 1;  ///< of a block
  int root = 0;
  MPI_Op op = MPI_SUM;
  MPI_Datatype type = MPI_INT;
  int extent = 1;  ///< ints from one element to the next
  bool is_in_place = false;
  bool has_large_counts = false;  ///< of the planned form
};

/// One call on memory of its own.
class Job {
public:
  Job(profile::Call call, JobShape const& shape) : call_(call), shape_(shape) {
    PMPI_Comm_size(shape.comm, &num_ranks_);
    PMPI_Comm_rank(shape.comm, &rank_);
    make_lists();
    auto const num_ints =
        static_cast<std::size_t>(3 * (num_ranks_ + 1) * std::max(shape.num_elements, 1)) *
        static_cast<std::size_t>(shape.extent);
    for (auto* const memory : {&input_, &output_, &expected_}) {
      memory->assign(num_ints, 0);
    }
  }

  /// Other data in each round, also where results go.
  void fill(int round) {
    for (std::size_t i = 0; i < input_.size(); ++i) {
      int const salt = static_cast<int>(i) + 31 * rank_ + 7 * round;
      input_[i] = salt % 97;
      output_[i] = expected_[i] = (3 * salt) % 89;
    }
  }

  /// Collective, by the MPI library.
  int run_natively() {
    auto const run = [](auto native, auto, auto... arguments) { return native(arguments...); };
    return with_arguments<PlannedFunctions>(expected_.data(), run);
  }

  int plan(espalier_planned_options const* options, espalier_request** request) {
    if (shape_.has_large_counts) {
      return plan_by<LargePlannedFunctions>([&](auto init, auto... arguments) {
        return init(widened(arguments)..., options, request);
      });
    }
    return plan_by<PlannedFunctions>([&](auto init, auto... arguments) {
      return init(arguments..., options, request);
    });
  }

  /// Calls `use` with the function of the call and its arguments, and returns what that returns.
  template <typename Functions, typename Use> int plan_by(Use const& use) {
    return with_arguments<Functions>(output_.data(), [&](auto, auto init, auto... arguments) {
      return use(init, arguments...);
    });
  }

  /// Lists of counts and types may be gone once a request was made.
  void forget_lists() {
    for (auto* const list : {&counts_, &places_, &sent_counts_, &sent_places_, &sent_bytes_}) {
      std::ranges::fill(*list, -1);
    }
    for (auto* const list : {&received_counts_, &received_places_, &received_bytes_}) {
      std::ranges::fill(*list, -1);
    }
    std::ranges::fill(types_, MPI_DATATYPE_NULL);
  }

  void make_lists() {
    counts_.clear();
    places_.clear();
    sent_counts_.clear();
    received_counts_.clear();
    int const n = shape_.num_elements;
    for (int i = 0; i < num_ranks_; ++i) {
      counts_.push_back(n * (i % 3));
      sent_counts_.push_back(n * ((rank_ + 2 * i) % 3));
      received_counts_.push_back(n * ((i + 2 * rank_) % 3));
    }
    places_ = places(counts_, 1);
    sent_places_ = places(sent_counts_, 1);
    received_places_ = places(received_counts_, 1);
    int const element_bytes = shape_.extent * static_cast<int>(sizeof(int));
    sent_bytes_ = places(sent_counts_, element_bytes);
    received_bytes_ = places(received_counts_, element_bytes);
    types_.assign(static_cast<std::size_t>(num_ranks_), shape_.type);
  }

  [[nodiscard]] bool is_right() const { return output_ == expected_; }

  [[nodiscard]] profile::Call call() const { return call_; }

  [[nodiscard]] JobShape const& shape() const { return shape_; }

private:
  template <typename Argument> auto widened(Argument argument) const {
    if constexpr (std::is_same_v<Argument, int*>) {
      return WideList(argument, num_ranks_);
    } else {
      return argument;
    }
  }

  static std::vector<int> places(std::vector<int> const& counts, int scale) {
    std::vector<int> result;
    int next = 0;
    for (int const count : counts) {
      result.push_back(next * scale);
      next += count;
    }
    return result;
  }

  /// Calls `use` with the native function, the planned one, and their common arguments.
  template <typename Functions, typename Use> int with_arguments(int* result, Use const& use) {
    using profile::Call;
    auto const [comm, n, root, op, type, extent, is_in_place, has_large_counts] = shape_;
    auto const own = static_cast<std::size_t>(rank_);
    bool const is_root = rank_ == root;
    void const* const in = is_in_place ? MPI_IN_PLACE : static_cast<void const*>(input_.data());
    void const* const at_root = is_root ? in : input_.data();
    void* const out = result;
    void* const from_root = is_root && is_in_place ? MPI_IN_PLACE : out;
    switch (call_) {
    case Call::allgather:
      return use(PMPI_Allgather, Functions::allgather, in, n, type, out, n, type, comm);
    case Call::allgatherv:
      return use(
          PMPI_Allgatherv,
          Functions::allgatherv,
          in,
          counts_[own],
          type,
          out,
          counts_.data(),
          places_.data(),
          type,
          comm
      );
    case Call::allreduce:
      return use(PMPI_Allreduce, Functions::allreduce, in, out, n, type, op, comm);
    case Call::alltoall:
      return use(PMPI_Alltoall, Functions::alltoall, in, n, type, out, n, type, comm);
    case Call::alltoallv:
      return use(
          PMPI_Alltoallv,
          Functions::alltoallv,
          in,
          sent_counts_.data(),
          sent_places_.data(),
          type,
          out,
          received_counts_.data(),
          received_places_.data(),
          type,
          comm
      );
    case Call::alltoallw:
      return use(
          PMPI_Alltoallw,
          Functions::alltoallw,
          in,
          sent_counts_.data(),
          sent_bytes_.data(),
          types_.data(),
          out,
          received_counts_.data(),
          received_bytes_.data(),
          types_.data(),
          comm
      );
    case Call::barrier:
      return use(PMPI_Barrier, Functions::barrier, comm);
    case Call::bcast:
      return use(PMPI_Bcast, Functions::bcast, out, n, type, root, comm);
    case Call::exscan:
      return use(PMPI_Exscan, Functions::exscan, in, out, n, type, op, comm);
    case Call::gather:
      return use(PMPI_Gather, Functions::gather, at_root, n, type, out, n, type, root, comm);
    case Call::gatherv:
      return use(
          PMPI_Gatherv,
          Functions::gatherv,
          at_root,
          counts_[own],
          type,
          out,
          counts_.data(),
          places_.data(),
          type,
          root,
          comm
      );
    case Call::reduce:
      return use(PMPI_Reduce, Functions::reduce, at_root, out, n, type, op, root, comm);
    case Call::reduce_scatter:
      return use(
          PMPI_Reduce_scatter, Functions::reduce_scatter, in, out, counts_.data(), type, op, comm
      );
    case Call::reduce_scatter_block:
      return use(
          PMPI_Reduce_scatter_block, Functions::reduce_scatter_block, in, out, n, type, op, comm
      );
    case Call::scan:
      return use(PMPI_Scan, Functions::scan, in, out, n, type, op, comm);
    case Call::scatter:
      return use(
          PMPI_Scatter,
          Functions::scatter,
          static_cast<void const*>(input_.data()),
          n,
          type,
          from_root,
          n,
          type,
          root,
          comm
      );
    case Call::scatterv:
      return use(
          PMPI_Scatterv,
          Functions::scatterv,
          static_cast<void const*>(input_.data()),
          counts_.data(),
          places_.data(),
          type,
          from_root,
          counts_[own],
          type,
          root,
          comm
      );
    default:
      break;  // calls of neighborhoods have tests of their own
    }
    return MPI_ERR_INTERN;
  }

  profile::Call call_;
  JobShape shape_;
  int num_ranks_ = 1;
  int rank_ = 0;
  std::vector<int> input_;
  std::vector<int> output_;
  std::vector<int> expected_;
  std::vector<int> counts_;  ///< of blocks that all ranks know
  std::vector<int> places_;
  std::vector<int> sent_counts_;  ///< of an alltoallv and alltoallw
  std::vector<int> sent_places_;
  std::vector<int> sent_bytes_;
  std::vector<int> received_counts_;
  std::vector<int> received_places_;
  std::vector<int> received_bytes_;
  std::vector<MPI_Datatype> types_;
};

}  // namespace espalier::test
