// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::measure::probe {

/// What is timed. The first five stand in [karlsson2012, chapter 3] or follow from it; the
/// overheads and the rate are those of LogGP.
enum class TestKind {
  latency,           ///< a message there and one of the same size back
  bandwidth,         ///< messages back to back, then a short reply
  bidirectional,     ///< both ends send messages back to back
  send_overhead,     ///< time inside MPI_Send when the receiver is ready
  receive_overhead,  ///< time inside MPI_Recv when the message arrived long ago
  message_rate,      ///< as bandwidth, of small messages
};

/// As in plans and results.
[[nodiscard]] std::string_view to_string(TestKind kind) noexcept;

/// True if the test measures a part of each call; the others measure whole calls.
[[nodiscard]] constexpr bool is_overhead(TestKind kind) noexcept {
  return kind == TestKind::send_overhead || kind == TestKind::receive_overhead;
}

struct Pair {
  int sender = 0;
  int receiver = 0;
};

/// Pairs that are active at the same time; no rank occurs twice.
using PairSet = std::vector<Pair>;

struct TestRequest {
  TestKind kind = TestKind::latency;
  std::string label;
  std::vector<std::int64_t> bytes;  ///< of one message
  int messages = 1;                 ///< sent without waiting for an answer
  std::vector<PairSet> sets;
};

/// One set with one size: what is measured at a time.
struct Step {
  std::size_t test_index = 0;
  std::size_t set_index = 0;
  std::size_t bytes_index = 0;
};

/// Which messages to time between which ranks: a file `espalier-probe-plan`, version 1.
struct ProbePlan {
  static constexpr std::string_view schema = "espalier-probe-plan";
  static constexpr int version = 1;

  std::uint64_t seed = 1;        ///< of the contents of messages
  double seconds = 3600.0;       ///< no set is begun after this time
  double seconds_per_set = 0.5;  ///< ends a step even before min_repetitions
  int min_repetitions = 20;      ///< before precision or spread may end a step
  int max_repetitions = 1000;
  double precision = 0.05;       ///< half of the mean's 95 % interval, relative to the mean
  std::optional<double> spread;  ///< standard deviation / mean that ends a step too
  std::vector<TestRequest> tests;

  /// @param origin name of the file, for messages.
  /// @throws Error format, one line: where, what was expected, what was found.
  static ProbePlan parse(std::string_view text, std::string_view origin);

  /// @throws Error format unless a job of so many ranks has all those named.
  void check_ranks(int num_ranks, std::string_view origin) const;

  /// All steps in the order of the plan, the sizes of a set one after another.
  [[nodiscard]] std::vector<Step> steps() const;

  [[nodiscard]] TestRequest const& test_of(Step const& step) const {
    return tests[step.test_index];
  }

  [[nodiscard]] PairSet const& pairs_of(Step const& step) const {
    return test_of(step).sets[step.set_index];
  }

  [[nodiscard]] std::int64_t bytes_of(Step const& step) const {
    return test_of(step).bytes[step.bytes_index];
  }
};

/// Ranks of a set, both ends of each pair next to each other.
[[nodiscard]] std::vector<int> members_of(PairSet const& pairs);

}  // namespace espalier::measure::probe
