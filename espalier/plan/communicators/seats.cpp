// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/seats.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "espalier/mpi/success.hpp"
#include "espalier/mpi/unused_tag.hpp"
#include "espalier/plan/communicators/private_comm.hpp"
#include "espalier/plan/communicators/underway.hpp"

namespace espalier::plan {

using mpi::OwnCommunicator;

struct Lane {
  OwnCommunicator comm;
  PlannedSlots slots{};
  std::array<std::vector<OwnCommunicator>, PlannedSlots::most> native{};  ///< by slot
};

namespace {

OwnCommunicator like(MPI_Comm user) {
  MPI_Comm made = MPI_COMM_NULL;
  mpi::require_success(make_private_comm(user, made), "MPI_Comm_create");
  return OwnCommunicator(made);
}

std::shared_ptr<Lane> make_lane(MPI_Comm user) {
  return std::make_shared<Lane>(Lane{.comm = like(user)});
}

}  // namespace

Seat::Seat(std::shared_ptr<Lane> lane, int slot) noexcept : lane_(std::move(lane)), slot_(slot) {}

Seat::~Seat() {
  if (lane_ != nullptr) {
    Underway::Turn const turn;
    lane_->slots.release(slot_);
  }
}

exec::MpiContext Seat::context() const noexcept {
  exec::MpiContext result(lane_->comm.get());
  result.num_tags = mpi::unused_tag() / PlannedSlots::most;
  result.first_tag = slot_ * result.num_tags;
  return result;
}

MPI_Comm Seat::native_comm() {
  auto const& comms = native_comms([](MPI_Comm lane) {
    std::vector<OwnCommunicator> one;
    one.push_back(like(lane));
    return one;
  });
  return comms.front().get();
}

std::vector<OwnCommunicator> const& Seat::native_comms(MakeNativeComms const& make) {
  auto& comms = lane_->native[static_cast<std::size_t>(slot_)];
  if (comms.empty()) {
    comms = make(lane_->comm.get());
  }
  return comms;
}

Seats::Seats(MPI_Comm user) : lanes_{make_lane(user)} {}

OwnCommunicator const& Seats::own() const noexcept {
  return lanes_.front()->comm;
}

Seat Seats::take() {
  for (auto const& lane : lanes_) {
    if (auto const slot = lane->slots.claim(lane->comm.get(), find_largest, true, 0)) {
      return {lane, *slot};
    }
  }
  auto const& lane = lanes_.emplace_back(make_lane(own().get()));
  // A new lane is free on all ranks.
  return {lane, lane->slots.claim(lane->comm.get(), find_largest, true, 0).value_or(0)};
}

}  // namespace espalier::plan
