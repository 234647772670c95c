// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/probe/exchange.hpp"

#include <algorithm>
#include <limits>

#include "espalier/measure/common/job.hpp"
#include "espalier/measure/probe/surroundings.hpp"
#include "espalier/measure/probe/tags.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure::probe {

Exchange::Exchange(
    MPI_Comm comm,
    MessageMemory& memory,
    Pair const& pair,
    int rank,
    TestRequest const& test,
    std::int64_t bytes
)
    : comm_(comm), memory_(&memory), kind_(test.kind), is_sender_(rank == pair.sender),
      peer_(is_sender_ ? pair.receiver : pair.sender), bytes_(static_cast<std::size_t>(bytes)),
      messages_(test.messages), requests_(num_slots(test, bytes)),
      clock_reading_us_(clock_reading_us()) {}

void Exchange::send(int tag, std::size_t bytes) {
  int const count = static_cast<int>(bytes);
  mpi::require_success(
      PMPI_Send(memory_->outgoing(), count, MPI_BYTE, peer_, tag, comm_), "MPI_Send"
  );
}

void Exchange::receive(int tag, std::size_t bytes) {
  int const count = static_cast<int>(bytes);
  std::byte* const place = memory_->incoming(0, bytes);
  mpi::require_success(
      PMPI_Recv(place, count, MPI_BYTE, peer_, tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv"
  );
}

MPI_Request Exchange::start_receive(std::size_t slot) {
  int const count = static_cast<int>(bytes_);
  std::byte* const place = memory_->incoming(slot, bytes_);
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::require_success(
      PMPI_Irecv(place, count, MPI_BYTE, peer_, tag_message, comm_, &request), "MPI_Irecv"
  );
  return request;
}

void Exchange::post_receives() {
  std::size_t const count = std::min(requests_.size(), static_cast<std::size_t>(messages_));
  for (std::size_t slot = 0; slot < count; ++slot) {
    requests_[slot] = start_receive(slot);
  }
}

/// The message of that number; its slot serves one of those that follow.
void Exchange::wait_for_message(int index) {
  std::size_t const slot = static_cast<std::size_t>(index) % requests_.size();
  mpi::require_success(PMPI_Wait(&requests_[slot], MPI_STATUS_IGNORE), "MPI_Wait");
  if (index + static_cast<int>(requests_.size()) < messages_) {
    requests_[slot] = start_receive(slot);
  }
}

void Exchange::latency() {
  if (is_sender_) {
    send(tag_message, bytes_);
    receive(tag_message, bytes_);
  } else {
    receive(tag_message, bytes_);
    send(tag_message, bytes_);
  }
}

void Exchange::bandwidth() {
  if (is_sender_) {
    for (int i = 0; i < messages_; ++i) {
      send(tag_message, bytes_);
    }
    receive(tag_reply, 0);
    return;
  }
  post_receives();
  for (int i = 0; i < messages_; ++i) {
    wait_for_message(i);
  }
  send(tag_reply, 0);
}

void Exchange::bidirectional() {
  post_receives();
  for (int i = 0; i < messages_; ++i) {
    send(tag_message, bytes_);
    wait_for_message(i);
  }
  send(tag_reply, 0);
  receive(tag_reply, 0);
}

double Exchange::send_overhead_us() {
  if (is_sender_) {
    receive(tag_ready, 0);
    double const start = now_us();
    send(tag_message, bytes_);
    return std::max(now_us() - start - clock_reading_us_, 0.0);
  }
  MPI_Request request = start_receive(0);
  send(tag_ready, 0);
  mpi::require_success(PMPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  return 0.0;
}

double Exchange::receive_overhead_us() {
  if (is_sender_) {
    receive(tag_ready, 0);
    send(tag_message, bytes_);
    return 0.0;
  }
  send(tag_ready, 0);
  stay_away_us(stay_away_us_);
  double const start = now_us();
  receive(tag_message, bytes_);
  return std::max(now_us() - start - clock_reading_us_, 0.0);
}

/// What one call adds to a sample; 0 where the whole sample is measured at once.
double Exchange::call_us() {
  switch (kind_) {
  case TestKind::latency:
    latency();
    return 0.0;
  case TestKind::bandwidth:
  case TestKind::message_rate:
    bandwidth();
    return 0.0;
  case TestKind::bidirectional:
    bidirectional();
    return 0.0;
  case TestKind::send_overhead:
    return send_overhead_us();
  case TestKind::receive_overhead:
    return receive_overhead_us();
  }
  return 0.0;
}

double Exchange::sample_us(int calls) {
  double const start = now_us();
  double sum_us = 0.0;
  for (int i = 0; i < calls; ++i) {
    sum_us += call_us();
  }
  double const whole_us = std::max(now_us() - start - clock_reading_us_, 0.0);
  return (is_overhead(kind_) ? sum_us : whole_us) / calls;
}

void Exchange::prepare() {
  int const all_messages = messages_;
  messages_ = static_cast<int>(requests_.size());
  for (std::size_t slot = 0; slot < requests_.size(); ++slot) {
    memory_->forget(slot, bytes_);
  }
  static_cast<void>(call_us());
  if (kind_ == TestKind::receive_overhead) {
    stay_away_us_ = 2 * round_trip_us();
  }
  bool const receives =
      !is_sender_ || kind_ == TestKind::latency || kind_ == TestKind::bidirectional;
  for (std::size_t slot = 0; receives && slot < requests_.size(); ++slot) {
    memory_->expect_message(slot, bytes_, peer_);
  }
  messages_ = all_messages;
}

/// Of a ready message and its answer, without staying away.
double Exchange::round_trip_us() {
  constexpr int num_trials = 3;
  double shortest_us = std::numeric_limits<double>::infinity();
  for (int i = 0; i < num_trials; ++i) {
    double const start = now_us();
    static_cast<void>(call_us());
    shortest_us = std::min(shortest_us, now_us() - start);
  }
  return shortest_us;
}

}  // namespace espalier::measure::probe
