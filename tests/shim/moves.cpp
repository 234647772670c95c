// SPDX-License-Identifier: Apache-2.0

/// @file
/// Gather, scatter and alltoall in every form that MPI allows, against what the standard says must
/// be in memory, also where nothing may be written; and a barrier that nobody leaves early.

#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>

#include "tests/shim/types.hpp"

namespace {

using shim_test::free_types;
using shim_test::make_types;
using shim_test::Memory;
using shim_test::rank_of;
using shim_test::require;
using shim_test::size_of;
using shim_test::Type;
using shim_test::unit;
using shim_test::untouched;
using shim_test::value_of;

/// Blocks of different sizes, some empty, in reversed order with gaps between them.
struct Blocks {
  std::vector<int> integers;
  std::vector<int> counts;
  std::vector<int> displacements;
  int end = 0;

  Blocks(Type const& type, std::vector<int> sizes) : integers(std::move(sizes)) {
    displacements.resize(integers.size());
    for (int const num_integers : integers) {
      counts.push_back(type.count(num_integers));
    }
    for (std::size_t i = integers.size(); i-- > 0;) {
      displacements[i] = end;
      end += counts[i] + 1;
    }
  }
};

std::vector<int> uneven(int num_ranks, int num_units) {
  std::vector<int> sizes;
  for (int r = 0; r < num_ranks; ++r) {
    sizes.push_back(unit * num_units * (r * 5 % 4));
  }
  return sizes;
}

/// What rank `from` has for rank `to` looks like the data of this rank.
int pair(int from, int to) {
  return 64 * from + to;
}

struct Case {
  MPI_Comm comm;
  Type const& from;
  Type const& to;
  int root;
  bool in_place;

  [[nodiscard]] int size() const { return size_of(comm); }

  [[nodiscard]] int rank() const { return rank_of(comm); }

