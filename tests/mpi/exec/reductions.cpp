// SPDX-License-Identifier: Apache-2.0

/// @file
/// Reductions of the MPI executor against those of the MPI library, for the whole catalog: built-in
/// operators and those of users, commutative and not, types with gaps, in place and all roots.

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/mpi/exec/operators.hpp"
#include "tests/mpi/exec/support.hpp"
#include "tests/support/schedules.hpp"

namespace espalier::test {
namespace {

using exec::MpiExecutor;

int num_ranks = 0;
int rank = 0;

/// One call of one collective.
struct Call {
  Collective collective = Collective::allreduce;
  OperatorCase const& on;
  int root = 0;
  bool is_in_place = false;
  std::vector<int> counts;  ///< reduce_scatter: of each rank; otherwise one, of the vector
  bool is_block = false;    ///< MPI_Reduce_scatter_block

  [[nodiscard]] int total() const { return std::accumulate(counts.begin(), counts.end(), 0); }

  [[nodiscard]] bool is_in_place_here() const {
    return is_in_place && (collective != Collective::reduce || rank == root);
  }

  /// Elements of the result on this rank.
  [[nodiscard]] int num_results() const {
    switch (collective) {
    case Collective::reduce:
      return rank == root ? total() : 0;
    case Collective::exscan:
      return rank == 0 ? 0 : total();
    case Collective::reduce_scatter:
      return counts[static_cast<std::size_t>(rank)];
    default:
      return total();
    }
  }
};

void native(Call const& call, OperatorCase const& on, void const* input, void* output) {
  int const count = call.total();
  MPI_Comm const comm = MPI_COMM_WORLD;
  switch (call.collective) {
  case Collective::reduce:
    PMPI_Reduce(input, output, count, on.type, on.op, call.root, comm);
    break;
  case Collective::allreduce:
    PMPI_Allreduce(input, output, count, on.type, on.op, comm);
    break;
  case Collective::scan:
    PMPI_Scan(input, output, count, on.type, on.op, comm);
    break;
  case Collective::exscan:
    PMPI_Exscan(input, output, count, on.type, on.op, comm);
    break;
  default:
    if (call.is_block) {
      PMPI_Reduce_scatter_block(input, output, call.counts[0], on.type, on.op, comm);
    } else {
      PMPI_Reduce_scatter(input, output, call.counts.data(), on.type, on.op, comm);
    }
  }
}

MpiExecutor executor_of(Call const& call, RankProgram const& program, PrivateComm const& comm) {
  exec::Reduction const reduction{call.on.type, call.on.op, call.is_in_place};
  int const count = call.total();
  switch (call.collective) {
  case Collective::reduce:
    return exec::reduce_executor(program, comm, count, reduction, call.root);
  case Collective::allreduce:
    return exec::allreduce_executor(program, comm, count, reduction);
  case Collective::scan:
    return exec::scan_executor(program, comm, count, reduction);
  case Collective::exscan:
    return exec::exscan_executor(program, comm, count, reduction);
  default:
    return call.is_block
               ? exec::reduce_scatter_block_executor(program, comm, call.counts[0], reduction)
               : exec::reduce_scatter_executor(program, comm, call.counts, reduction);
  }
}

void write_contribution(OperatorCase const& on, int count, std::byte* memory) {
  std::size_t const extent = bytes_of(1, on.type);
  for (int i = 0; i < count; ++i) {
    auto const value = static_cast<std::uint32_t>(i * 64 + rank + 1) * 2246822519U;
    on.write(memory + static_cast<std::size_t>(i) * extent, on.places, value);
  }
}

/// The data of the result of the MPI library, never in place: MPICH 4.0 takes MPI_IN_PLACE for an
/// address in a long reduce to another root than 0.
std::vector<char> native_result(Call const& call) {
  OperatorCase const on = call.on.native();
  on.select();
  Buffer input(bytes_of(call.total(), on.type), 1);
  Buffer output(bytes_of(call.total(), on.type), 2);
  write_contribution(on, call.total(), input.get());
  native(call, on, input.get(), output.get());
  return packed(output.get(), call.num_results(), on.type);
}

/// Runs the executor twice, so that the second run meets what the first has left.
void compare(Checks& checks, MpiExecutor executor, Call const& call, std::string const& what) {
  MPI_Datatype const type = call.on.type;
  bool const is_in_place = call.is_in_place_here();
  Buffer input(bytes_of(call.total(), type), rank + 1);
  write_contribution(call.on, call.total(), input.get());
  Buffer const input_before = input;
  Buffer before(bytes_of(call.total(), type), 100 + rank);
  if (is_in_place) {
    write_contribution(call.on, call.total(), before.get());
  }
  Buffer expected = before;
  std::vector<char> const result = native_result(call);
  unpack(result, expected.get(), call.num_results(), type);
  call.on.select();
  long const wrong_before = num_wrong_types();
  for (int i = 0; i < 2; ++i) {
    Buffer found = before;
    int const code = executor.run(is_in_place ? MPI_IN_PLACE : input.get(), found.get());
    checks.expect(code == MPI_SUCCESS, what + ": returned " + std::to_string(code));
    checks.expect(packed(found.get(), call.num_results(), type) == result, what + ": wrong result");
    bool const is_undefined = call.collective == Collective::exscan && rank == 0 && is_in_place;
    if (call.on.leaves_gaps && !is_undefined) {
      checks.expect(found == expected, what + ": memory differs");
    }
  }
  checks.expect(input == input_before, what + ": input was written");
  checks.expect(num_wrong_types() == wrong_before, what + ": operator called with another type");
}

/// Lengths of vectors, or of the parts of a reduce_scatter.
std::vector<std::vector<int>> counts_of(Collective collective) {
  if (collective != Collective::reduce_scatter) {
    return {{0}, {1}, {13}, {700}};
  }
  auto const p = static_cast<std::size_t>(num_ranks);
  std::vector<int> uneven;
  for (int i = 0; i < num_ranks; ++i) {
    uneven.push_back((i * 5 + 1) % 4 * 9);
  }
  return {std::vector<int>(p, 0), std::vector<int>(p, 1), std::vector<int>(p, 37), uneven};
}

void check(Checks& checks, PrivateComm const& comm, Schedule const& schedule, Call const& call) {
  std::string const what = schedule.name + " " + call.on.name + " x " +
                           std::to_string(call.total()) + " root " + std::to_string(call.root) +
                           (call.is_in_place ? " in place" : "") + (call.is_block ? " block" : "");
  RankProgram const program = schedule.generate(call.root, rank);
  compare(checks, executor_of(call, program, comm), call, what);
}

void check_collective(
    Checks& checks, PrivateComm const& comm, OperatorCases const& operators, Collective collective
) {
  std::vector<Schedule> const all = schedules(collective, num_ranks);
  int const num_roots = has_root(collective) ? num_ranks : 1;
  auto const all_counts = counts_of(collective);
  std::size_t const num_cases =
      operators.get().size() * all_counts.size() * static_cast<std::size_t>(num_roots) * 2;
  Sampler sampler(all.size(), num_cases, 400);
  for (Schedule const& schedule : all) {
    for (int root = 0; root < num_roots; ++root) {
      for (OperatorCase const& on : operators.get()) {
        for (std::vector<int> const& counts : all_counts) {
          for (bool const is_in_place : {false, true}) {
            bool const is_possible =
                schedule.accepts(root) &&
                (on.is_commutative || schedule.order(root) != OperandOrder::any);
            if (!sampler.next() || !is_possible) {
              continue;
            }
            Call call{collective, on, root, is_in_place, counts};
            check(checks, comm, schedule, call);
            if (collective == Collective::reduce_scatter && &counts != &all_counts.back()) {
              call.is_block = true;
              check(checks, comm, schedule, call);
            }
          }
        }
      }
    }
  }
}

int run() {
  PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PrivateComm const comm;
  Checks checks;
  {
    OperatorCases const operators;
    for (Collective const collective : schedule::all_collectives()) {
      if (reduces(collective)) {
        check_collective(checks, comm, operators, collective);
      }
    }
  }
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
