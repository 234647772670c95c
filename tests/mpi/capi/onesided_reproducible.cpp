// SPDX-License-Identifier: Apache-2.0

/// @file
/// Reproducible reductions of a team have the bits of a loop over its members: in all modes, with
/// both kinds of addresses, by every mechanism, for each root, and after tuning.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_comparison.hpp"

namespace {

using namespace espalier::test;

constexpr int num_numbers = 37;

/// Numbers of very different sizes: what a sum loses depends on its order.
std::vector<float> numbers_of(int rank) {
  std::vector<float> numbers;
  for (int i = 0; i < num_numbers; ++i) {
    auto const bits = static_cast<std::uint32_t>(rank * 7919 + i * 104729) * 2654435761U;
    float const digits = 1.0F + static_cast<float>(bits >> 9U) / static_cast<float>(1U << 23U);
    float const sign = (bits & 1U) != 0 ? -1.0F : 1.0F;
    numbers.push_back(sign * digits * static_cast<float>(1U << ((bits >> 1U) % 24U)));
  }
  return numbers;
}

std::vector<float> folded(int p, bool is_backwards = false) {
  std::vector<float> sum = numbers_of(is_backwards ? p - 1 : 0);
  for (int step = 1; step < p; ++step) {
    std::vector<float> const next = numbers_of(is_backwards ? p - 1 - step : step);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += next[i];
    }
  }
  return sum;
}

class Reductions {
public:
  Reductions(Checks& checks, World const& world, espalier_team* team)
      : checks_(&checks), world_(&world), team_(team), p_(espalier_team_size(team)),
        in_(numbers_of(espalier_team_rank(team))), expected_(folded(p_)) {}

  /// @param root  -1: the sum goes to all members
  void run(int root, espalier_onesided_options options) {
    options.flags = ESPALIER_REPRODUCIBLE;
    std::string const what = "root " + std::to_string(root) + ", in " + std::to_string(options.in) +
                             ", out " + std::to_string(options.out) + ", " +
                             (options.mechanism == nullptr ? "chosen" : options.mechanism);
    espalier_request* request = plan(root, options, what);
    if (request == nullptr) {
      return;
    }
    check(request, root, what);
    espalier_request_free(&request);
  }

  /// What is fastest has the same bits.
  void tune(int root) {
    espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
    options.flags = ESPALIER_REPRODUCIBLE;
    espalier_request* request = plan(root, options, "to be tuned");
    espalier_tuning_options tuning = ESPALIER_TUNING_OPTIONS_INIT;
    tuning.seconds = 100;
    int const code = espalier_request_tune(request, &tuning);
    checks_->expect(code == MPI_SUCCESS, "tune: " + text_of(code));
    checks_->expect(std::string(espalier_request_origin(request)) == "tuned", "it is tuned");
    check(request, root, std::string("tuned: ") + espalier_request_algorithm(request));
    espalier_request_free(&request);
    // What was measured so is not taken where other algorithms may serve.
    options.flags = 0;
    request = plan(root, options, "not reproducible");
    checks_->expect(std::string(espalier_request_origin(request)) == "rule", "another request");
    espalier_request_free(&request);
  }

  void refuse() {
    espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
    options.flags = ESPALIER_REPRODUCIBLE;
    options.algorithm = "reduce/binomial";
    espalier_request* request = nullptr;
    int const code = espalier_team_reduce_init(
        segment(0), segment(1), num_numbers, MPI_FLOAT, MPI_SUM, 0, team_, &options, &request
    );
    std::string const text = text_of(code);
    bool const is_said =
        text.find("combine from the left in rank order") != std::string::npos &&
        text.find("these can serve: reduce/flat, reduce/chain") != std::string::npos;
    checks_->expect(code != MPI_SUCCESS && is_said, "a tree of other order: " + text);
  }

private:
  float* segment(int number) const {
    auto* const begin = static_cast<std::byte*>(espalier_conduit_segment(world_->conduit));
    return reinterpret_cast<float*>(begin + static_cast<std::uint64_t>(number) * region_bytes);
  }

  espalier_request*
  plan(int root, espalier_onesided_options const& options, std::string const& what) {
    bool const is_local = options.addresses == ESPALIER_ADDRESSES_LOCAL;
    from_ = is_local ? in_.data() : segment(0);
    private_out_.assign(num_numbers, 0);
    to_ = is_local ? private_out_.data() : segment(1);
    espalier_request* request = nullptr;
    int const code =
        root < 0 ? espalier_team_allreduce_init(
                       from_, to_, num_numbers, MPI_FLOAT, MPI_SUM, team_, &options, &request
                   )
                 : espalier_team_reduce_init(
                       from_, to_, num_numbers, MPI_FLOAT, MPI_SUM, root, team_, &options, &request
                   );
    checks_->expect(code == MPI_SUCCESS, what + ": " + text_of(code));
    return request;
  }

  void check(espalier_request* request, int root, std::string const& what) {
    std::ranges::copy(in_, from_);
    std::fill_n(to_, num_numbers, 0.0F);
    espalier_conduit_barrier(world_->conduit);
    checks_->expect(espalier_request_start(request) == MPI_SUCCESS, what + ": start");
    checks_->expect(espalier_request_wait(request) == MPI_SUCCESS, what + ": wait");
    espalier_conduit_barrier(world_->conduit);
    if (root < 0 || root == espalier_team_rank(team_)) {
      bool const is_equal = std::memcmp(to_, expected_.data(), num_numbers * sizeof(float)) == 0;
      checks_->expect(is_equal, what + ": bits");
    }
  }

  Checks* checks_;
  World const* world_;
  espalier_team* team_;
  int p_;
  std::vector<float> in_;
  std::vector<float> expected_;
  std::vector<float> private_out_;
  float* from_ = nullptr;
  float* to_ = nullptr;
};

void reduce_all(Checks& checks, char const* transport) {
  World const world(checks, 2 * region_bytes, transport);
  espalier_team* team = nullptr;
  int const code = espalier_team_create(world.conduit, MPI_COMM_WORLD, 1U << 20U, &team);
  checks.expect(code == MPI_SUCCESS, "a team: " + text_of(code));
  int const p = espalier_team_size(team);
  Reductions reductions(checks, world, team);
  std::size_t number = 0;
  for (espalier_onesided_options options : forms()) {
    for (std::size_t i = 0; i < mechanisms.size(); ++i) {
      options.mechanism = mechanisms[i];
      if (is_legal(options.addresses, options.mechanism) && (p <= 3 || is_turn(number, i, p))) {
        reductions.run(-1, options);
        reductions.run(static_cast<int>(number) % p, options);
      }
    }
    ++number;
  }
  reductions.refuse();
  if (p <= 3) {
    reductions.tune(-1);
    reductions.tune(p - 1);
  }
  checks.expect(espalier_team_free(&team) == MPI_SUCCESS, "free the team");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Checks checks;
  int const p = test_size(MPI_COMM_WORLD);
  // Otherwise a test of bits says nothing.
  checks.expect(p <= 2 || folded(p) != folded(p, true), "the order of these numbers matters");
  for (char const* const transport : transports()) {
    reduce_all(checks, transport);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
