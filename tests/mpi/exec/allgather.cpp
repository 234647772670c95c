// SPDX-License-Identifier: Apache-2.0

/// @file
/// Allgather and allgatherv of the MPI executor against those of the MPI library, for the whole
/// catalog: same memory before, same memory after, gaps included.

#include <numeric>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using algorithms::Choice;
using algorithms::Collective;
using exec::MpiExecutor;
using exec::TypedCount;

int num_ranks = 0;
int rank = 0;

/// Blocks of one case in units of its type, the same on all ranks.
struct Blocks {
  std::string name;
  std::vector<int> counts;
  std::vector<int> displacements;
};

std::vector<Blocks> block_cases() {
  auto const p = static_cast<std::size_t>(num_ranks);
  Blocks zero{"zero", std::vector<int>(p, 0), std::vector<int>(p, 0)};
  Blocks uneven{"uneven", {}, {}};
  Blocks gapped{"gapped", {}, {}};
  Blocks reversed{"reversed", {}, {}};
  for (int i = 0; i < num_ranks; ++i) {
    int const count = (i * 5 + 1) % 4;
    uneven.displacements.push_back(std::accumulate(uneven.counts.begin(), uneven.counts.end(), 0));
    uneven.counts.push_back(count);
    gapped.counts.push_back(i % 2 == 0 ? 7 : 0);
    gapped.displacements.push_back(9 * i + 1);
    reversed.counts.push_back(count);
    reversed.displacements.push_back(4 * (num_ranks - 1 - i));
  }
  return {zero, uneven, gapped, reversed};
}

/// What is sent and received in one comparison.
struct Call {
  TypedCount input{};
  MPI_Datatype output_type = MPI_DATATYPE_NULL;
  std::vector<int> counts;
  std::vector<int> displacements;
  bool has_same_types = true;
};

void native(Call const& call, void const* input, void* output) {
  bool const is_in_place = call.input.type == MPI_DATATYPE_NULL;
  PMPI_Allgatherv(
      is_in_place ? MPI_IN_PLACE : input,
      is_in_place ? 0 : static_cast<int>(call.input.count),
      is_in_place ? MPI_DATATYPE_NULL : call.input.type,
      output,
      call.counts.data(),
      call.displacements.data(),
      call.output_type,
      MPI_COMM_WORLD
  );
}

