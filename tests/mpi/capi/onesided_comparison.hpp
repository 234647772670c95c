// SPDX-License-Identifier: Apache-2.0

/// @file
/// Collectives of a team beside what MPI itself says, in every form.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_cases.hpp"
#include "tests/mpi/capi/onesided_support.hpp"

namespace espalier::test {

inline constexpr std::array syncs{ESPALIER_ALLSYNC, ESPALIER_MYSYNC, ESPALIER_NOSYNC};
inline constexpr std::array addresses{ESPALIER_ADDRESSES_SYMMETRIC, ESPALIER_ADDRESSES_LOCAL};
inline constexpr std::array<char const*, 5> mechanisms{
    nullptr, "signaling_put", "eager", "rendezvous", "counting_put"
};

inline constexpr std::uint64_t region_bytes = std::uint64_t{1} << 18U;
inline constexpr int guard = -77;

/// One collective with given options on a team, beside that of MPI.
class Comparison {
public:
  Comparison(Checks& checks, World const& world, MPI_Comm comm, espalier_team* team)
      : checks_(&checks), world_(&world), comm_(comm), team_(team), any_place_(test_rank(comm)) {}

  void run(Case const& one, espalier_onesided_options const& options) {
    int const rank = test_rank(comm_);
    int const p = test_size(comm_);
    Sizes const sizes = sizes_of(one, rank, p);
    num_in_ = static_cast<std::size_t>(sizes.in * one.width);
    num_out_ = static_cast<std::size_t>(sizes.out * one.width);
    prepare(options.addresses);
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

  /// Buffers in the segment, at one offset or at any, or anywhere. Those that count nowhere are
  /// null if nobody needs to know where they would be.
  void prepare(espalier_addresses where) {
    private_in_.assign(num_in_ + 1, guard);
    private_out_.assign(num_out_ + 1, guard);
    auto* const segment = static_cast<std::byte*>(espalier_conduit_segment(world_->conduit));
    in_ = reinterpret_cast<std::int32_t*>(segment + 64);
    out_ = reinterpret_cast<std::int32_t*>(segment + region_bytes);
    if (where == ESPALIER_ADDRESSES_SYMMETRIC) {
      return;
    }
    if (where == ESPALIER_ADDRESSES_LOCAL) {
      in_ = private_in_.data();
      out_ = private_out_.data();
    } else {
      in_ += any_place_();
      out_ += any_place_();
      if (any_place_() % 2 == 0) {
        std::swap(in_, out_);
      }
    }
    in_ = num_in_ > 0 ? in_ : nullptr;
    out_ = num_out_ > 0 ? out_ : nullptr;
  }

  /// Numbers in half of a region, other ones on each rank and in each run of it.
  class AnyPlace {
  public:
    explicit AnyPlace(int rank) : engine_(static_cast<unsigned>(rank) + 1) {}

    std::ptrdiff_t operator()() {
      return static_cast<std::ptrdiff_t>(engine_() % (region_bytes / 2 / sizeof(std::int32_t)));
    }

  private:
    std::mt19937 engine_;
  };

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
  AnyPlace any_place_;
  std::size_t num_in_ = 0;
  std::size_t num_out_ = 0;
  std::vector<std::int32_t> private_in_;
  std::vector<std::int32_t> private_out_;
  std::int32_t* in_ = nullptr;
  std::int32_t* out_ = nullptr;
};

/// Whether a form is one of those that so many ranks try: mechanisms take turns, so that each
/// number of ranks meets each collective in each mode, and all numbers together meet all forms.
inline bool is_turn(std::size_t number, std::size_t mechanism, int p) {
  return (number + static_cast<std::size_t>(p / 2)) % mechanisms.size() == mechanism;
}

inline bool is_legal(espalier_addresses where, char const* mechanism) {
  std::string_view const name = mechanism == nullptr ? "" : mechanism;
  return where != ESPALIER_ADDRESSES_LOCAL || (name != "signaling_put" && name != "rendezvous");
}

/// @param kinds  of addresses
inline std::vector<espalier_onesided_options>
forms(std::span<espalier_addresses const> kinds = addresses) {
  std::vector<espalier_onesided_options> all;
  for (espalier_sync const in : syncs) {
    for (espalier_sync const out : syncs) {
      for (espalier_addresses const where : kinds) {
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

inline void compare_forms(
    Comparison& comparison,
    std::vector<Case> const& all,
    std::span<espalier_addresses const> kinds = addresses
) {
  int const p = test_size(MPI_COMM_WORLD);
  std::size_t number = 0;
  for (espalier_onesided_options options : forms(kinds)) {
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
inline void compare_sizes(
    Comparison& comparison,
    std::vector<Case> const& all,
    std::span<espalier_addresses const> kinds = addresses
) {
  for (espalier_addresses const where : kinds) {
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

}  // namespace espalier::test
