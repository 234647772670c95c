// SPDX-License-Identifier: Apache-2.0

/// @file
/// What every conduit has to pass. The cases know nothing but the interface; main programs run them
/// with ranks that are threads, or processes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/onesided/conduit.hpp"

namespace espalier::onesided::suite {

/// What one rank found wrong.
class Checks {
public:
  void expect(bool is_true, std::string const& what) {
    ++num_checks_;
    if (!is_true) {
      failures_.push_back(what);
    }
  }

  /// Expects an Error whose text has all the words.
  template <typename Action>
  void expect_error(Action&& action, std::vector<std::string> const& words) {
    try {
      action();
      expect(false, "expected an error with '" + words.front() + "', got none");
    } catch (Error const& error) {
      for (std::string const& word : words) {
        bool const is_there = std::string(error.what()).find(word) != std::string::npos;
        expect(is_there, "expected '" + word + "' in '" + error.what() + "'");
      }
    }
  }

  [[nodiscard]] long num_checks() const { return num_checks_; }

  [[nodiscard]] std::vector<std::string> const& failures() const { return failures_; }

private:
  long num_checks_ = 0;
  std::vector<std::string> failures_;
};

/// One rank of a case: made before it attaches.
class Work {
public:
  Work() = default;
  Work(Work const&) = delete;
  Work& operator=(Work const&) = delete;
  Work(Work&&) = delete;
  Work& operator=(Work&&) = delete;
  virtual ~Work() = default;

  /// Of each rank; the sizes may differ.
  [[nodiscard]] virtual std::uint64_t segment_bytes(int /*rank*/) const {
    return std::uint64_t{1} << 16U;
  }

  [[nodiscard]] virtual std::vector<Handler> handlers() { return {}; }

  virtual void run(Conduit& conduit, Checks& checks) = 0;
};

struct Case {
  std::string name;
  std::unique_ptr<Work> (*make)();
};

template <typename Made> std::unique_ptr<Work> make() {
  return std::make_unique<Made>();
}

std::vector<Case> transfer_cases();
std::vector<Case> flight_cases();
std::vector<Case> counter_cases();
std::vector<Case> message_cases();
std::vector<Case> barrier_cases();
std::vector<Case> error_cases();
std::vector<Case> random_cases();
std::vector<Case> collective_cases();

/// All of them.
std::vector<Case> cases();

/// Bytes that tell who wrote them and where. At most 1 MiB + 8 KiB.
std::span<std::byte const> pattern(std::uint64_t seed, std::size_t num_bytes);

inline std::vector<std::byte> patterned(std::uint64_t seed, std::size_t num_bytes) {
  auto const bytes = pattern(seed, num_bytes);
  return {bytes.begin(), bytes.end()};
}

inline bool has_pattern(std::span<std::byte const> bytes, std::uint64_t seed) {
  return bytes.empty() ||
         std::memcmp(bytes.data(), pattern(seed, bytes.size()).data(), bytes.size()) == 0;
}

/// Polls until something came, for cases that have no counter for it.
template <typename Condition> void poll_until(Conduit& conduit, Condition&& is_true) {
  while (!is_true()) {
    conduit.poll();
    std::this_thread::yield();
  }
}

/// The rank that is `distance` to the right.
inline int right(Conduit const& conduit, int distance = 1) {
  return (conduit.rank() + distance) % conduit.num_ranks();
}

inline int left(Conduit const& conduit, int distance = 1) {
  return (conduit.rank() + conduit.num_ranks() - distance % conduit.num_ranks()) %
         conduit.num_ranks();
}

}  // namespace espalier::onesided::suite
