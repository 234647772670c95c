// SPDX-License-Identifier: Apache-2.0

/// @file
/// Messages and offsets beyond 2^31 bytes, on two ranks: 2.2 GB in one message, and cut.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using algorithms::Choice;
using exec::MpiExecutor;
using exec::TypedCount;

constexpr std::int64_t num_words = 275'000'001;
constexpr std::int64_t num_bytes = 8 * num_words;

std::uint64_t word_of(std::int64_t index, std::uint64_t seed) {
  return (static_cast<std::uint64_t>(index) + seed) * 0x9E3779B97F4A7C15U;
}

int rank = 0;

void check(
    Checks& checks,
    std::uint64_t* words,
    std::string const& choice,
    TypedCount const& message,
    std::uint64_t seed
) {
  MPI_Comm comm = private_comm();
  for (std::int64_t i = 0; i < num_words; ++i) {
    words[i] = rank == 0 ? word_of(i, seed) : 0;
  }
  auto const program = Choice::parse(choice).generate(2, 0, rank);
  MpiExecutor executor = exec::bcast_executor(program, comm, message, 0);
  int const code = executor.run(nullptr, words);
  checks.expect(code == MPI_SUCCESS, choice + ": returned " + std::to_string(code));
  std::int64_t num_wrong = 0;
  for (std::int64_t i = 0; i < num_words; ++i) {
    num_wrong += words[i] == word_of(i, seed) ? 0 : 1;
  }
  checks.expect(num_wrong == 0, choice + ": " + std::to_string(num_wrong) + " wrong words");
  PMPI_Comm_free(&comm);
}

int run() {
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Checks checks;
  std::unique_ptr<std::uint64_t[]> const words(new std::uint64_t[num_words]);
  check(checks, words.get(), "bcast/binomial", {.type = MPI_BYTE, .count = num_bytes}, 1);
  MPI_Datatype line = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(num_words, MPI_UINT64_T, &line);
  PMPI_Type_commit(&line);
  check(checks, words.get(), "bcast/binomial[segments=3]", {.type = line, .count = 1}, 2);
  PMPI_Type_free(&line);
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
