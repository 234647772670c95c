// SPDX-License-Identifier: Apache-2.0

/// @file
/// Scatter(v), gather(v) and barrier of the MPI executor against those of the MPI library, for the
/// whole catalog and all roots: same memory before, same memory after, gaps included.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/mpi/exec/support.hpp"
#include "tests/support/schedules.hpp"

namespace espalier::test {
namespace {

using exec::MpiExecutor;
using exec::TypedCount;

int num_ranks = 0;
int rank = 0;

/// Parts in units of their type, the same on all ranks.
struct Parts {
  std::string name;
  std::vector<int> counts;
  std::vector<int> displacements;
  bool is_varying = true;  ///< for the v-variants
};

std::vector<Parts> part_cases() {
  Parts uneven{"uneven", {}, {}};
  Parts reversed{"reversed", {}, {}};
  for (int i = 0; i < num_ranks; ++i) {
    int const count = (i * 5 + 1) % 4 * 30;
    uneven.displacements.push_back(std::accumulate(uneven.counts.begin(), uneven.counts.end(), 0));
    uneven.counts.push_back(count);
    reversed.counts.push_back(i % 2 == 0 ? 7 : 0);
    reversed.displacements.push_back(9 * (num_ranks - 1 - i) + 1);
  }
  std::vector<Parts> result{uneven, reversed};
  for (int const count : {0, 1, 13, 1500}) {
    Parts equal{"equal", {}, {}, false};
    for (int i = 0; i < num_ranks; ++i) {
      equal.counts.push_back(count);
      equal.displacements.push_back(i * count);
    }
    result.push_back(equal);
  }
  return result;
}

/// One call: `all` are the parts at the root, in elements of its type.
struct Call {
  Collective collective = Collective::gather;
  int root = 0;
  bool is_in_place = false;
  bool is_varying = false;
  bool is_safe = true;  ///< the MPI library can be asked with these types
  TypedCount own{};     ///< of this rank's part, at the send buffer of a gather or the other one
  MPI_Datatype all_type = MPI_DATATYPE_NULL;
  std::vector<int> counts;
  std::vector<int> displacements;

  [[nodiscard]] bool is_root() const { return rank == root; }

