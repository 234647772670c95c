// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "espalier/plan/calls/call_words.hpp"
#include "espalier/plan/communicators/executor_cache.hpp"
#include "espalier/profile/decision.hpp"

namespace espalier::plan {

class Contest;

/// A call that was served before, and what came of its arguments.
struct RepeatedCall {
  CallWords words{};
  profile::Decision const* decision = nullptr;
  Contest* contest = nullptr;  ///< that has to agree when it comes again; null: none has
  /// Where its executor is; null: the native call is made.
  exec::MpiExecutor* executor = nullptr;
  void const* input = nullptr;
  void* output = nullptr;
};

/// Calls of one communicator that came lately. Programs make the same few calls again and again,
/// and such a call needs no checks, no decision and no binding: they were made when it came first.
class RepeatedCalls {
public:
  static constexpr std::size_t max_entries = 16;

  /// @return null if it did not come lately. Valid until something is added or forgotten.
  [[nodiscard, gnu::always_inline]] RepeatedCall const* find(CallWords const& words
  ) const noexcept {
    if (calls_ == nullptr) {
      return nullptr;
    }
    RepeatedCall const& place = (*calls_)[place_of(words)];
    std::uint64_t difference = 0;
    // As a loop it would read the words from memory, right after they were put there.
#pragma GCC unroll 7
    for (std::size_t i = 0; i < words.size(); ++i) {
      difference |= place.words[i] ^ words[i];
    }
    return difference == 0 ? &place : nullptr;
  }

  /// Keeps a call, in the place of another one. Without memory for it, it is not kept.
  void add(RepeatedCall const& call) noexcept {
    if (calls_ == nullptr) {
      calls_.reset(new (std::nothrow) Calls());
    }
    if (calls_ != nullptr) {
      (*calls_)[place_of(call.words)] = call;
    }
  }

  /// Of executors that go, and of decisions that others take the place of.
  void forget() noexcept {
    if (calls_ != nullptr) {
      calls_->fill({});
    }
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return sizeof(*this) + (calls_ != nullptr ? sizeof(*calls_) : 0);
  }

private:
  using Calls = std::array<RepeatedCall, max_entries>;

  /// By call, root and addresses.
  static std::size_t place_of(CallWords const& words) noexcept {
    static_assert(std::has_single_bit(max_entries));
    constexpr int shift = 64 - std::countr_zero(max_entries);
    std::uint64_t const mixed = words[0] + words[1] + 3 * words[2] + 5 * words[3];
    return static_cast<std::size_t>((mixed * 0x9e3779b97f4a7c15U) >> shift);
  }

  std::unique_ptr<Calls> calls_;
};

}  // namespace espalier::plan
