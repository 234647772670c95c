// SPDX-License-Identifier: Apache-2.0

/// Puts and gets of all sizes, between all pairs.

#include <array>
#include <cstring>

#include "tests/onesided/suite/suite.hpp"

namespace espalier::onesided::suite {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;
constexpr std::array<std::size_t, 9> sizes{
    0, 1, 8, 13, 4095, 8193, std::size_t{1} << 16U, 70'001, mebibyte
};
/// Odd, so that nothing is aligned.
constexpr std::uint64_t place = 37;
constexpr std::uint64_t room = place + mebibyte + 64;

/// Small sizes go to all ranks, large ones to this rank and its neighbours.
bool is_tried(std::size_t num_bytes, int distance, int num_ranks) {
  return num_bytes < 8192 || distance <= 1 || distance == num_ranks - 1;
}

std::uint64_t seed_of(int writer, std::size_t num_bytes, int distance) {
  return static_cast<std::uint64_t>(writer) * 1000 + num_bytes * 7 +
         static_cast<std::uint64_t>(distance);
}

class Transfers : public Work {
public:
  [[nodiscard]] std::uint64_t segment_bytes(int rank) const override {
    return room + static_cast<std::uint64_t>(rank) * 24;  // All sizes differ.
  }

  void run(Conduit& conduit, Checks& checks) override {
    for (int rank = 0; rank < conduit.num_ranks(); ++rank) {
      checks.expect(conduit.segment_bytes(rank) == segment_bytes(rank), "sizes of segments");
    }
    for (std::size_t const num_bytes : sizes) {
      for (int distance = 0; distance < conduit.num_ranks(); ++distance) {
        if (is_tried(num_bytes, distance, conduit.num_ranks())) {
          transfer(conduit, checks, num_bytes, distance);
        }
      }
    }
  }

protected:
  virtual void transfer(Conduit& conduit, Checks& checks, std::size_t num_bytes, int distance) = 0;
};

class Puts final : public Transfers {
  void transfer(Conduit& conduit, Checks& checks, std::size_t num_bytes, int distance) override {
    auto const segment = conduit.segment();
    std::memset(segment.data(), 0xee, segment.size());
    conduit.barrier();
    auto const data = patterned(seed_of(conduit.rank(), num_bytes, distance), num_bytes);
    conduit.put({right(conduit, distance), place}, data.data(), num_bytes);
    conduit.barrier();
    auto const seed = seed_of(left(conduit, distance), num_bytes, distance);
    std::string const what =
        "put of " + std::to_string(num_bytes) + " bytes over " + std::to_string(distance);
    checks.expect(has_pattern(segment.subspan(place, num_bytes), seed), what);
    checks.expect(segment[place - 1] == std::byte{0xee}, what + ": byte before");
    checks.expect(segment[place + num_bytes] == std::byte{0xee}, what + ": byte behind");
    conduit.barrier();
  }
};

class Gets final : public Transfers {
  void transfer(Conduit& conduit, Checks& checks, std::size_t num_bytes, int distance) override {
    auto const data = patterned(seed_of(conduit.rank(), num_bytes, distance), num_bytes);
    if (num_bytes > 0) {
      std::memcpy(conduit.segment().data() + place, data.data(), num_bytes);
    }
    conduit.barrier();
    std::vector<std::byte> got(num_bytes + 2, std::byte{0xee});
    conduit.get(got.data() + 1, {right(conduit, distance), place}, num_bytes);
    auto const seed = seed_of(right(conduit, distance), num_bytes, distance);
    std::string const what =
        "get of " + std::to_string(num_bytes) + " bytes over " + std::to_string(distance);
    checks.expect(has_pattern(std::span(got).subspan(1, num_bytes), seed), what);
    checks.expect(got.front() == std::byte{0xee}, what + ": byte before");
    checks.expect(got.back() == std::byte{0xee}, what + ": byte behind");
    conduit.barrier();
  }
};

/// The very last byte of a segment, and nothing at its end.
class Ends final : public Work {
  [[nodiscard]] std::uint64_t segment_bytes(int rank) const override {
    return rank == 1 ? 0 : 8 + static_cast<std::uint64_t>(rank);
  }

  void run(Conduit& conduit, Checks& checks) override {
    int const to = right(conduit);
    std::uint64_t const size = conduit.segment_bytes(to);
    auto const value = static_cast<std::byte>(100 + to);
    conduit.put({to, size}, nullptr, 0);
    if (size > 0) {
      conduit.put({to, size - 1}, &value, 1);
      std::byte back{};
      conduit.get(&back, {to, size - 1}, 1);
      checks.expect(back == value, "last byte of a segment");
    }
    checks.expect(conduit.segment().size() == segment_bytes(conduit.rank()), "own segment");
    conduit.barrier();
  }
};

}  // namespace

std::vector<Case> transfer_cases() {
  return {{"puts", make<Puts>}, {"gets", make<Gets>}, {"ends", make<Ends>}};
}

}  // namespace espalier::onesided::suite
