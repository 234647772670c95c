// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the tests of the MPI executor share: counting failures, datatypes, memory.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "espalier/exec/collectives/mpi_collectives.hpp"
#include "espalier/exec/node/mpi_node.hpp"
#include "tests/mpi/fake_nodes.hpp"

namespace espalier::test {

/// Failures of all ranks; the first ones of a rank are printed.
class Checks {
public:
  void expect(bool is_true, std::string const& what) {
    ++num_checks_;
    if (!is_true && ++num_failures_ <= 5) {
      int rank = 0;
      PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
      std::fprintf(stderr, "rank %d: failed: %s\n", rank, what.c_str());
    }
  }

  /// Exit code of the program, the same on all ranks. Collective.
  int finish() {
    long counts[2] = {num_checks_, num_failures_};
    PMPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
      std::printf("%ld checks, %ld failed\n", counts[0], counts[1]);
    }
    return counts[1] == 0 && counts[0] > 0 ? 0 : 1;
  }

private:
  long num_checks_ = 0;
  long num_failures_ = 0;
};

/// main() of a test program: MPI around `run`, which returns the exit code.
inline int run_under_mpi(int argc, char** argv, int (*run)()) {
  MPI_Init(&argc, &argv);
  int const code = run();
  MPI_Finalize();
  return code;
}

inline MPI_Comm private_comm() {
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

/// A communicator for executors. ESPALIER_TEST_NODE=on lets ranks of a node share memory, and
/// `pairs` makes a node of every two of them.
class PrivateComm {
public:
  PrivateComm() : comm_(private_comm()) {
    char const* const node = std::getenv("ESPALIER_TEST_NODE");
    if (node == nullptr) {
      return;
    }
    fake_nodes::node_of = std::string_view(node) == "pairs" ? fake_nodes::pairs : nullptr;
    node_.emplace(comm_);
    int num_ranks = 0;
    PMPI_Comm_size(comm_, &num_ranks);
    group_ = node_->group(0, {}, num_ranks);
    // A test of what is not there would prove nothing.
    if (node_->is_missing_somewhere() || (node_->is_shared() && group_ == nullptr)) {
      std::fprintf(stderr, "the ranks of a node share no memory\n");
      PMPI_Abort(MPI_COMM_WORLD, 1);
    }
  }

  PrivateComm(PrivateComm const&) = delete;
  PrivateComm& operator=(PrivateComm const&) = delete;
  PrivateComm(PrivateComm&&) = delete;
  PrivateComm& operator=(PrivateComm&&) = delete;

  ~PrivateComm() { PMPI_Comm_free(&comm_); }

  // NOLINTNEXTLINE(google-explicit-constructor): executors take contexts.
  operator exec::MpiContext() const {
    exec::MpiContext context(comm_);
    context.group = group_.get();
    return context;
  }

private:
  MPI_Comm comm_;
  std::optional<exec::node::Node> node_;
  std::shared_ptr<exec::node::Group> group_;
};

/// The datatype of one rank; num_per_unit of its elements have the signature of one unit.
struct RankType {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int num_per_unit = 1;
};

/// Types that match each other, maybe different ones on different ranks.
struct TypeCase {
  std::string name;
  std::function<RankType(int rank)> make;
  bool is_same_on_all_ranks = true;
  bool has_one_basic_type = true;

  /// MPI libraries have errors with others: see exec_allgather.cpp and MpiElements::packed_bytes.
  [[nodiscard]] bool is_safe() const { return is_same_on_all_ranks && has_one_basic_type; }
};

inline MPI_Datatype committed(MPI_Datatype type) {
  PMPI_Type_commit(&type);
  return type;
}

/// Two of three ints.
inline MPI_Datatype gapped_ints() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_vector(2, 1, 3, MPI_INT, &type);
  return committed(type);
}

/// Four ints with gaps between them.
inline MPI_Datatype four_gapped_ints() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_vector(4, 1, 2, MPI_INT, &type);
  return committed(type);
}

inline MPI_Datatype four_ints() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(4, MPI_INT, &type);
  return committed(type);
}

/// An int in a frame that begins 8 bytes before it.
inline MPI_Datatype negative_lower_bound() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_resized(MPI_INT, -8, 20, &type);
  return committed(type);
}