  [[nodiscard]] bool is_in_place_here() const { return is_in_place && is_root(); }
};

void native_gather(Call const& call, void* own, void* all) {
  void const* const from = call.is_in_place_here() ? MPI_IN_PLACE : own;
  int const count = static_cast<int>(call.own.count);
  if (call.is_varying) {
    PMPI_Gatherv(
        from,
        count,
        call.own.type,
        all,
        call.counts.data(),
        call.displacements.data(),
        call.all_type,
        call.root,
        MPI_COMM_WORLD
    );
  } else {
    PMPI_Gather(
        from, count, call.own.type, all, call.counts[0], call.all_type, call.root, MPI_COMM_WORLD
    );
  }
}

void native_scatter(Call const& call, void* own, void* all) {
  void* const to = call.is_in_place_here() ? MPI_IN_PLACE : own;
  int const count = static_cast<int>(call.own.count);
  if (call.is_varying) {
    PMPI_Scatterv(
        all,
        call.counts.data(),
        call.displacements.data(),
        call.all_type,
        to,
        count,
        call.own.type,
        call.root,
        MPI_COMM_WORLD
    );
  } else {
    PMPI_Scatter(
        all, call.counts[0], call.all_type, to, count, call.own.type, call.root, MPI_COMM_WORLD
    );
  }
}

/// Where the parts lie in packed data.
struct PackedParts {
  std::vector<int> counts;
  std::vector<int> displacements;
};

PackedParts packed_parts(Call const& call) {
  PackedParts result;
  int end = 0;
  for (int const count : call.counts) {
    int size = 0;
    PMPI_Type_size(call.all_type, &size);
    result.displacements.push_back(end);
    result.counts.push_back(count * size);
    end += count * size;
  }
  return result;
}

void* part_of(Call const& call, Buffer& all, std::size_t part) {
  return all.get() + bytes_of(call.displacements[part], call.all_type);
}

/// The same with packed data.
void native_by_packing(Call const& call, Buffer& own, Buffer& all) {
  PackedParts const parts = call.is_root() ? packed_parts(call) : PackedParts{};
  auto const place = static_cast<std::size_t>(rank);
  std::vector<char> whole(1U << 20U);
  int size = 0;
  PMPI_Type_size(call.own.type, &size);
  auto const own_size = static_cast<std::size_t>(size) * static_cast<std::size_t>(call.own.count);
  std::vector<char> part(own_size);
  int const* const counts = parts.counts.data();
  int const* const places = parts.displacements.data();
  auto const num_bytes = static_cast<int>(own_size);
  if (call.collective == Collective::gather) {
    part = call.is_in_place_here()
               ? packed(part_of(call, all, place), call.counts[place], call.all_type)
               : packed(own.get(), call.own.count, call.own.type);
    PMPI_Gatherv(
        part.data(),
        num_bytes,
        MPI_BYTE,
        whole.data(),
        counts,
        places,
        MPI_BYTE,
        call.root,
        MPI_COMM_WORLD
    );
  } else {
    for (std::size_t i = 0; call.is_root() && i < parts.counts.size(); ++i) {
      auto const data = packed(part_of(call, all, i), call.counts[i], call.all_type);
      std::copy(data.begin(), data.end(), whole.begin() + places[i]);
    }
    PMPI_Scatterv(
        whole.data(),
        counts,
        places,
        MPI_BYTE,
        part.data(),
        num_bytes,
        MPI_BYTE,
        call.root,
        MPI_COMM_WORLD
    );
    if (!call.is_in_place_here()) {
      unpack(part, own.get(), call.own.count, call.own.type);
    }
    return;
  }
  for (std::size_t i = 0; call.is_root() && i < parts.counts.size(); ++i) {
    if (i != place || !call.is_in_place) {
      std::vector<char> const data(
          whole.begin() + places[i], whole.begin() + places[i] + parts.counts[i]
      );
      unpack(data, part_of(call, all, i), call.counts[i], call.all_type);
    }
  }
}

void native(Call const& call, Buffer& own, Buffer& all) {
  if (!call.is_safe) {
    native_by_packing(call, own, all);
  } else if (call.collective == Collective::gather) {
    native_gather(call, own.get(), all.get());
  } else {
    native_scatter(call, own.get(), all.get());
  }
}

/// `knows_sizes`: ranks that are not the root are told all counts.
MpiExecutor executor_of(
    Call const& call, RankProgram const& program, PrivateComm const& comm, bool knows_sizes
) {
  bool const is_gather = call.collective == Collective::gather;
  TypedCount const own = call.is_in_place_here() ? TypedCount{} : call.own;
  if (!call.is_varying) {
    TypedCount const all =
        call.is_root() ? TypedCount{.type = call.all_type, .count = call.counts[0]} : TypedCount{};
    return is_gather ? exec::gather_executor(program, comm, own, all, call.root)
                     : exec::scatter_executor(program, comm, all, own, call.root);
  }
  exec::VaryingBlocks all{call.all_type, call.counts, call.displacements};
  if (!call.is_root() && !knows_sizes) {
    all = {};
  }
  return is_gather ? exec::gatherv_executor(program, comm, own, all, call.root)
                   : exec::scatterv_executor(program, comm, all, own, call.root);
}

struct Memory {
  Buffer own;
  Buffer all;
};

Memory memory_of(Call const& call) {
  std::int64_t end = 0;
  for (std::size_t i = 0; i < call.counts.size(); ++i) {
    end = std::max<std::int64_t>(end, call.displacements[i] + call.counts[i]);
  }
  return {
      Buffer(bytes_of(call.own.count, call.own.type), rank + 1),
      Buffer(call.is_root() ? bytes_of(end, call.all_type) : 0, 100 + rank),
  };
}

/// Runs the executor twice, so that the second run meets what the first has left.
void compare(Checks& checks, MpiExecutor executor, Call const& call, std::string const& what) {
  Memory expected = memory_of(call);
  Memory found = expected;
  bool const is_gather = call.collective == Collective::gather;
  native(call, expected.own, expected.all);
  void* const own = call.is_in_place_here() ? MPI_IN_PLACE : found.own.get();
  void* const all = call.is_root() ? found.all.get() : nullptr;
  for (int i = 0; i < 2; ++i) {
    int const code = is_gather ? executor.run(own, all) : executor.run(all, own);
    checks.expect(code == MPI_SUCCESS, what + ": returned " + std::to_string(code));
  }
  checks.expect(found.own == expected.own, what + ": memory of the part differs");
  checks.expect(found.all == expected.all, what + ": memory of all parts differs");
}

/// Programs in which a rank handles its own block only need no sizes of others.
bool needs_sizes(Schedule const& schedule, int root) {
  for (int i = 0; i < num_ranks; ++i) {
    if (!schedule.generate(root, i).frame.scratch_like.empty()) {
      return true;
    }
  }
  return false;
}

void check(
    Checks& checks,
    PrivateComm const& comm,
    Schedule const& schedule,
    Call call,
    TypeCase const& types,
    Parts const& parts
) {
  RankType own = types.make(rank + 1);
  RankType all = types.make(rank);
  auto const place = static_cast<std::size_t>(rank);
  call.own = {.type = own.type, .count = std::int64_t{parts.counts[place]} * own.num_per_unit};
  call.all_type = all.type;
  int const per_unit = all.num_per_unit;
  for (std::size_t i = 0; i < parts.counts.size(); ++i) {
    call.counts.push_back(parts.counts[i] * per_unit);
    call.displacements.push_back(parts.displacements[i] * per_unit);
  }
  std::string const what = schedule.name + " " + types.name + " " + parts.name + " x " +
                           std::to_string(parts.counts[0]) + " root " + std::to_string(call.root) +
                           (call.is_in_place ? " in place" : "") + (call.is_varying ? " v" : "");
  RankProgram const program = schedule.generate(call.root, rank);
  compare(checks, executor_of(call, program, comm, true), call, what);
  if (call.is_varying && !needs_sizes(schedule, call.root)) {
    compare(checks, executor_of(call, program, comm, false), call, what + " without sizes");
  }
  release(own);
  release(all);
}

void check_collective(Checks& checks, PrivateComm const& comm, Collective collective) {
  std::vector<Schedule> const all = schedules(collective, num_ranks);
  std::vector<TypeCase> const all_types = type_cases();
  std::vector<Parts> const all_parts = part_cases();
  std::size_t const num_cases =
      all_types.size() * all_parts.size() * static_cast<std::size_t>(num_ranks) * 2;
  Sampler sampler(all.size(), num_cases, 800);
  for (Schedule const& schedule : all) {
    for (int root = 0; root < num_ranks; ++root) {
      for (TypeCase const& types : all_types) {
        for (Parts const& parts : all_parts) {
          for (bool const is_in_place : {false, true}) {
            bool const is_possible =
                schedule.accepts(root) && !(parts.is_varying && schedule.equal_blocks_only);
            if (sampler.next() && is_possible) {
              Call const call{collective, root, is_in_place, parts.is_varying, types.is_safe()};
              check(checks, comm, schedule, call, types, parts);
            }
          }
        }
      }
    }
  }
}

/// One rank comes late, and nobody may leave before.
void check_barrier(Checks& checks, PrivateComm const& comm, Schedule const& schedule) {
  using Clock = std::chrono::steady_clock;
  MpiExecutor executor = exec::barrier_executor(schedule.generate(0, rank), comm);
  for (int late = 0; late < num_ranks; ++late) {
    PMPI_Barrier(MPI_COMM_WORLD);
    auto begin = Clock::now();
    for (auto const start = begin; rank == late && begin < start + std::chrono::milliseconds(1);) {
      begin = Clock::now();
    }
    int const code = executor.run(nullptr, nullptr);
    auto const end = static_cast<std::int64_t>(Clock::now().time_since_epoch().count());
    auto last_begin = static_cast<std::int64_t>(begin.time_since_epoch().count());
    PMPI_Allreduce(MPI_IN_PLACE, &last_begin, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    checks.expect(code == MPI_SUCCESS, schedule.name + ": returned " + std::to_string(code));
    checks.expect(end >= last_begin, schedule.name + ": left before rank " + std::to_string(late));
  }
}

int run() {
  PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PrivateComm const comm;
  Checks checks;
  for (Schedule const& schedule : schedules(Collective::barrier, num_ranks)) {
    check_barrier(checks, comm, schedule);
  }
  check_collective(checks, comm, Collective::gather);
  check_collective(checks, comm, Collective::scatter);
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
