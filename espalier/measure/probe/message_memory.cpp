// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/probe/message_memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <string>

#include "espalier/base/error.hpp"

namespace espalier::measure::probe {
namespace {

using Word = std::array<std::byte, 8>;

/// Bits without visible order, so that neither shifted nor repeated data look right [steele2014].
std::uint64_t mixed(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

Word word_of(std::uint64_t start, std::size_t index) noexcept {
  return std::bit_cast<Word>(mixed(start + index));
}

std::uint64_t start_of(std::uint64_t seed, int sender) noexcept {
  return mixed(seed) ^ mixed(static_cast<std::uint64_t>(sender));
}

struct Sizes {
  std::size_t outgoing = 0;
  std::size_t incoming = 0;
};

Sizes largest(ProbePlan const& plan, int rank) {
  Sizes sizes;
  for (Step const& step : plan.steps()) {
    auto const takes_part = [rank](Pair const& pair) {
      return pair.sender == rank || pair.receiver == rank;
    };
    if (!std::ranges::any_of(plan.pairs_of(step), takes_part)) {
      continue;
    }
    auto const bytes = static_cast<std::size_t>(plan.bytes_of(step));
    std::size_t const slots = num_slots(plan.test_of(step), plan.bytes_of(step));
    sizes.outgoing = std::max(sizes.outgoing, bytes);
    sizes.incoming = std::max(sizes.incoming, bytes * slots);
  }
  return sizes;
}

}  // namespace

std::size_t num_slots(TestRequest const& test, std::int64_t bytes) noexcept {
  constexpr std::int64_t plenty_bytes = 1 << 20;
  constexpr std::int64_t most_slots = 64;
  std::int64_t const slots =
      std::clamp(plenty_bytes / std::max<std::int64_t>(bytes, 1), std::int64_t{2}, most_slots);
  return static_cast<std::size_t>(std::min<std::int64_t>(slots, test.messages));
}

MessageMemory::MessageMemory(ProbePlan const& plan, int rank) : seed_(plan.seed), rank_(rank) {
  Sizes const sizes = largest(plan, rank);
  try {
    outgoing_.resize(sizes.outgoing);
    incoming_.resize(sizes.incoming);
  } catch (std::bad_alloc const&) {
    throw Error(
        ErrorCode::no_memory,
        "rank " + std::to_string(rank) + ": expected " +
            std::to_string(sizes.outgoing + sizes.incoming) +
            " bytes for the messages of the plan, got none; ask for smaller messages"
    );
  }
  std::uint64_t const start = start_of(seed_, rank);
  for (std::size_t i = 0; i < outgoing_.size(); i += sizeof(Word)) {
    Word const word = word_of(start, i / sizeof(Word));
    std::memcpy(&outgoing_[i], word.data(), std::min(sizeof(Word), outgoing_.size() - i));
  }
}

void MessageMemory::forget(std::size_t slot, std::size_t bytes) noexcept {
  if (bytes > 0) {
    std::memset(incoming(slot, bytes), 0, bytes);
  }
}

void MessageMemory::expect_message(std::size_t slot, std::size_t bytes, int sender) const {
  std::byte const* const message = incoming_.data() + slot * bytes;
  std::uint64_t const start = start_of(seed_, sender);
  for (std::size_t i = 0; i < bytes; i += sizeof(Word)) {
    Word const word = word_of(start, i / sizeof(Word));
    if (std::memcmp(message + i, word.data(), std::min(sizeof(Word), bytes - i)) == 0) {
      continue;
    }
    throw Error(
        ErrorCode::mpi,
        "rank " + std::to_string(rank_) + ": expected the message of " + std::to_string(bytes) +
            " bytes from rank " + std::to_string(sender) +
            " as it was sent, got another near byte " + std::to_string(i) +
            "; the MPI library or the network changes data"
    );
  }
}

}  // namespace espalier::measure::probe