/// Data in front of the address of the element, in descending order.
inline MPI_Datatype descending_struct() {
  int const lengths[3] = {1, 2, 3};
  MPI_Aint const places[3] = {24, 8, -5};
  MPI_Datatype const types[3] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_struct(3, lengths, places, types, &inner);
  PMPI_Type_create_resized(inner, -8, 48, &type);
  PMPI_Type_free(&inner);
  return committed(type);
}

inline std::vector<TypeCase> type_cases() {
  return {
      {"int", [](int) { return RankType{MPI_INT}; }},
      {"double", [](int) { return RankType{MPI_DOUBLE}; }},
      {"double_int", [](int) { return RankType{MPI_DOUBLE_INT}; }, true, false},
      {"vector", [](int) { return RankType{gapped_ints()}; }},
      {"negative_lower_bound", [](int) { return RankType{negative_lower_bound()}; }},
      {"descending_struct", [](int) { return RankType{descending_struct()}; }, true, false},
      {"ints_and_contiguous",
       [](int rank) { return rank % 2 == 0 ? RankType{MPI_INT, 4} : RankType{four_ints()}; },
       false},
      {"vector_and_ints",
       [](int rank) { return rank % 3 == 1 ? RankType{four_gapped_ints()} : RankType{MPI_INT, 4}; },
       false},
  };
}

/// Frees what a case made; predefined types stay.
inline void release(RankType& type) {
  int num_integers = 0;
  int num_addresses = 0;
  int num_types = 0;
  int combiner = 0;
  PMPI_Type_get_envelope(type.type, &num_integers, &num_addresses, &num_types, &combiner);
  if (combiner != MPI_COMBINER_NAMED) {
    PMPI_Type_free(&type.type);
  }
}

/// Picks cases so that a program stays short: all of them if they are few, otherwise about `limit`,
/// well mixed and the same on all ranks. Every schedule is met.
class Sampler {
public:
  Sampler(std::size_t num_schedules, std::size_t cases_per_schedule, std::size_t limit)
      : cases_(cases_per_schedule),
        taken_(std::min(
            cases_, std::max<std::size_t>(3, limit / std::max<std::size_t>(num_schedules, 1))
        )) {}

  bool next() {
    std::size_t const place = number_++ % cases_;
    if (place == 0) {
      ++schedule_;
    }
    // Evenly spaced, shifted from schedule to schedule.
    std::size_t const shifted = (place + schedule_ * 7) % cases_;
    return (shifted + 1) * taken_ / cases_ > shifted * taken_ / cases_;
  }

private:
  std::size_t cases_;
  std::size_t taken_;
  std::size_t number_ = 0;
  std::size_t schedule_ = 0;
};

/// Bytes that depend on seed and place, with room before and after for every lower bound.
class Buffer {
public:
  Buffer(std::size_t num_bytes, int seed) : bytes_(num_bytes + 2 * margin) {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      bytes_[i] = static_cast<std::byte>((i * 37 + static_cast<std::size_t>(seed) * 101) % 251);
    }
  }

  [[nodiscard]] std::byte* get() { return bytes_.data() + margin; }

  friend bool operator==(Buffer const&, Buffer const&) = default;

private:
  static constexpr std::size_t margin = 256;
  std::vector<std::byte> bytes_;
};

/// The data of elements without the gaps between them.
inline std::vector<char> packed(void const* memory, std::int64_t count, MPI_Datatype type) {
  if (count == 0) {
    return {};
  }
  int size = 0;
  PMPI_Pack_size(static_cast<int>(count), type, MPI_COMM_WORLD, &size);
  std::vector<char> result(static_cast<std::size_t>(size));
  int position = 0;
  PMPI_Pack(memory, static_cast<int>(count), type, result.data(), size, &position, MPI_COMM_WORLD);
  result.resize(static_cast<std::size_t>(position));
  return result;
}

/// The reverse: what stands between the data stays.
inline void
unpack(std::vector<char> const& data, void* memory, std::int64_t count, MPI_Datatype type) {
  int position = 0;
  if (count > 0) {
    PMPI_Unpack(
        data.data(),
        static_cast<int>(data.size()),
        &position,
        memory,
        static_cast<int>(count),
        type,
        MPI_COMM_WORLD
    );
  }
}

inline std::size_t bytes_of(std::int64_t count, MPI_Datatype type) {
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &lower_bound, &extent);
  return static_cast<std::size_t>(count * extent);
}

}  // namespace espalier::test
