// SPDX-License-Identifier: Apache-2.0

/// @file
/// Nonblocking collectives whose results are known, for programs that have many of them in flight.

#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

namespace shim_test {

using Numbers = std::vector<unsigned>;

inline unsigned value(unsigned step, int rank, std::size_t position) {
  return step * 1000003U + static_cast<unsigned>(rank) * 8191U + static_cast<unsigned>(position);
}

inline std::size_t at(int number) {
  return static_cast<std::size_t>(number);
}

/// Something in flight, with its memory and what must be there in the end.
struct InFlight {
  MPI_Request request = MPI_REQUEST_NULL;
  Numbers input;
  Numbers output;
  Numbers expected;
  std::vector<int> counts;
  std::vector<int> displacements;
  std::string name;
};

/// A collective that is about to be started.
struct Start {
  MPI_Comm comm;
  MPI_Comm ring;  ///< of the same ranks, closed to a circle; null where none of these is started
  unsigned step;
  int count;
  int root;
  int p;
  int rank;

  [[nodiscard]] Numbers own(int from, int num_blocks = 1) const {
    Numbers numbers(at(count) * at(num_blocks));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = value(step, from, i);
    }
    return numbers;
  }

  /// The sum of what ranks first .. last - 1 contribute.
  [[nodiscard]] Numbers sum(int first, int last, int num_blocks = 1) const {
    Numbers total(at(count) * at(num_blocks));
    for (int r = first; r < last; ++r) {
      Numbers const next = own(r, num_blocks);
      std::ranges::transform(total, next, total.begin(), std::plus<>());
    }
    return total;
  }

  [[nodiscard]] Numbers block(Numbers const& of, int number) const {
    auto const begin = of.begin() + static_cast<std::ptrdiff_t>(number) * count;
    return {begin, begin + count};
  }

  [[nodiscard]] Numbers all() const {
    Numbers numbers;
    for (int r = 0; r < p; ++r) {
      Numbers const next = own(r);
      numbers.insert(numbers.end(), next.begin(), next.end());
    }
    return numbers;
  }

  /// Block `rank` of each rank.
  [[nodiscard]] Numbers exchanged() const {
    Numbers numbers;
    for (int r = 0; r < p; ++r) {
      Numbers const next = block(own(r, p), rank);
      numbers.insert(numbers.end(), next.begin(), next.end());
    }
    return numbers;
  }
};

inline void expect(InFlight& flight, char const* name, Numbers input, Numbers expected) {
  flight.name = name;
  flight.input = std::move(input);
  flight.expected = std::move(expected);
  flight.output.assign(flight.expected.size(), 77);
}

inline void set_counts(InFlight& flight, Start const& s) {
  flight.counts.assign(at(s.p), s.count);
  for (int r = 0; r < s.p; ++r) {
    flight.displacements.push_back(r * s.count);
  }
}

inline void start_move(InFlight& f, Start const& s, unsigned kind) {
  bool const is_root = s.rank == s.root;
  MPI_Datatype const type = MPI_UNSIGNED;
  switch (kind) {
  case 0:
    f.name = "barrier";
    MPI_Ibarrier(s.comm, &f.request);
    return;
  case 1:
    expect(f, "bcast", {}, s.own(s.root));
    f.output = is_root ? f.expected : f.output;
    MPI_Ibcast(f.output.data(), s.count, type, s.root, s.comm, &f.request);
    return;
  case 2:
    expect(f, "allgather", s.own(s.rank), s.all());
    MPI_Iallgather(
        f.input.data(), s.count, type, f.output.data(), s.count, type, s.comm, &f.request
    );
    return;
  case 3:
    expect(f, "gather", s.own(s.rank), is_root ? s.all() : Numbers());
    MPI_Igather(
        f.input.data(), s.count, type, f.output.data(), s.count, type, s.root, s.comm, &f.request
    );
    return;
  case 4:
    expect(f, "scatter", s.own(s.root, s.p), s.block(s.own(s.root, s.p), s.rank));
    MPI_Iscatter(
        f.input.data(), s.count, type, f.output.data(), s.count, type, s.root, s.comm, &f.request
    );
    return;
  case 5:
    expect(f, "alltoall", s.own(s.rank, s.p), s.exchanged());
    MPI_Ialltoall(
        f.input.data(), s.count, type, f.output.data(), s.count, type, s.comm, &f.request
    );
    return;
  default:
    set_counts(f, s);
    expect(f, "alltoallv", s.own(s.rank, s.p), s.exchanged());
    MPI_Ialltoallv(
        f.input.data(),
        f.counts.data(),
        f.displacements.data(),
        type,
        f.output.data(),
        f.counts.data(),
        f.displacements.data(),
        type,
        s.comm,
        &f.request
    );
  }
}

