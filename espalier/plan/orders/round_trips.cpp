// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/orders/round_trips.hpp"

#include <algorithm>
#include <string>

#include "espalier/mpi/success.hpp"
#include "espalier/plan/orders/room.hpp"

namespace espalier::plan {
namespace {

using mapping::RankPair;
using mpi::require_success;

constexpr int task_tag = 1;
constexpr int count_tag = 2;
constexpr int message_tag = 3;
constexpr int result_tag = 4;

}  // namespace

RoundTrips::RoundTrips(mpi::OwnCommunicator const& own, std::int64_t bytes) : own_(&own) {
  make_room(
      own,
      [&] {
        outgoing_.resize(static_cast<std::size_t>(bytes));
        incoming_.resize(static_cast<std::size_t>(bytes));
      },
      "two messages of " + std::to_string(bytes) +
          " bytes on every rank, to measure how long they take; give smaller ones"
  );
}

std::vector<double>
RoundTrips::measure(std::span<RankPair const> pairs, Repetitions const& repetitions) {
  Task own = nothing;
  for (RankPair const& pair : pairs) {
    for (int const rank : {pair.from, pair.to}) {
      bool const is_first = rank == pair.from;
      Task const task{
          .peer = is_first ? pair.to : pair.from,
          .is_first = is_first ? 1 : 0,
          .count = repetitions.count,
          .most = repetitions.most,
          .is_one_way = repetitions.is_one_way ? 1 : 0,
          .share_us = repetitions.share_us,
      };
      if (rank == 0) {
        own = task;
      } else {
        send_task(rank, task);
      }
    }
  }
  double const own_us = own.peer >= 0 ? take_part(own) : 0;
  std::vector<double> times;
  for (RankPair const& pair : pairs) {
    double us = own_us;
    if (pair.from != 0) {
      require_success(
          PMPI_Recv(&us, 1, MPI_DOUBLE, pair.from, result_tag, own_->get(), MPI_STATUS_IGNORE),
          "MPI_Recv"
      );
    }
    times.push_back(us);
  }
  return times;
}

void RoundTrips::stop() {
  for (int rank = 1; rank < own_->size(); ++rank) {
    send_task(rank, nothing);
  }
}

void RoundTrips::serve() {
  for (;;) {
    Task task{};
    require_success(
        PMPI_Recv(&task, sizeof task, MPI_BYTE, 0, task_tag, own_->get(), MPI_STATUS_IGNORE),
        "MPI_Recv"
    );
    if (task.peer < 0) {
      return;
    }
    double const us = take_part(task);
    if (task.is_first != 0) {
      require_success(PMPI_Send(&us, 1, MPI_DOUBLE, 0, result_tag, own_->get()), "MPI_Send");
    }
  }
}

void RoundTrips::send_task(int rank, Task const& task) {
  require_success(PMPI_Send(&task, sizeof task, MPI_BYTE, rank, task_tag, own_->get()), "MPI_Send");
}

/// @return the median round trip, at the first end.
double RoundTrips::take_part(Task const& task) {
  std::size_t const answer_bytes = task.is_one_way != 0 ? 0 : outgoing_.size();
  if (task.is_first == 0) {
    answer(task.peer, answer_bytes);
    int count = 0;
    require_success(
        PMPI_Recv(&count, 1, MPI_INT, task.peer, count_tag, own_->get(), MPI_STATUS_IGNORE),
        "MPI_Recv"
    );
    for (int i = 0; i < count; ++i) {
      answer(task.peer, answer_bytes);
    }
    return 0;
  }
  double const first_us = std::max(round_trip_us(task.peer, answer_bytes), 1e-3);
  double const fitting = std::clamp(task.share_us / first_us, 1.0, static_cast<double>(task.most));
  int const count = task.count > 0 ? task.count : static_cast<int>(fitting);
  require_success(PMPI_Send(&count, 1, MPI_INT, task.peer, count_tag, own_->get()), "MPI_Send");
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    times.push_back(std::max(round_trip_us(task.peer, answer_bytes), 1e-3));
  }
  // Few round trips of a rank that shares its processor take far too long, and none too little.
  auto const middle = times.begin() + (count - 1) / 2;
  std::ranges::nth_element(times, middle);
  return *middle;
}

void RoundTrips::send_message(int peer, std::size_t bytes) {
  int const count = static_cast<int>(bytes);
  require_success(
      PMPI_Send(outgoing_.data(), count, MPI_BYTE, peer, message_tag, own_->get()), "MPI_Send"
  );
}

void RoundTrips::receive_message(int peer, std::size_t bytes) {
  std::byte* const place = incoming_.data();
  int const count = static_cast<int>(bytes);
  require_success(
      PMPI_Recv(place, count, MPI_BYTE, peer, message_tag, own_->get(), MPI_STATUS_IGNORE),
      "MPI_Recv"
  );
}

void RoundTrips::answer(int peer, std::size_t answer_bytes) {
  receive_message(peer, incoming_.size());
  send_message(peer, answer_bytes);
}

double RoundTrips::round_trip_us(int peer, std::size_t answer_bytes) {
  double const start = PMPI_Wtime();
  send_message(peer, outgoing_.size());
  receive_message(peer, answer_bytes);
  return (PMPI_Wtime() - start) * 1e6;
}

}  // namespace espalier::plan
