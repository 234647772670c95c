// SPDX-License-Identifier: Apache-2.0

#include "tests/onesided/suite/suite.hpp"

#include <random>

namespace espalier::onesided::suite {
namespace {

/// Random bytes: a pattern is a part of them that begins where its seed says, so that comparing is
/// one call, also where a sanitizer looks at each access.
class Table {
public:
  Table() : bytes_(num_starts + (std::size_t{1} << 20U) + 8192) {
    std::mt19937 random(20'261'125);
    for (std::byte& byte : bytes_) {
      byte = static_cast<std::byte>(random() & 0xffU);
    }
  }

  [[nodiscard]] std::span<std::byte const> part(std::uint64_t seed, std::size_t num_bytes) const {
    std::uint64_t const mixed = seed * 0x9e3779b97f4a7c15U;
    return std::span(bytes_).subspan((mixed >> 17U) % num_starts, num_bytes);
  }

private:
  static constexpr std::size_t num_starts = 65'521;

  std::vector<std::byte> bytes_;
};

}  // namespace

std::span<std::byte const> pattern(std::uint64_t seed, std::size_t num_bytes) {
  static Table const table;
  return table.part(seed, num_bytes);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (auto const& list :
       {transfer_cases(),
        flight_cases(),
        counter_cases(),
        message_cases(),
        barrier_cases(),
        error_cases(),
        random_cases(),
        collective_cases()}) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

}  // namespace espalier::onesided::suite
