// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mpi.h>

#include "espalier/mapping/orders/level_scan.hpp"
#include "espalier/mpi/own_communicator.hpp"

namespace espalier::plan {

/// Times of messages there and back between ranks, as rank 0 asks for them.
///
///     rank 0    task -> 2 and 5                    <- 41.3 us      task -> ..
///     rank 2            [message ->      <- message] ..
///     rank 5                      message  message   ..
///
/// Only pairs that were asked for together have messages at the same time.
class RoundTrips {
public:
  /// Collective. Has a message in, and one out, on every rank.
  /// @throws Error no_memory on all ranks if one has none left; mpi.
  RoundTrips(mpi::OwnCommunicator const& own, std::int64_t bytes);

  /// How often each pair of a set repeats its round trip, after one that is not counted.
  struct Repetitions {
    int count = 0;        ///< 0: as the next two say
    double share_us = 0;  ///< as often as fits into this time, by the first round trip
    int most = 9;
    /// The answer is empty: pairs at once then load one direction only, as a step of a tree does.
    /// Full answers of one pair would pass in the gaps of another.
    bool is_one_way = false;
  };

  /// Median round trip of each pair in microseconds, the shorter one of two. On rank 0, while the
  /// others serve; each rank is in one pair at most.
  /// @throws Error mpi.
  [[nodiscard]] std::vector<double>
  measure(std::span<mapping::RankPair const> pairs, Repetitions const& repetitions);

  /// On rank 0, once: the others are done.
  void stop();

  /// On the others: takes part until rank 0 says stop.
  void serve();

private:
  /// What rank 0 says to both ends of a pair.
  struct Task {
    int peer;  ///< negative: stop
    int is_first;
    int count;
    int most;
    int is_one_way;
    double share_us;
  };

  static constexpr Task nothing{
      .peer = -1, .is_first = 0, .count = 0, .most = 0, .is_one_way = 0, .share_us = 0
  };

  void send_task(int rank, Task const& task);
  double take_part(Task const& task);
  void send_message(int peer, std::size_t bytes);
  void receive_message(int peer, std::size_t bytes);
  void answer(int peer, std::size_t answer_bytes);
  double round_trip_us(int peer, std::size_t answer_bytes);

  mpi::OwnCommunicator const* own_;
  std::vector<std::byte> outgoing_;
  std::vector<std::byte> incoming_;
};

}  // namespace espalier::plan
