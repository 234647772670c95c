// SPDX-License-Identifier: Apache-2.0

/// @file
/// The messages of one call of each test, S the sender of the pair and R the receiver; what one
/// call takes is measured between the brackets.
///
///     latency            S [message -->                    <-- message] R
///     bandwidth, rate    S [message --> message --> ...    <-- reply  ] R    receives posted ahead
///     bidirectional      S [message <-> message <-> ...    <-> reply  ] R    both ends as above
///     send_overhead      S        <-- ready     S [message -->]         R
///     receive_overhead   S        <-- ready     S message -->   R waits, then R [receives]
///
/// Replies and ready messages are empty. Before a message of send_overhead R has posted its
/// receive; before that of receive_overhead is received R has stayed away from MPI for two round
/// trips, so that the message lies there.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mpi.h>

#include "espalier/measure/probe/message_memory.hpp"
#include "espalier/measure/probe/probe_plan.hpp"

namespace espalier::measure::probe {

/// One end of a pair in one step; the other end does the same at the same time.
class Exchange {
public:
  /// Refers to the memory. The rank is one of the pair's.
  Exchange(
      MPI_Comm comm,
      MessageMemory& memory,
      Pair const& pair,
      int rank,
      TestRequest const& test,
      std::int64_t bytes
  );

  /// Few messages of the same kind that are checked for what they contain.
  /// @throws Error mpi
  void prepare();

  /// @return the mean duration of a call in microseconds, at the end that measures.
  /// @throws Error mpi
  double sample_us(int calls);

  /// Which end of a pair measures the test.
  [[nodiscard]] static int measuring_rank(TestKind kind, Pair const& pair) noexcept {
    return kind == TestKind::receive_overhead ? pair.receiver : pair.sender;
  }

private:
  double call_us();
  void latency();
  void bandwidth();
  void bidirectional();
  double send_overhead_us();
  double receive_overhead_us();
  double round_trip_us();

  void send(int tag, std::size_t bytes);
  void receive(int tag, std::size_t bytes);
  MPI_Request start_receive(std::size_t slot);
  void post_receives();
  void wait_for_message(int index);

  MPI_Comm comm_;
  MessageMemory* memory_;
  TestKind kind_;
  bool is_sender_;
  int peer_;
  std::size_t bytes_;
  int messages_;
  std::vector<MPI_Request> requests_;
  double stay_away_us_ = 0.0;
  double clock_reading_us_;
};

}  // namespace espalier::measure::probe
