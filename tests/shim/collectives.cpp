// SPDX-License-Identifier: Apache-2.0

/// @file
/// Every form of a call that MPI allows, against what the standard says must be in memory, also
/// where nothing may be written.

#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/shim/types.hpp"

namespace {

using shim_test::committed;
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

void check_allgather(
    MPI_Comm comm, Type const& from, Type const& to, int num_integers, bool in_place
) {
  int const p = size_of(comm);
  int const rank = rank_of(comm);
  int const count = to.count(num_integers);
  Memory result(to, p * count);
  for (int r = 0; r < p; ++r) {
    result.expect(r * count, num_integers, r);
  }
  Memory own(from, from.count(num_integers));
  own.put(0, num_integers, rank);
  own.expect(0, num_integers, rank);
  if (in_place) {
    result.put(rank * count, num_integers, rank);
    MPI_Allgather(MPI_IN_PLACE, -5, MPI_DATATYPE_NULL, result.address(), count, to.handle, comm);
  } else {
    MPI_Allgather(
        own.address(),
        from.count(num_integers),
        from.handle,
        result.address(),
        count,
        to.handle,
        comm
    );
  }
  result.check("allgather");
  own.check("allgather, send buffer");
}

/// Blocks of different sizes, some empty, with gaps between them, in reversed order if asked for.
void check_allgatherv(
    MPI_Comm comm, Type const& from, Type const& to, int num_units, bool is_reversed
) {
  int const p = size_of(comm);
  int const rank = rank_of(comm);
  std::vector<int> integers;
  std::vector<int> counts;
  std::vector<int> displacements(static_cast<std::size_t>(p));
  for (int r = 0; r < p; ++r) {
    integers.push_back(unit * num_units * (r * 5 % 4));
    counts.push_back(to.count(integers.back()));
  }
  int end = 0;
  for (int i = 0; i < p; ++i) {
    auto const r = static_cast<std::size_t>(is_reversed ? p - 1 - i : i);
    displacements[r] = end;
    end += counts[r] + 1;
  }
  Memory result(to, end);
  for (std::size_t r = 0; r < counts.size(); ++r) {
    result.expect(displacements[r], integers[r], static_cast<int>(r));
  }
  auto const own_index = static_cast<std::size_t>(rank);
  Memory own(from, from.count(integers[own_index]));
  own.put(0, integers[own_index], rank);
  own.expect(0, integers[own_index], rank);
  MPI_Allgatherv(
      own.address(),
      from.count(integers[own_index]),
      from.handle,
      result.address(),
      counts.data(),
      displacements.data(),
      to.handle,
      comm
  );
  result.check("allgatherv");
  own.check("allgatherv, send buffer");
  Memory in_place(to, end);
  for (std::size_t r = 0; r < counts.size(); ++r) {
    in_place.expect(displacements[r], integers[r], static_cast<int>(r));
  }
  in_place.put(displacements[own_index], integers[own_index], rank);
  MPI_Allgatherv(
      MPI_IN_PLACE,
      0,
      MPI_DATATYPE_NULL,
      in_place.address(),
      counts.data(),
      displacements.data(),
      to.handle,
      comm
  );
  in_place.check("allgatherv in place");
}

void check_bcast(MPI_Comm comm, Type const& type, int num_integers, int root) {
  int const rank = rank_of(comm);
  Memory message(type, type.count(num_integers));
  message.expect(0, num_integers, root);
  if (rank == root) {
    message.put(0, num_integers, root);
  }
  MPI_Bcast(message.address(), type.count(num_integers), type.handle, root, comm);
  message.check("bcast from " + std::to_string(root));
}

/// All types against all types at one size; `skew` gives every rank another combination, which the
/// standard allows as long as the signatures are equal.
void check_types(MPI_Comm comm, std::vector<Type> const& types, int num_units, int skew) {
  std::size_t const n = types.size();
  auto const shift = static_cast<std::size_t>(skew * rank_of(comm));
  for (std::size_t i = 0; i < n; ++i) {
    Type const& from = types[(i + shift) % n];
    Type const& to = types[(2 * i + 3 * shift + 1) % n];
    check_allgather(comm, from, to, unit * num_units, false);
    check_allgather(comm, from, to, unit * num_units, true);
    check_allgatherv(comm, from, to, num_units, false);
    check_allgatherv(comm, from, to, num_units, true);
    check_bcast(comm, from, unit * num_units, static_cast<int>(i) % size_of(comm));
  }
}

void check_all(MPI_Comm comm, std::vector<Type> const& types, int max_skew) {
  for (int const num_units : {0, 1, 7, 400}) {
    for (int skew = 0; skew <= max_skew; ++skew) {
      check_types(comm, types, num_units, skew);
    }
  }
  for (int root = 0; root < size_of(comm); ++root) {
    check_bcast(comm, types[0], unit, root);
    check_bcast(comm, types[3], 50 * unit, root);
    check_bcast(comm, types[1], 20000 * unit, root);
  }
}

/// The same buffers again and again: from the second call on everything comes from the cache.
void check_repetition(MPI_Comm comm) {
  int const p = size_of(comm);
  std::vector<int> all(static_cast<std::size_t>(p));
  for (int i = 0; i < 200; ++i) {
    int const mine = i * p + rank_of(comm);
    MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
    for (int r = 0; r < p; ++r) {
      require(all[static_cast<std::size_t>(r)] == i * p + r, "repeated allgather");
    }
    int message = rank_of(comm) == i % p ? i : -1;
    MPI_Bcast(&message, 1, MPI_INT, i % p, comm);
    require(message == i, "repeated bcast");
  }
}

/// Addresses inside the datatype, MPI_BOTTOM as buffer.
void check_bottom(MPI_Comm comm) {
  int const p = size_of(comm);
  int mine = value_of(rank_of(comm), 0);
  std::vector<int> all(static_cast<std::size_t>(p), untouched);
  auto const absolute = [](void* address, int count) {
    int const length = count;
    MPI_Aint place = 0;
    MPI_Get_address(address, &place);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(1, &length, &place, MPI_INT, &type);
    return committed(type);
  };
  MPI_Datatype from = absolute(&mine, 1);
  MPI_Allgather(MPI_BOTTOM, 1, from, all.data(), 1, MPI_INT, comm);
  for (int r = 0; r < p; ++r) {
    require(all[static_cast<std::size_t>(r)] == value_of(r, 0), "allgather from MPI_BOTTOM");
  }
  MPI_Bcast(MPI_BOTTOM, 1, from, p - 1, comm);
  require(mine == value_of(p - 1, 0), "bcast at MPI_BOTTOM");
  MPI_Type_free(&from);
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
  // Open MPI 4.1 picks its allgatherv by sum(recvcounts) * size(sendtype), which differs between
  // ranks whose types differ, and hangs; calls that reach it must have equal types everywhere.
  int const max_skew = argc > 1 && std::string(argv[1]) == "equal_types" ? 0 : 1;
  std::vector<Type> types = make_types();
  check_all(MPI_COMM_WORLD, types, max_skew);
  check_repetition(MPI_COMM_WORLD);
  check_bottom(MPI_COMM_WORLD);
  int const rank = rank_of(MPI_COMM_WORLD);
  for (MPI_Comm comm : {split(rank % 2, rank), split(0, -rank), split(rank == 0 ? 0 : 1, 0)}) {
    check_types(comm, types, 3, max_skew);
    check_repetition(comm);
    MPI_Comm_free(&comm);
  }
  check_types(MPI_COMM_SELF, types, 2, 0);
  free_types(types);
  MPI_Finalize();
  return 0;
}