/// The result from packed data. Open MPI 4.1 may choose different algorithms on the ranks of one
/// allgatherv when their types differ, and hangs; MPICH 4.0 on one rank does not look at the
/// displacement.
void by_packing(Call const& call, void const* input, std::byte* output) {
  bool const is_in_place = call.input.type == MPI_DATATYPE_NULL;
  auto const own = static_cast<std::size_t>(rank);
  auto const place_of = [&](std::size_t block) {
    return output + bytes_of(call.displacements[block], call.output_type);
  };
  int const count = is_in_place ? call.counts[own] : static_cast<int>(call.input.count);
  MPI_Datatype const type = is_in_place ? call.output_type : call.input.type;
  std::vector<char> packed(100'000);
  int size = 0;
  if (count > 0) {
    void const* const from = is_in_place ? place_of(own) : input;
    PMPI_Pack(from, count, type, packed.data(), 100'000, &size, MPI_COMM_WORLD);
  }
  for (int block = 0; block < num_ranks; ++block) {
    auto const b = static_cast<std::size_t>(block);
    std::vector<char> bytes = packed;
    PMPI_Bcast(bytes.data(), 100'000, MPI_BYTE, block, MPI_COMM_WORLD);
    int position = 0;
    if (call.counts[b] > 0 && !(is_in_place && block == rank)) {
      PMPI_Unpack(
          bytes.data(),
          100'000,
          &position,
          place_of(b),
          call.counts[b],
          call.output_type,
          MPI_COMM_WORLD
      );
    }
  }
}

/// Runs the executor twice, so that the second run meets what the first has left.
void compare(Checks& checks, MpiExecutor executor, Call const& call, std::string const& what) {
  std::int64_t end = 0;
  for (std::size_t i = 0; i < call.counts.size(); ++i) {
    end = std::max<std::int64_t>(end, call.displacements[i] + call.counts[i]);
  }
  bool const is_in_place = call.input.type == MPI_DATATYPE_NULL;
  Buffer input(is_in_place ? 0 : bytes_of(call.input.count, call.input.type), rank + 1);
  Buffer const input_before = input;
  Buffer expected(bytes_of(end, call.output_type), 100 + rank);
  Buffer found = expected;
  if (call.has_same_types && num_ranks > 1) {
    native(call, input.get(), expected.get());
  } else {
    by_packing(call, input.get(), expected.get());
  }
  for (int i = 0; i < 2; ++i) {
    int const code = executor.run(is_in_place ? nullptr : input.get(), found.get());
    checks.expect(code == MPI_SUCCESS, what + ": returned " + std::to_string(code));
  }
  checks.expect(found == expected, what + ": memory differs");
  checks.expect(input == input_before, what + ": input was written");
}

TypedCount input_of(RankType const& type, int num_units, bool is_in_place) {
  if (is_in_place) {
    return {};
  }
  return {.type = type.type, .count = std::int64_t{num_units} * type.num_per_unit};
}

void check_allgather(
    Checks& checks,
    PrivateComm const& comm,
    Choice const& choice,
    TypeCase const& types,
    Sampler& sampler
) {
  RankType send = types.make(rank + 1);
  RankType recv = types.make(rank);
  auto const program = choice.generate(num_ranks, 0, rank);
  for (int const num_units : {0, 1, 13, 700}) {
    for (bool const is_in_place : {false, true}) {
      if (!sampler.next()) {
        continue;
      }
      Call call{.input = input_of(send, num_units, is_in_place), .output_type = recv.type};
      call.has_same_types = types.is_same_on_all_ranks;
      int const count = num_units * recv.num_per_unit;
      for (int i = 0; i < num_ranks; ++i) {
        call.counts.push_back(count);
        call.displacements.push_back(i * count);
      }
      compare(
          checks,
          exec::allgather_executor(program, comm, call.input, {.type = recv.type, .count = count}),
          call,
          choice.text() + " " + types.name + " x " + std::to_string(num_units) +
              (is_in_place ? " in place" : "")
      );
    }
  }
  release(send);
  release(recv);
}

void check_allgatherv(
    Checks& checks,
    PrivateComm const& comm,
    Choice const& choice,
    TypeCase const& types,
    Sampler& sampler
) {
  RankType send = types.make(rank + 1);
  RankType recv = types.make(rank);
  auto const program = choice.generate(num_ranks, 0, rank);
  for (Blocks const& blocks : block_cases()) {
    for (bool const is_in_place : {false, true}) {
      if (!sampler.next() || choice.algorithm().equal_blocks_only) {
        continue;
      }
      int const own = blocks.counts[static_cast<std::size_t>(rank)];
      Call call{
          .input = input_of(send, own, is_in_place),
          .output_type = recv.type,
          .counts = blocks.counts,
          .displacements = blocks.displacements,
          .has_same_types = types.is_same_on_all_ranks,
      };
      for (std::size_t i = 0; i < call.counts.size(); ++i) {
        call.counts[i] *= recv.num_per_unit;
        call.displacements[i] *= recv.num_per_unit;
      }
      compare(
          checks,
          exec::allgatherv_executor(
              program, comm, call.input, recv.type, call.counts, call.displacements
          ),
          call,
          choice.text() + " " + types.name + " " + blocks.name + (is_in_place ? " in place" : "")
      );
    }
  }
  release(send);
  release(recv);
}

/// A type of the user may be gone when its executor runs.
void check_freed_type(Checks& checks, PrivateComm const& comm) {
  auto const program =
      algorithms::variants(Collective::allgather, num_ranks).front().generate(num_ranks, 0, rank);
  MPI_Datatype type = negative_lower_bound();
  MpiExecutor executor = exec::allgather_executor(
      program, comm, {.type = type, .count = 2}, {.type = type, .count = 2}
  );
  PMPI_Type_free(&type);
  MPI_Datatype other = four_gapped_ints();
  std::vector<int> input(20, rank);
  std::vector<int> output(static_cast<std::size_t>(10 * num_ranks + 10), -1);
  executor.run(input.data() + 5, output.data() + 5);
  for (int i = 0; i < num_ranks; ++i) {
    checks.expect(output[static_cast<std::size_t>(5 + 10 * i)] == i, "freed type, first element");
    checks.expect(output[static_cast<std::size_t>(10 + 10 * i)] == i, "freed type, second element");
    checks.expect(output[static_cast<std::size_t>(6 + 10 * i)] == -1, "freed type, gap");
  }
  PMPI_Type_free(&other);
}

int run() {
  PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PrivateComm const comm;
  Checks checks;
  std::vector<Choice> const choices = algorithms::variants(Collective::allgather, num_ranks);
  constexpr std::size_t num_calls = 2 * 4 * 2;
  Sampler sampler(choices.size(), type_cases().size() * num_calls, 1200);
  for (Choice const& choice : choices) {
    for (TypeCase const& types : type_cases()) {
      check_allgather(checks, comm, choice, types, sampler);
      check_allgatherv(checks, comm, choice, types, sampler);
    }
  }
  check_freed_type(checks, comm);
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
