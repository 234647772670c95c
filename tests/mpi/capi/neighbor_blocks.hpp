// SPDX-License-Identifier: Apache-2.0

/// @file
/// Blocks for tests of neighborhood collectives: where they lie, of which type, with which data.

#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/mpi/capi/neighbor_support.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {

enum class Kind { allgather, allgatherv, alltoall, alltoallv, alltoallw };

inline constexpr Kind all_kinds[] = {
    Kind::allgather, Kind::allgatherv, Kind::alltoall, Kind::alltoallv, Kind::alltoallw
};

inline bool is_allgather(Kind kind) {
  return kind == Kind::allgather || kind == Kind::allgatherv;
}

inline bool has_equal_blocks(Kind kind) {
  return kind == Kind::allgather || kind == Kind::alltoall;
}

/// Whether both ends have the same type: libraries have errors where they differ.
inline bool has_equal_types = false;

/// Four ints in different shapes: any of them matches any other.
inline std::vector<RankType> unit_types() {
  if (has_equal_types) {
    return {{MPI_INT, 4}, {MPI_INT, 4}, {MPI_INT, 4}, {MPI_INT, 4}};
  }
  return {{MPI_INT, 4}, {gapped_ints(), 2}, {four_gapped_ints(), 1}, {negative_lower_bound(), 4}};
}

/// The blocks of one side of one rank, as arguments of a call.
struct Side {
  std::vector<int> units;
  std::vector<int> counts;
  std::vector<int> displacements;  ///< in elements of the one type
  std::vector<MPI_Aint> places;    ///< in bytes
  std::vector<MPI_Datatype> types;
  std::size_t num_bytes = 0;

  [[nodiscard]] std::size_t size() const { return units.size(); }

  /// Room for one more than there are: Open MPI complains about null lists of no entries.
  void resize(std::size_t n) {
    counts.reserve(n + 1);
    displacements.reserve(n + 1);
    places.reserve(n + 1);
    types.reserve(n + 1);
    counts.resize(n);
    displacements.resize(n);
    places.resize(n);
    types.resize(n, MPI_DATATYPE_NULL);
  }

  /// Blocks of one type: in a row if `is_equal`, else backwards with an element between them.
  static Side of(std::vector<int> units, RankType type, bool is_equal) {
    Side side{.units = std::move(units)};
    std::size_t const n = side.size();
    side.resize(n);
    std::ranges::fill(side.types, type.type);
    auto const extent = static_cast<MPI_Aint>(bytes_of(1, type.type));
    int end = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t const k = is_equal ? i : n - 1 - i;
      side.counts[k] = side.units[k] * type.num_per_unit;
      side.displacements[k] = end;
      side.places[k] = end * extent;
      end += side.counts[k] + (is_equal ? 0 : 1);
    }
    side.num_bytes = static_cast<std::size_t>(end * extent);
    return side;
  }

  /// Each block of the next of the types, backwards, at odd distances.
  static Side mixed(std::vector<int> units, std::vector<RankType> const& types) {
    Side side{.units = std::move(units)};
    std::size_t const n = side.size();
    side.resize(n);
    MPI_Aint end = 0;
    for (std::size_t k = n; k-- > 0;) {
      RankType const& type = types[k % types.size()];
      side.types[k] = type.type;
      side.counts[k] = side.units[k] * type.num_per_unit;
      side.places[k] = end;
      end += static_cast<MPI_Aint>(bytes_of(side.counts[k], type.type)) + 40;
    }
    side.num_bytes = static_cast<std::size_t>(end);
    return side;
  }
};

