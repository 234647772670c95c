// SPDX-License-Identifier: Apache-2.0

/// The barrier in two halves.

#include "tests/onesided/suite/suite.hpp"

namespace espalier::onesided::suite {
namespace {

/// Puts go on between the halves; those that were over before the first half are there behind the
/// second one.
class Overlapped final : public Work {
  void run(Conduit& conduit, Checks& checks) override {
    constexpr std::uint64_t num_rounds = 40;
    int num_wrong = 0;
    for (std::uint64_t round = 1; round <= num_rounds; ++round) {
      std::uint64_t const value = round * 100 + static_cast<std::uint64_t>(conduit.rank());
      std::uint64_t const later = value + 50;
      conduit.put({right(conduit), 0}, &value, sizeof value);
      conduit.notify();
      Handle handle = conduit.start_put({right(conduit), 64}, &later, sizeof later);
      while (!conduit.try_barrier()) {
        std::this_thread::yield();
      }
      conduit.wait(handle);
      num_wrong += load(conduit, 0) == expected(conduit, round) ? 0 : 1;
      conduit.barrier();
      num_wrong += load(conduit, 64) == expected(conduit, round) + 50 ? 0 : 1;
      conduit.barrier();
    }
    checks.expect(num_wrong == 0, std::to_string(num_wrong) + " puts came behind a barrier");
  }

  static std::uint64_t expected(Conduit const& conduit, std::uint64_t round) {
    return round * 100 + static_cast<std::uint64_t>(left(conduit));
  }

  static std::uint64_t load(Conduit& conduit, std::uint64_t offset) {
    std::uint64_t value = 0;
    conduit.get(&value, {conduit.rank(), offset}, sizeof value);
    return value;
  }
};

/// Nobody passes before all have notified.
class Held final : public Work {
  void run(Conduit& conduit, Checks& checks) override {
    for (int last = 0; last < conduit.num_ranks(); ++last) {
      if (conduit.rank() == last) {
        // The others have notified, and asked in vain, when they say so.
        conduit.await(0, static_cast<std::uint64_t>(conduit.num_ranks() - 1));
        conduit.notify();
      } else {
        conduit.notify();
        checks.expect(!conduit.try_barrier(), "a barrier that one rank has not reached");
        conduit.signal({last, 0});
      }
      poll_until(conduit, [&] { return conduit.try_barrier(); });
    }
    auto const others = static_cast<std::uint64_t>(conduit.num_ranks() - 1);
    checks.expect(conduit.counter(0) == others, "all others were held once");
    conduit.barrier();
  }
};

}  // namespace

std::vector<Case> barrier_cases() {
  return {{"overlapped_barriers", make<Overlapped>}, {"held_barriers", make<Held>}};
}

}  // namespace espalier::onesided::suite
