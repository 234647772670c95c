// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the MPI executor does when something is wrong. Two ranks.

#include <algorithm>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/error.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/one_sided.hpp"
#include "espalier/schedule/transforms.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using algorithms::Choice;
using exec::MpiExecutor;

int rank = 0;

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  return error_class;
}

/// Rank 1 has room for less than rank 0 sends. It says so and can go on: no message is left.
void check_truncated_message(Checks& checks, std::string const& choice, std::int64_t num_bytes) {
  MPI_Comm comm = private_comm();
  auto const program = Choice::parse(choice).generate(2, 0, rank);
  std::int64_t const count = rank == 0 ? num_bytes : num_bytes / 2;
  std::vector<char> buffer(static_cast<std::size_t>(num_bytes), 'a');
  MpiExecutor executor = exec::bcast_executor(program, comm, {.type = MPI_BYTE, .count = count}, 0);
  int const code = executor.run(nullptr, buffer.data());
  if (rank == 0) {
    checks.expect(code == MPI_SUCCESS, choice + ": the sender sees no error");
  } else {
    checks.expect(class_of(code) == MPI_ERR_TRUNCATE, choice + ": code " + std::to_string(code));
    checks.expect(!executor.is_broken(), choice + ": can go on");
  }
  auto again = exec::bcast_executor(program, comm, {.type = MPI_BYTE, .count = num_bytes}, 0);
  std::ranges::fill(buffer, static_cast<char>('b' + rank));
  checks.expect(again.run(nullptr, buffer.data()) == MPI_SUCCESS, choice + ": goes on");
  checks.expect(
      std::ranges::count(buffer, 'b') == num_bytes, choice + ": receives what comes next"
  );
  PMPI_Barrier(MPI_COMM_WORLD);
  PMPI_Comm_free(&comm);
}

template <typename Call> ErrorCode code_of(Call&& call) {
  try {
    call();
  } catch (Error const& error) {
    return error.code();
  }
  return ErrorCode{};
}

void check_contribution_of_another_size(Checks& checks, MPI_Comm comm) {
  auto const program = Choice::parse("allgather/ring").generate(2, 0, rank);
  ErrorCode const code = code_of([&] {
    static_cast<void>(exec::allgather_executor(
        program, comm, {.type = MPI_INT, .count = 3}, {.type = MPI_INT, .count = 4}
    ));
  });
  checks.expect(code == ErrorCode::argument, "contribution of another size");
}

/// Messages cannot write the memory of a peer.
void check_one_sided_program(Checks& checks, MPI_Comm comm) {
  auto const choice = Choice::parse("bcast/flat");
  auto const program_of = [&](int of_rank) { return choice.generate(2, 0, of_rank); };
  auto const program = schedule::one_sided(rank, {}, schedule::survey(2, program_of), program_of);
  ErrorCode const code = code_of([&] {
    static_cast<void>(exec::bcast_executor(program, comm, {.type = MPI_BYTE, .count = 8}, 0));
  });
  checks.expect(code == ErrorCode::unsupported, "one-sided program");
}

void check_reduction(Checks& checks, MPI_Comm comm) {
  schedule::Frame const frame{
      .num_ranks = 2, .num_output_blocks = 2, .input_like = {}, .scratch_like = {}
  };
  auto const program =
      std::move(schedule::Builder(frame, rank).reduce(schedule::blocks(0), schedule::blocks(1)))
          .finish();
  exec::MpiBlocks const ints{.type = MPI_INT, .layout = exec::Layout::uniform(2, 1, 4)};
  ErrorCode const code = code_of([&] { MpiExecutor(program, {.context = comm, .output = ints}); });
  checks.expect(code == ErrorCode::argument, "a program that reduces, without an operator");
}

/// A program with scratch memory, which an alltoallv cannot give a size.
void check_alltoallv(Checks& checks, MPI_Comm comm) {
  schedule::Builder builder(schedule::alltoall_frame(2, rank), rank);
  builder.scratch(schedule::blocks(0));
  auto const program = std::move(builder).finish();
  std::vector<int> const numbers{1, 1};
  exec::VaryingBlocks const blocks{MPI_INT, numbers, numbers};
  ErrorCode const code =
      code_of([&] { static_cast<void>(exec::alltoallv_executor(program, comm, blocks, blocks)); });
  checks.expect(code == ErrorCode::unsupported, "an alltoallv with scratch memory");
}

/// A rank that keeps blocks of others must know how large they are.
void check_unknown_sizes(Checks& checks, MPI_Comm comm) {
  schedule::Builder builder({.num_ranks = 2, .num_output_blocks = 2}, rank);
  builder.scratch(schedule::blocks(1 - rank));
  auto const program = std::move(builder).finish();
  std::vector<int> const numbers{1, 1};
  exec::TypedCount const own{.type = MPI_INT, .count = 1};
  auto const make = [&](exec::VaryingBlocks const& recv) {
    return code_of([&] {
      static_cast<void>(exec::gatherv_executor(program, comm, own, recv, 1 - rank));
    });
  };
  checks.expect(make({}) == ErrorCode::unsupported, "a gatherv of blocks of unknown size");
  checks.expect(make({MPI_INT, numbers, {}}) == ErrorCode{}, "a gatherv of blocks of known size");
}

void check_tags(Checks& checks, MPI_Comm comm) {
  auto program = Choice::parse("bcast/binomial[segments=2]").generate(2, 0, rank);
  void* limit = nullptr;
  int is_found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&limit), &is_found);
  // The last one is never used.
  program.operations.back().tag = *static_cast<int*>(limit) - 1;
  ErrorCode const largest = code_of([&] {
    static_cast<void>(exec::bcast_executor(program, comm, {.type = MPI_INT, .count = 1}, 0));
  });
  checks.expect(largest == ErrorCode{}, "the largest tag");
  ++program.operations.back().tag;
  ErrorCode const code = code_of([&] {
    static_cast<void>(exec::bcast_executor(program, comm, {.type = MPI_INT, .count = 1}, 0));
  });
  checks.expect(code == ErrorCode::unsupported, "a tag beyond the largest");
}

int run() {
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Checks checks;
  // MPICH 4 raises errors of waiting calls there.
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check_truncated_message(checks, "bcast/binomial", 64);
  check_truncated_message(checks, "bcast/binomial[segments=4]", 1024);
  check_truncated_message(checks, "bcast/binomial[segments=40]", 10'240);
  check_truncated_message(checks, "bcast/binomial", 1'000'000);
  check_truncated_message(checks, "bcast/chain[segments=8]", 1'000'000);
  MPI_Comm comm = private_comm();
  check_contribution_of_another_size(checks, comm);
  check_one_sided_program(checks, comm);
  check_reduction(checks, comm);
  check_alltoallv(checks, comm);
  check_unknown_sizes(checks, comm);
  check_tags(checks, comm);
  PMPI_Comm_free(&comm);
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
