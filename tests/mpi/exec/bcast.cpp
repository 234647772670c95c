// SPDX-License-Identifier: Apache-2.0

/// @file
/// Bcast of the MPI executor against that of the MPI library, for the whole catalog and all roots.

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

int num_ranks = 0;
int rank = 0;

/// All variants, and one with segments of every algorithm that can be cut.
std::vector<Choice> choices() {
  std::vector<Choice> result = algorithms::variants(Collective::bcast, num_ranks);
  for (algorithms::Algorithm const* algorithm : algorithms::catalog()) {
    if (algorithm->collective == Collective::bcast && algorithm->segment_period != nullptr) {
      for (char const* const segments : {"[segments=3]", "[segments=40]"}) {
        result.push_back(Choice::parse(Collective::bcast, std::string(algorithm->name) + segments));
      }
    }
  }
  return result;
}

void compare(
    Checks& checks,
    MpiExecutor executor,
    RankType const& type,
    int num_units,
    int root,
    std::string const& what
) {
  int const count = num_units * type.num_per_unit;
  Buffer expected(bytes_of(count, type.type), 1 + rank);
  Buffer found = expected;
  PMPI_Bcast(expected.get(), count, type.type, root, MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) {
    int const code = executor.run(nullptr, found.get());
    checks.expect(code == MPI_SUCCESS, what + ": returned " + std::to_string(code));
  }
  checks.expect(found == expected, what + ": memory differs");
}

void check_bcast(
    Checks& checks,
    PrivateComm const& comm,
    Choice const& choice,
    TypeCase const& types,
    Sampler& sampler
) {
  RankType type = types.make(rank);
  for (int root = 0; root < num_ranks; ++root) {
    for (int const num_units : {0, 1, 500}) {
      if (!sampler.next() || !choice.refuses(num_ranks, root).empty()) {
        continue;
      }
      auto const program = choice.generate(num_ranks, root, rank);
      compare(
          checks,
          exec::bcast_executor(
              program,
              comm,
              {.type = type.type, .count = std::int64_t{num_units} * type.num_per_unit},
              root
          ),
          type,
          num_units,
          root,
          choice.text() + " " + types.name + " x " + std::to_string(num_units) + " from " +
              std::to_string(root)
      );
    }
  }
  release(type);
}

/// MPI_BOTTOM with addresses in the type.
void check_bottom(Checks& checks, PrivateComm const& comm, Choice const& choice) {
  std::vector<int> values(3, rank == 0 ? 42 : -1);
  MPI_Aint place = 0;
  PMPI_Get_address(values.data(), &place);
  int const length = 3;
  MPI_Datatype inner = MPI_INT;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_hindexed(1, &length, &place, inner, &type);
  PMPI_Type_commit(&type);
  auto const program = choice.generate(num_ranks, 0, rank);
  MpiExecutor executor = exec::bcast_executor(program, comm, {.type = type, .count = 1}, 0);
  int const code = executor.run(nullptr, MPI_BOTTOM);
  checks.expect(code == MPI_SUCCESS, choice.text() + " MPI_BOTTOM: returned an error");
  checks.expect(values == std::vector<int>(3, 42), choice.text() + " MPI_BOTTOM: memory differs");
  PMPI_Type_free(&type);
}

int run() {
  PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PrivateComm const comm;
  Checks checks;
  std::vector<Choice> const all = choices();
  std::size_t const num_calls = type_cases().size() * static_cast<std::size_t>(num_ranks) * 3;
  Sampler sampler(all.size(), num_calls, 2000);
  for (Choice const& choice : all) {
    for (TypeCase const& types : type_cases()) {
      check_bcast(checks, comm, choice, types, sampler);
    }
    if (choice.refuses(num_ranks, 0).empty()) {
      check_bottom(checks, comm, choice);
    }
  }
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