/// What a rank sends as its block.
inline std::vector<char> block_data(int rank, int block, int units) {
  std::vector<int> values;
  for (int i = 0; i < 4 * units; ++i) {
    values.push_back(1'000'000 * (rank + 1) + 10'000 * block + i);
  }
  std::vector<char> bytes(values.size() * sizeof(int));
  if (!bytes.empty()) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  return bytes;
}

/// Sizes: `scale` units where all are equal, otherwise 0 .. 3 scale, known to both ends.
inline int units_of(Kind kind, int rank, int block, int scale) {
  return has_equal_blocks(kind) ? scale : (3 * rank + 5 * block + 1) % 4 * scale;
}

/// One rank in one collective: arguments, data, and what must be in the receive buffer.
struct Job {
  Kind kind;
  Side send;
  Side recv;
  Buffer input{0, 1};
  Buffer output{0, 2};
  Buffer expected{0, 2};

  Job(Topology const& topology, Kind job_kind, int scale, std::size_t type_number)
      : kind(job_kind), types_(unit_types()), send_type_(types_[type_number % types_.size()]),
        recv_type_(types_[type_number / 2 % types_.size()]) {
    make_send(topology, scale);
    make_recv(topology, scale);
    send_count_ = send_type_.num_per_unit * (is_allgather(kind) ? send.units[0] : scale);
    recv_count_ = recv_type_.num_per_unit * scale;
    expected = output;
    for (std::size_t j = 0; j < recv.size(); ++j) {
      if (Origin const& origin = topology.in[j]; origin.rank >= 0) {
        int const block = is_allgather(kind) ? 0 : origin.block;
        auto const data = block_data(origin.rank, block, recv.units[j]);
        unpack(data, expected.get() + recv.places[j], recv.counts[j], recv.types[j]);
      }
    }
  }

  Job(Job&&) = default;
  Job& operator=(Job&&) = default;
  Job(Job const&) = delete;
  Job& operator=(Job const&) = delete;

  ~Job() {
    for (RankType& type : types_) {
      release(type);
    }
  }

  [[nodiscard]] bool is_right() const { return output == expected; }

  /// Calls a function with the arguments of this kind; `last` are those after the types.
  template <
      typename Gather,
      typename Gatherv,
      typename All,
      typename Allv,
      typename Allw,
      typename... Last>
  int call(Gather gather, Gatherv gatherv, All all, Allv allv, Allw allw, Last... last) {
    void* const out = output.get();
    void const* const in = input.get();
    Arguments const a = arguments();
    switch (kind) {
    case Kind::allgather:
      return gather(in, a.send_count, a.send_type, out, a.recv_count, a.recv_type, last...);
    case Kind::allgatherv:
      return gatherv(
          in,
          a.send_count,
          a.send_type,
          out,
          recv.counts.data(),
          recv.displacements.data(),
          a.recv_type,
          last...
      );
    case Kind::alltoall:
      return all(in, a.send_count, a.send_type, out, a.recv_count, a.recv_type, last...);
    case Kind::alltoallv:
      return allv(
          in,
          send.counts.data(),
          send.displacements.data(),
          a.send_type,
          out,
          recv.counts.data(),
          recv.displacements.data(),
          a.recv_type,
          last...
      );
    case Kind::alltoallw:
      return allw(
          in,
          send.counts.data(),
          send.places.data(),
          send.types.data(),
          out,
          recv.counts.data(),
          recv.places.data(),
          recv.types.data(),
          last...
      );
    }
    return MPI_ERR_INTERN;
  }

  int native(MPI_Comm comm) {
    return call(
        MPI_Neighbor_allgather,
        MPI_Neighbor_allgatherv,
        MPI_Neighbor_alltoall,
        MPI_Neighbor_alltoallv,
        MPI_Neighbor_alltoallw,
        comm
    );
  }

  /// Starts the same; the object must last until the request is complete.
  int start(MPI_Comm comm, MPI_Request* request) {
    return call(
        MPI_Ineighbor_allgather,
        MPI_Ineighbor_allgatherv,
        MPI_Ineighbor_alltoall,
        MPI_Ineighbor_alltoallv,
        MPI_Ineighbor_alltoallw,
        comm,
        request
    );
  }

private:
  void make_send(Topology const& topology, int scale) {
    int const rank = test_rank(topology.comm);
    std::vector<int> units(is_allgather(kind) ? 1 : static_cast<std::size_t>(topology.num_out));
    for (std::size_t k = 0; k < units.size(); ++k) {
      units[k] = units_of(kind, rank, static_cast<int>(k), scale);
    }
    bool const is_in_a_row = has_equal_blocks(kind) || is_allgather(kind);
    send = kind == Kind::alltoallw ? Side::mixed(std::move(units), types_)
                                   : Side::of(std::move(units), send_type_, is_in_a_row);
    input = Buffer(send.num_bytes, 1);
    for (std::size_t k = 0; k < send.size(); ++k) {
      auto const data = block_data(rank, static_cast<int>(k), send.units[k]);
      unpack(data, input.get() + send.places[k], send.counts[k], send.types[k]);
    }
  }

  /// Blocks of absent neighbours have room too, which must stay as it is.
  void make_recv(Topology const& topology, int scale) {
    std::vector<int> units;
    for (Origin const& origin : topology.in) {
      int const block = is_allgather(kind) ? 0 : origin.block;
      int const absent = has_equal_blocks(kind) ? scale : 2;
      units.push_back(origin.rank < 0 ? absent : units_of(kind, origin.rank, block, scale));
    }
    recv = kind == Kind::alltoallw
               ? Side::mixed(std::move(units), {types_[2], types_[0], types_[3]})
               : Side::of(std::move(units), recv_type_, has_equal_blocks(kind));
    output = Buffer(recv.num_bytes, 2);
  }

  struct Arguments {
    int send_count;
    MPI_Datatype send_type;
    int recv_count;
    MPI_Datatype recv_type;
  };

  /// Where all blocks are equal every rank gives their size, also one without neighbours: Open MPI
  /// does nothing at all for a count of 0.
  [[nodiscard]] Arguments arguments() const {
    return {send_count_, send_type_.type, recv_count_, recv_type_.type};
  }

  std::vector<RankType> types_;
  RankType send_type_;
  RankType recv_type_;
  int send_count_ = 0;
  int recv_count_ = 0;
};

}  // namespace espalier::test
