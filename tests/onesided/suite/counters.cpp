// SPDX-License-Identifier: Apache-2.0

/// Counters: signals, and puts that raise them.

#include <algorithm>
#include <array>

#include "tests/onesided/suite/suite.hpp"

namespace espalier::onesided::suite {
namespace {

constexpr std::uint64_t arrived = 8;
constexpr std::uint64_t taken = 16;
constexpr std::uint64_t data_at = 131;
constexpr std::size_t largest = 40'000;

/// Right neighbours check all data of every put, as soon as the counter tells of it.
class Signaling final : public Work {
  void run(Conduit& conduit, Checks& checks) override {
    constexpr std::array<std::size_t, 6> sizes{8, 0, 63, 4096, 1, largest};
    constexpr std::uint64_t num_puts = 120;
    int num_wrong = 0;
    for (std::uint64_t n = 1; n <= num_puts; ++n) {
      std::size_t const num_bytes = sizes[n % sizes.size()];
      auto const data = patterned(seed(conduit.rank(), n), num_bytes);
      conduit.put_raising({right(conduit), data_at}, data.data(), num_bytes, {.offset = arrived});
      conduit.await(arrived, n);
      auto const bytes = conduit.segment().subspan(data_at, num_bytes);
      num_wrong += has_pattern(bytes, seed(left(conduit), n)) ? 0 : 1;
      conduit.signal({left(conduit), taken});
      conduit.await(taken, n);
    }
    checks.expect(num_wrong == 0, std::to_string(num_wrong) + " puts came behind their counter");
    checks.expect(conduit.counter(arrived) == num_puts, "the counter tells the number of puts");
    conduit.barrier();
  }

  static std::uint64_t seed(int writer, std::uint64_t n) {
    return static_cast<std::uint64_t>(writer) * 4096 + n;
  }
};

/// All ranks raise one counter of each rank in turn.
class Counting final : public Work {
  void run(Conduit& conduit, Checks& checks) override {
    constexpr std::uint64_t num_rounds = 20;
    constexpr std::size_t num_bytes = 2'501;
    auto const all = static_cast<std::uint64_t>(conduit.num_ranks());
    for (std::uint64_t round = 1; round <= num_rounds; ++round) {
      int const root = static_cast<int>(round % all);
      auto const seed = round * 64 + static_cast<std::uint64_t>(conduit.rank());
      auto const data = patterned(seed, num_bytes);
      auto const at = data_at + static_cast<std::uint64_t>(conduit.rank()) * num_bytes;
      Handle handle = conduit.start_put_raising(
          {root, at}, data.data(), num_bytes, {.offset = arrived, .amount = 3}
      );
      conduit.wait(handle);
      if (conduit.rank() == root) {
        num_expected_ += 3 * all;
        conduit.await(arrived, num_expected_);
        check_parts(conduit, checks, round, num_bytes);
      }
      conduit.barrier();
    }
  }

  static void
  check_parts(Conduit& conduit, Checks& checks, std::uint64_t round, std::size_t num_bytes) {
    for (int rank = 0; rank < conduit.num_ranks(); ++rank) {
      auto const place = data_at + static_cast<std::uint64_t>(rank) * num_bytes;
      auto const bytes = conduit.segment().subspan(place, num_bytes);
      checks.expect(
          has_pattern(bytes, round * 64 + static_cast<std::uint64_t>(rank)), "counting put"
      );
    }
  }

  std::uint64_t num_expected_ = 0;
};

/// Everybody adds to counters of everybody.
class Signals final : public Work {
  void run(Conduit& conduit, Checks& checks) override {
    constexpr std::uint64_t num_rounds = 100;
    auto const all = static_cast<std::uint64_t>(conduit.num_ranks());
    for (std::uint64_t round = 0; round < num_rounds; ++round) {
      for (int to = 0; to < conduit.num_ranks(); ++to) {
        conduit.signal({to, arrived}, static_cast<std::uint64_t>(conduit.rank()) + 1);
      }
    }
    std::uint64_t const expected = num_rounds * all * (all + 1) / 2;
    conduit.await(arrived, expected);
    checks.expect(conduit.counter(arrived) == expected, "sum of all signals");
    checks.expect(conduit.counter(taken) == 0, "another counter");
    conduit.signal({conduit.rank(), taken}, ~std::uint64_t{0});
    conduit.await(taken, ~std::uint64_t{0});
    conduit.signal({conduit.rank(), taken}, 2);
    poll_until(conduit, [&] { return conduit.counter(taken) == 1; });
    conduit.barrier();
  }
};

}  // namespace

std::vector<Case> counter_cases() {
  return {
      {"signaling_puts", make<Signaling>},
      {"counting_puts", make<Counting>},
      {"signals", make<Signals>},
  };
}

}  // namespace espalier::onesided::suite