  [[nodiscard]] bool is_root() const { return rank() == root; }
};

void check_gather(Case const& c, int num_integers) {
  int const count = c.to.count(num_integers);
  Memory own(c.from, c.from.count(num_integers));
  own.put(0, num_integers, c.rank());
  own.expect(0, num_integers, c.rank());
  bool const in_place = c.in_place && c.is_root();
  Memory result(c.to, c.size() * count);
  for (int r = 0; c.is_root() && r < c.size(); ++r) {
    result.expect(r * count, num_integers, r);
  }
  if (in_place) {
    result.put(c.root * count, num_integers, c.root);
  }
  MPI_Gather(
      in_place ? MPI_IN_PLACE : own.address(),
      in_place ? -5 : c.from.count(num_integers),
      in_place ? MPI_DATATYPE_NULL : c.from.handle,
      c.is_root() ? result.address() : nullptr,
      c.is_root() ? count : -3,
      c.is_root() ? c.to.handle : MPI_DATATYPE_NULL,
      c.root,
      c.comm
  );
  result.check("gather to " + std::to_string(c.root));
  own.check("gather, send buffer");
}

void check_gatherv(Case const& c, int num_units) {
  Blocks const blocks(c.to, uneven(c.size(), num_units));
  int const mine = blocks.integers[static_cast<std::size_t>(c.rank())];
  Memory own(c.from, c.from.count(mine));
  own.put(0, mine, c.rank());
  own.expect(0, mine, c.rank());
  bool const in_place = c.in_place && c.is_root();
  Memory result(c.to, blocks.end);
  for (std::size_t r = 0; c.is_root() && r < blocks.counts.size(); ++r) {
    result.expect(blocks.displacements[r], blocks.integers[r], static_cast<int>(r));
  }
  if (in_place) {
    result.put(blocks.displacements[static_cast<std::size_t>(c.root)], mine, c.root);
  }
  MPI_Gatherv(
      in_place ? MPI_IN_PLACE : own.address(),
      in_place ? -5 : c.from.count(mine),
      in_place ? MPI_DATATYPE_NULL : c.from.handle,
      c.is_root() ? result.address() : nullptr,
      c.is_root() ? blocks.counts.data() : nullptr,
      c.is_root() ? blocks.displacements.data() : nullptr,
      c.is_root() ? c.to.handle : MPI_DATATYPE_NULL,
      c.root,
      c.comm
  );
  result.check("gatherv to " + std::to_string(c.root));
  own.check("gatherv, send buffer");
}

void check_scatter(Case const& c, int num_integers) {
  int const count = c.from.count(num_integers);
  Memory all(c.from, c.size() * count);
  for (int r = 0; r < c.size(); ++r) {
    all.put(r * count, num_integers, r);
    all.expect(r * count, num_integers, r);
  }
  bool const in_place = c.in_place && c.is_root();
  Memory own(c.to, c.to.count(num_integers));
  if (!in_place) {
    own.expect(0, num_integers, c.rank());
  }
  MPI_Scatter(
      c.is_root() ? all.address() : nullptr,
      c.is_root() ? count : -3,
      c.is_root() ? c.from.handle : MPI_DATATYPE_NULL,
      in_place ? MPI_IN_PLACE : own.address(),
      in_place ? -5 : c.to.count(num_integers),
      in_place ? MPI_DATATYPE_NULL : c.to.handle,
      c.root,
      c.comm
  );
  own.check("scatter from " + std::to_string(c.root));
  all.check("scatter, send buffer");
}

void check_scatterv(Case const& c, int num_units) {
  Blocks const blocks(c.from, uneven(c.size(), num_units));
  Memory all(c.from, blocks.end);
  for (std::size_t r = 0; r < blocks.counts.size(); ++r) {
    all.put(blocks.displacements[r], blocks.integers[r], static_cast<int>(r));
    all.expect(blocks.displacements[r], blocks.integers[r], static_cast<int>(r));
  }
  int const mine = blocks.integers[static_cast<std::size_t>(c.rank())];
  bool const in_place = c.in_place && c.is_root();
  Memory own(c.to, c.to.count(mine));
  if (!in_place) {
    own.expect(0, mine, c.rank());
  }
  MPI_Scatterv(
      c.is_root() ? all.address() : nullptr,
      c.is_root() ? blocks.counts.data() : nullptr,
      c.is_root() ? blocks.displacements.data() : nullptr,
      c.is_root() ? c.from.handle : MPI_DATATYPE_NULL,
      in_place ? MPI_IN_PLACE : own.address(),
      in_place ? -5 : c.to.count(mine),
      in_place ? MPI_DATATYPE_NULL : c.to.handle,
      c.root,
      c.comm
  );
  own.check("scatterv from " + std::to_string(c.root));
  all.check("scatterv, send buffer");
}

void check_alltoall(Case const& c, int num_integers) {
  int const num_sent = c.from.count(num_integers);
  int const count = c.to.count(num_integers);
  Memory sent(c.from, c.size() * num_sent);
  Memory result(c.to, c.size() * count);
  for (int r = 0; r < c.size(); ++r) {
    sent.put(r * num_sent, num_integers, pair(c.rank(), r));
    sent.expect(r * num_sent, num_integers, pair(c.rank(), r));
    result.expect(r * count, num_integers, pair(r, c.rank()));
    if (c.in_place) {
      result.put(r * count, num_integers, pair(c.rank(), r));
    }
  }
  MPI_Alltoall(
      c.in_place ? MPI_IN_PLACE : sent.address(),
      c.in_place ? -5 : num_sent,
      c.in_place ? MPI_DATATYPE_NULL : c.from.handle,
      result.address(),
      count,
      c.to.handle,
      c.comm
  );
  result.check("alltoall");
  sent.check("alltoall, send buffer");
}

/// What rank i sends to rank j; in place both directions have the same size.
int size_between(int i, int j, int num_units) {
  return unit * num_units * ((i + j) % 3);
}

void check_alltoallv(Case const& c, int num_units) {
  std::vector<int> sizes;
  for (int r = 0; r < c.size(); ++r) {
    sizes.push_back(size_between(c.rank(), r, num_units));
  }
  Blocks const out(c.from, sizes);
  Blocks const in(c.to, sizes);
  Memory sent(c.from, out.end);
  Memory result(c.to, in.end);
  for (int r = 0; r < c.size(); ++r) {
    auto const i = static_cast<std::size_t>(r);
    sent.put(out.displacements[i], sizes[i], pair(c.rank(), r));
    sent.expect(out.displacements[i], sizes[i], pair(c.rank(), r));
    result.expect(in.displacements[i], sizes[i], pair(r, c.rank()));
    if (c.in_place) {
      result.put(in.displacements[i], sizes[i], pair(c.rank(), r));
    }
  }
  MPI_Alltoallv(
      c.in_place ? MPI_IN_PLACE : sent.address(),
      c.in_place ? nullptr : out.counts.data(),
      c.in_place ? nullptr : out.displacements.data(),
      c.in_place ? MPI_DATATYPE_NULL : c.from.handle,
      result.address(),
      in.counts.data(),
      in.displacements.data(),
      c.to.handle,
      c.comm
  );
  result.check("alltoallv");
  sent.check("alltoallv, send buffer");
}

/// One side of an alltoallw: block r has a type of its own, and memory with room around it.
class TypedSide {
public:
  TypedSide(std::vector<Type> const& types, std::vector<int> const& sizes, int first_type) {
    for (std::size_t r = 0; r < sizes.size(); ++r) {
      Type const& type = types[(r + static_cast<std::size_t>(first_type)) % types.size()];
      used_.push_back(&type);
      handles.push_back(type.handle);
      counts.push_back(type.count(sizes[r]));
      displacements.push_back((end_ + room) * static_cast<int>(sizeof(int)));
      end_ += counts.back() * type.extent + 2 * room;
    }
    memory_.assign(static_cast<std::size_t>(end_), untouched);
  }

  [[nodiscard]] int* address() { return memory_.data(); }

