// SPDX-License-Identifier: Apache-2.0

/// @file
/// Every collective of a team, in all modes, with both kinds of addresses, by every mechanism, over
/// both transports, against what MPI itself says.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "espalier/capi/onesided/choices/safe_choice.hpp"
#include "tests/mpi/capi/onesided_cases.hpp"
#include "tests/mpi/capi/onesided_support.hpp"

namespace {

using namespace espalier::test;

constexpr std::array syncs{ESPALIER_ALLSYNC, ESPALIER_MYSYNC, ESPALIER_NOSYNC};
constexpr std::array addresses{ESPALIER_ADDRESSES_SYMMETRIC, ESPALIER_ADDRESSES_LOCAL};
constexpr std::array<char const*, 5> mechanisms{
    nullptr, "signaling_put", "eager", "rendezvous", "counting_put"
};

constexpr std::uint64_t region_bytes = std::uint64_t{1} << 18U;
constexpr int guard = -77;

/// One collective with given options on a team, beside that of MPI.
class Comparison {
public:
  Comparison(Checks& checks, World const& world, MPI_Comm comm, espalier_team* team)
      : checks_(&checks), world_(&world), comm_(comm), team_(team) {}

  void run(Case const& one, espalier_onesided_options const& options) {
    int const rank = test_rank(comm_);
    int const p = test_size(comm_);
    Blocks const blocks = blocks_of(one, rank, p);
    auto const numbers = static_cast<std::size_t>(one.count) * static_cast<std::size_t>(one.width);
    num_in_ = numbers * static_cast<std::size_t>(blocks.in);
    num_out_ = numbers * static_cast<std::size_t>(blocks.out);
    bool const is_local = options.addresses == ESPALIER_ADDRESSES_LOCAL;
    prepare(is_local);
    std::string const what = name_of(one, options);
    espalier_request* request = nullptr;
    int const code = plan(one, in_, out_, team_, &options, &request);
    if (code != MPI_SUCCESS) {
      checks_->expect(false, what + ": " + text_of(code));
      return;
    }
    // More ranks than processors take turns waiting.
    int const num_rounds = p <= 2 ? 2 : 1;
    for (int round = 0; round < num_rounds; ++round) {
      run_once(one, request, what, round);
    }
    checks_->expect(espalier_request_free(&request) == MPI_SUCCESS, what + ": free");
  }

private:
  static std::string name_of(Case const& one, espalier_onesided_options const& options) {
    return one.name + " of " + std::to_string(one.count) + ", root " + std::to_string(one.root) +
           ", in " + std::to_string(options.in) + ", out " + std::to_string(options.out) +
           ", addresses " + std::to_string(options.addresses) + ", " +
           (options.mechanism == nullptr ? "chosen" : options.mechanism) + ", " +
           (options.algorithm == nullptr ? "chosen" : options.algorithm);
  }

  /// Buffers in the segment, or anywhere: then those that count nowhere are null.
  void prepare(bool is_local) {
    private_in_.assign(num_in_ + 1, guard);
    private_out_.assign(num_out_ + 1, guard);
    auto* const segment = static_cast<std::byte*>(espalier_conduit_segment(world_->conduit));
    in_ = reinterpret_cast<std::int32_t*>(segment + 64);
    out_ = reinterpret_cast<std::int32_t*>(segment + region_bytes);
    if (is_local) {
      in_ = num_in_ > 0 ? private_in_.data() : nullptr;
      out_ = num_out_ > 0 ? private_out_.data() : nullptr;
    }
  }

  /// Loose modes promise nothing about the buffers of others, so all ranks are ready before and
  /// look only after all are through.
  void run_once(Case const& one, espalier_request* request, std::string const& what, int round) {
    std::vector<std::int32_t> in(num_in_);
    std::vector<std::int32_t> expected(num_out_ + 1);
    int const rank = test_rank(comm_);
    fill(in, rank, round);
    fill(expected, rank, round + 7);
    expected.back() = guard;
    if (in_ != nullptr && num_in_ > 0) {
      std::ranges::copy(in, in_);
    }
    if (out_ != nullptr) {
      std::ranges::copy(expected, out_);
    }
    espalier_conduit_barrier(world_->conduit);
    checks_->expect(espalier_request_start(request) == MPI_SUCCESS, what + ": start");
    checks_->expect(espalier_request_wait(request) == MPI_SUCCESS, what + ": wait");
    espalier_conduit_barrier(world_->conduit);
    run_by_mpi(one, in.data(), expected.data(), comm_);
    bool const is_right = out_ == nullptr || std::equal(expected.begin(), expected.end(), out_);
    checks_->expect(is_right, what + ": data");
    bool const is_kept = in_ == nullptr || num_in_ == 0 || std::equal(in.begin(), in.end(), in_);
    checks_->expect(is_kept, what + ": the input is untouched");
  }

  Checks* checks_;
  World const* world_;
  MPI_Comm comm_;
  espalier_team* team_;
  std::size_t num_in_ = 0;
  std::size_t num_out_ = 0;
  std::vector<std::int32_t> private_in_;
  std::vector<std::int32_t> private_out_;
  std::int32_t* in_ = nullptr;
  std::int32_t* out_ = nullptr;
};

/// Whether a form is one of those that so many ranks try: mechanisms take turns, so that each
/// number of ranks meets each collective in each mode, and all numbers together meet all forms.
bool is_turn(std::size_t number, std::size_t mechanism, int p) {
  return (number + static_cast<std::size_t>(p / 2)) % mechanisms.size() == mechanism;
}

bool is_legal(espalier_addresses where, char const* mechanism) {
  std::string_view const name = mechanism == nullptr ? "" : mechanism;
  return where == ESPALIER_ADDRESSES_SYMMETRIC || (name != "signaling_put" && name != "rendezvous");
}

std::vector<espalier_onesided_options> forms() {
  std::vector<espalier_onesided_options> all;
  for (espalier_sync const in : syncs) {
    for (espalier_sync const out : syncs) {
      for (espalier_addresses const where : addresses) {
        espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
        options.in = in;
        options.out = out;
        options.addresses = where;
        all.push_back(options);
      }
    }
  }
  return all;
}

void compare_forms(Comparison& comparison, std::vector<Case> const& all) {
  int const p = test_size(MPI_COMM_WORLD);
  std::size_t number = 0;
  for (espalier_onesided_options options : forms()) {
    for (Case const& one : all) {
      ++number;
      for (std::size_t i = 0; i < mechanisms.size(); ++i) {
        options.mechanism = mechanisms[i];
        if (is_turn(number, i, p) && is_legal(options.addresses, options.mechanism)) {
          comparison.run(one, options);
        }
      }
    }
  }
}

/// Sizes at which other algorithms are chosen, and none at all.
void compare_sizes(Comparison& comparison, std::vector<Case> const& all) {
  for (espalier_addresses const where : addresses) {
    for (int const count : {0, 1, 1500}) {
      for (Case one : all) {
        one.count = count;
        espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
        options.addresses = where;
        comparison.run(one, options);
      }
    }
  }
}

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
        "bcast/scatter_allgather"}) {
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
      for (bool const is_ordered : {false, true}) {
        request.addresses = where;
        request.block_bytes = block_bytes;
        request.needs_rank_order = is_ordered && reduces(request.collective);
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
