// SPDX-License-Identifier: Apache-2.0

/// @file
/// Every collective of a team, in all modes, with both kinds of addresses, by every mechanism, over
/// both transports, against what MPI itself says.

#include <cstdint>
#include <string>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "espalier/capi/onesided/choices/safe_choice.hpp"
#include "tests/mpi/capi/onesided_comparison.hpp"

namespace {

using namespace espalier::test;

void compare_named(Comparison& comparison) {
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  for (char const* const name :
       {"bcast/chain",
        "bcast/k_ary[k=2]",
        "scatter/binomial",
        "gather/k_ary[k=2]",
        "reduce/in_order_binary",
        "allreduce/ring",
        "allreduce/reduce_scatter_allgather",
        "allgather/ring",
        "alltoall/linear",
        "bcast/scatter_allgather",
        "bcast/chain[segments=4]",
        "bcast/k_ary[k=2,segments=16]",
        "reduce/chain[segments=3]",
        "reduce/k_ary[k=2,segments=16]"}) {
    std::string const text = name;
    options.algorithm = name;
    comparison.run({.name = text.substr(0, text.find('/')), .count = 11}, options);
  }
}

void compare_all(Checks& checks, char const* transport) {
  World const world(checks, 2 * region_bytes, transport);
  espalier_team* team = nullptr;
  int const code = espalier_team_create(world.conduit, MPI_COMM_WORLD, 1U << 20U, &team);
  checks.expect(code == MPI_SUCCESS, "a team: " + text_of(code));
  MPI_Datatype pairs = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(2, MPI_INT32_T, &pairs);
  PMPI_Type_commit(&pairs);
  MPI_Op in_order = MPI_OP_NULL;
  PMPI_Op_create(combine_in_order, 0, &in_order);
  std::vector<Case> const all = usual_cases(test_size(MPI_COMM_WORLD), pairs, in_order);
  Comparison comparison(checks, world, MPI_COMM_WORLD, team);
  compare_forms(comparison, all);
  compare_sizes(comparison, all);
  compare_named(comparison);
  checks.expect(espalier_team_free(&team) == MPI_SUCCESS, "free the team");
  PMPI_Op_free(&in_order);
  PMPI_Type_free(&pairs);
}

/// The rule has an answer for every team, and each of its answers is legal.
void check_choices(Checks& checks, espalier::capi::SafeRequest request) {
  using namespace espalier::schedule;
  for (AddressMode const where : all_address_modes) {
    for (std::int64_t const block_bytes : {1, 1 << 20}) {
      for (int const demand : {0, 1, 2}) {
        request.addresses = where;
        request.block_bytes = block_bytes;
        request.needs_rank_order = demand == 1 && reduces(request.collective);
        request.is_reproducible = demand == 2 && reduces(request.collective);
        auto const choices = espalier::capi::safe_choices(request);
        std::string const what = std::string(to_string(request.collective)) + " of " +
                                 std::to_string(request.num_ranks) + " ranks";
        checks.expect(!choices.empty(), what + ": there is a choice");
        for (auto const& [choice, mechanism] : choices) {
          bool const is_legal = espalier::capi::serves(choice, request) &&
                                espalier::capi::refusal(mechanism, request).empty();
          checks.expect(is_legal, what + ": " + choice.text() + " is legal");
        }
      }
    }
  }
}

void check_choices(Checks& checks) {
  using enum espalier::schedule::Collective;
  for (auto const collective :
       {barrier, bcast, scatter, gather, reduce, allreduce, allgather, alltoall}) {
    for (int p = 1; p <= 33; ++p) {
      bool const has_root = espalier::schedule::has_root(collective);
      for (auto const mode : espalier::schedule::all_synchronizations()) {
        check_choices(
            checks,
            {.collective = collective, .num_ranks = p, .root = has_root ? p - 1 : 0, .mode = mode}
        );
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Checks checks;
  if (test_size(MPI_COMM_WORLD) == 1) {
    check_choices(checks);
  }
  for (char const* const transport : transports()) {
    compare_all(checks, transport);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