  [[nodiscard]] int& at(std::size_t block, int integer) {
    Type const& type = *used_[block];
    int const per_element = static_cast<int>(type.offsets.size());
    int const place = displacements[block] / static_cast<int>(sizeof(int)) +
                      integer / per_element * type.extent +
                      type.offsets[static_cast<std::size_t>(integer % per_element)];
    return memory_[static_cast<std::size_t>(place)];
  }

  [[nodiscard]] shim_test::Storage const& memory() const { return memory_; }

  std::vector<int> counts;
  std::vector<int> displacements;
  std::vector<MPI_Datatype> handles;

private:
  static constexpr int room = 8;
  std::vector<Type const*> used_;
  shim_test::Storage memory_;
  int end_ = 0;
};

void check_alltoallw(MPI_Comm comm, std::vector<Type> const& types, int num_units, bool in_place) {
  int const p = size_of(comm);
  int const rank = rank_of(comm);
  std::vector<int> sizes;
  for (int r = 0; r < p; ++r) {
    sizes.push_back(size_between(rank, r, num_units));
  }
  TypedSide sent(types, sizes, rank);
  TypedSide result(types, sizes, 2 * rank + 1);
  TypedSide expected = result;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    for (int i = 0; i < sizes[r]; ++i) {
      int const other = static_cast<int>(r);
      sent.at(r, i) = value_of(pair(rank, other), i);
      expected.at(r, i) = value_of(pair(other, rank), i);
      if (in_place) {
        result.at(r, i) = value_of(pair(rank, other), i);
      }
    }
  }
  MPI_Alltoallw(
      in_place ? MPI_IN_PLACE : sent.address(),
      in_place ? nullptr : sent.counts.data(),
      in_place ? nullptr : sent.displacements.data(),
      in_place ? nullptr : sent.handles.data(),
      result.address(),
      result.counts.data(),
      result.displacements.data(),
      result.handles.data(),
      comm
  );
  require(result.memory() == expected.memory(), in_place ? "alltoallw in place" : "alltoallw");
}

/// All types against all types at one size; `skew` gives every rank another combination, which the
/// standard allows as long as the signatures are equal.
void check_types(MPI_Comm comm, std::vector<Type> const& types, int num_units, int skew) {
  std::size_t const n = types.size();
  auto const shift = static_cast<std::size_t>(skew * rank_of(comm));
  for (std::size_t i = 0; i < n; ++i) {
    for (bool const in_place : {false, true}) {
      Case const c{
          .comm = comm,
          .from = types[(i + shift) % n],
          .to = types[(2 * i + 3 * shift + 1) % n],
          .root = static_cast<int>(i) % size_of(comm),
          .in_place = in_place,
      };
      check_gather(c, unit * num_units);
      check_gatherv(c, num_units);
      check_scatter(c, unit * num_units);
      check_scatterv(c, num_units);
      check_alltoall(c, unit * num_units);
      check_alltoallv(c, num_units);
    }
  }
  for (bool const in_place : {false, true}) {
    std::vector<Type> const one{types[0]};
    check_alltoallw(comm, skew > 0 ? types : one, num_units, in_place);
  }
}

/// The same shape again and again: from the second call on everything comes from the cache.
void check_repetition(MPI_Comm comm, std::vector<Type> const& types) {
  for (int i = 0; i < 30; ++i) {
    Case const c{comm, types[0], types[0], i % 3 % size_of(comm), i % 2 == 1};
    check_gather(c, 5);
    check_gatherv(c, 1 + i % 2);
    check_scatter(c, 5);
    check_scatterv(c, 1 + i % 2);
    check_alltoall(c, 3);
    check_alltoallv(c, 1 + i % 2);
  }
}

/// Of the host, so it can be compared between its ranks.
double now() {
  auto const since_start = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since_start).count();
}

void check_barrier(MPI_Comm comm) {
  for (int late = 0; late < size_of(comm); ++late) {
    double entered = now();
    if (rank_of(comm) == late) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      entered = now();
    }
    MPI_Barrier(comm);
    double const left = now();
    double last = 0.0;
    MPI_Allreduce(&entered, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
    require(left >= last, "nobody leaves a barrier before the last one enters");
  }
}

MPI_Comm split(int color, int key) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
  return comm;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  int const max_skew = argc > 1 && std::string(argv[1]) == "equal_types" ? 0 : 1;
  std::vector<Type> types = make_types();
  for (int const num_units : {0, 1, 7, 300}) {
    for (int skew = 0; skew <= max_skew; ++skew) {
      check_types(MPI_COMM_WORLD, types, num_units, skew);
    }
  }
  check_repetition(MPI_COMM_WORLD, types);
  check_barrier(MPI_COMM_WORLD);
  int const rank = rank_of(MPI_COMM_WORLD);
  for (MPI_Comm comm : {split(rank % 2, rank), split(0, -rank)}) {
    check_types(comm, types, 3, max_skew);
    check_barrier(comm);
    MPI_Comm_free(&comm);
  }
  check_types(MPI_COMM_SELF, types, 2, 0);
  check_barrier(MPI_COMM_SELF);
  free_types(types);
  MPI_Finalize();
  return 0;
}