inline void add(void* input, void* result, int* count, MPI_Datatype* /*type*/) {
  for (int i = 0; i < *count; ++i) {
    static_cast<unsigned*>(result)[i] += static_cast<unsigned const*>(input)[i];
  }
}

/// @param op  MPI_SUM, or one that does the same
inline void start_reduction(InFlight& f, Start const& s, unsigned kind, MPI_Op op) {
  MPI_Datatype const type = MPI_UNSIGNED;
  switch (kind) {
  case 0:
    expect(f, "allreduce", s.own(s.rank), s.sum(0, s.p));
    MPI_Iallreduce(f.input.data(), f.output.data(), s.count, type, op, s.comm, &f.request);
    return;
  case 1:
    expect(f, "reduce", s.own(s.rank), s.rank == s.root ? s.sum(0, s.p) : Numbers());
    MPI_Ireduce(f.input.data(), f.output.data(), s.count, type, op, s.root, s.comm, &f.request);
    return;
  case 2:
    expect(f, "scan", s.own(s.rank), s.sum(0, s.rank + 1));
    MPI_Iscan(f.input.data(), f.output.data(), s.count, type, op, s.comm, &f.request);
    return;
  case 3:
    expect(f, "exscan", s.own(s.rank), s.rank == 0 ? Numbers() : s.sum(0, s.rank));
    f.output.resize(at(s.count));
    MPI_Iexscan(f.input.data(), f.output.data(), s.count, type, op, s.comm, &f.request);
    f.output.resize(s.rank == 0 ? 0 : at(s.count));
    return;
  default:
    expect(f, "reduce_scatter_block", s.own(s.rank, s.p), s.block(s.sum(0, s.p, s.p), s.rank));
    MPI_Ireduce_scatter_block(
        f.input.data(), f.output.data(), s.count, type, op, s.comm, &f.request
    );
  }
}

/// A block to the rank before and one to that behind. Where these are the same rank, both blocks
/// are equal: MPI libraries do not agree on which is which.
inline void start_neighbors(InFlight& f, Start const& s, unsigned kind) {
  MPI_Datatype const type = MPI_UNSIGNED;
  int const before = (s.rank + s.p - 1) % s.p;
  int const behind = (s.rank + 1) % s.p;
  auto const sent = [&](int from, int side) { return s.block(s.own(from, 2), s.p > 2 ? side : 0); };
  auto const both = [](Numbers first, Numbers const& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  if (kind == 0) {
    expect(f, "neighbor_allgather", s.own(s.rank), both(s.own(before), s.own(behind)));
    MPI_Ineighbor_allgather(
        f.input.data(), s.count, type, f.output.data(), s.count, type, s.ring, &f.request
    );
    return;
  }
  Numbers input = both(sent(s.rank, 0), sent(s.rank, 1));
  expect(f, "neighbor_alltoall", std::move(input), both(sent(before, 1), sent(behind, 0)));
  if (kind == 1) {
    MPI_Ineighbor_alltoall(
        f.input.data(), s.count, type, f.output.data(), s.count, type, s.ring, &f.request
    );
    return;
  }
  f.counts = {s.count, s.count};
  f.displacements = {0, s.count};
  MPI_Ineighbor_alltoallv(
      f.input.data(),
      f.counts.data(),
      f.displacements.data(),
      type,
      f.output.data(),
      f.counts.data(),
      f.displacements.data(),
      type,
      s.ring,
      &f.request
  );
}

}  // namespace shim_test
