// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/mpi/mpi_mailbox.hpp"

#include <cstring>

#include "espalier/base/error.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::onesided {

using mpi::require_success;

namespace {

/// Requests for which a rank may send more at once.
constexpr std::size_t num_given_back = MpiMailbox::num_buffers / 2;

}  // namespace

MpiMailbox::MpiMailbox(mpi::OwnCommunicator const& comm)
    : comm_(comm.get()), peers_(static_cast<std::size_t>(comm.size())) {
  replies_.tag = 1;
  for (Side* const side : {&requests_, &replies_}) {
    side->sends.fill(MPI_REQUEST_NULL);
    side->receives.fill(MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < num_buffers; ++i) {
      side->free_sends.push_back(i);
      require_success(post(*side, i), "MPI_Irecv");
    }
  }
}

MpiMailbox::~MpiMailbox() {
  for (Side* const side : {&requests_, &replies_}) {
    for (MPI_Request& receive : side->receives) {
      if (receive != MPI_REQUEST_NULL) {
        PMPI_Cancel(&receive);
        PMPI_Wait(&receive, MPI_STATUS_IGNORE);
      }
    }
  }
}

int MpiMailbox::post(Side& side, std::size_t index) noexcept {
  return PMPI_Irecv(
      &side.incoming[index],
      static_cast<int>(sizeof(Buffer)),
      MPI_BYTE,
      MPI_ANY_SOURCE,
      side.tag,
      comm_,
      &side.receives[index]
  );
}

void MpiMailbox::reclaim(Side& side) {
  int num_complete = 0;
  require_success(
      PMPI_Testsome(
          static_cast<int>(num_buffers),
          side.sends.data(),
          &num_complete,
          side.indices.data(),
          MPI_STATUSES_IGNORE
      ),
      "MPI_Testsome"
  );
  for (int i = 0; num_complete != MPI_UNDEFINED && i < num_complete; ++i) {
    auto const index = side.indices[static_cast<std::size_t>(i)];
    side.free_sends.push_back(static_cast<std::size_t>(index));
  }
}

bool MpiMailbox::has_buffer(Side& side) {
  if (side.free_sends.empty()) {
    reclaim(side);
  }
  return !side.free_sends.empty();
}

bool MpiMailbox::has_room_for_request(int rank) {
  return peers_[static_cast<std::size_t>(rank)].num_allowed > 0 && has_buffer(requests_);
}

bool MpiMailbox::has_room_for_reply() {
  return has_buffer(replies_);
}

void MpiMailbox::send(
    int rank, bool is_reply, MailHeader const& header, std::span<std::byte const> payload
) {
  Side& side = this->side(is_reply);
  std::size_t const index = side.free_sends.back();
  Buffer& buffer = side.outgoing[index];
  buffer.header = header;
  if (!payload.empty()) {
    std::memcpy(buffer.payload.data(), payload.data(), payload.size());
  }
  require_success(
      PMPI_Isend(
          &buffer,
          static_cast<int>(sizeof(MailHeader) + payload.size()),
          MPI_BYTE,
          rank,
          side.tag,
          comm_,
          &side.sends[index]
      ),
      "MPI_Isend"
  );
  side.free_sends.pop_back();
  Peer& peer = peers_[static_cast<std::size_t>(rank)];
  ++peer.num_sent;
  peer.num_allowed -= is_reply ? 0 : 1;
}

/// Receives complete in the order in which they were posted, as all of a side match the same
/// messages. One call looks at both sides: each lets all of MPI go on, which is what it costs.
MpiMailbox::Taken MpiMailbox::take(bool replies_only) {
  require_success(failure_, "MPI_Isend");
  while (true) {
    MPI_Request& reply = replies_.receives[replies_.next];
    MPI_Request& request = requests_.receives[requests_.next];
    if (reply == MPI_REQUEST_NULL || request == MPI_REQUEST_NULL) {
      throw Error(ErrorCode::mpi, "expected a receive for mail, but MPI had refused it");
    }
    std::array<MPI_Request, 2> heads{reply, request};
    int index = MPI_UNDEFINED;
    int is_there = 0;
    MPI_Status status;
    require_success(
        PMPI_Testany(replies_only ? 1 : 2, heads.data(), &index, &is_there, &status), "MPI_Testany"
    );
    if (is_there == 0) {
      return {};
    }
    ++num_taken_;
    bool const is_reply = index == 0;
    (is_reply ? reply : request) = MPI_REQUEST_NULL;
    int num_bytes = 0;
    require_success(PMPI_Get_count(&status, MPI_BYTE, &num_bytes), "MPI_Get_count");
    if (num_bytes > 0) {
      return {*this, is_reply, status.MPI_SOURCE};
    }
    peers_[static_cast<std::size_t>(status.MPI_SOURCE)].num_allowed += num_given_back;
    repost(replies_);
  }
}

void MpiMailbox::repost(Side& side) noexcept {
  post(side, side.next);
  side.next = (side.next + 1) % num_buffers;
}

void MpiMailbox::give_back(int source) noexcept {
  Peer& peer = peers_[static_cast<std::size_t>(source)];
  if (is_closed_ || ++peer.num_taken < num_given_back) {
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  int const code = PMPI_Isend(nullptr, 0, MPI_BYTE, source, replies_.tag, comm_, &request);
  if (code != MPI_SUCCESS) {
    failure_ = code;
    return;
  }
  PMPI_Request_free(&request);
  peer.num_taken = 0;
  ++peer.num_sent;
}

void MpiMailbox::close() {
  is_closed_ = true;
  for (Peer const& peer : peers_) {
    sent_by_rank_.push_back(peer.num_sent);
  }
  require_success(
      PMPI_Ireduce_scatter_block(
          sent_by_rank_.data(), &num_expected_, 1, MPI_UINT64_T, MPI_SUM, comm_, &closing_
      ),
      "MPI_Ireduce_scatter_block"
  );
}

bool MpiMailbox::has_ended() {
  int is_over = 0;
  require_success(PMPI_Test(&closing_, &is_over, MPI_STATUS_IGNORE), "MPI_Test");
  reclaim(requests_);
  reclaim(replies_);
  bool const has_left =
      requests_.free_sends.size() == num_buffers && replies_.free_sends.size() == num_buffers;
  return is_over != 0 && num_taken_ == num_expected_ && has_left;
}

MailHeader const& MpiMailbox::Taken::header() const noexcept {
  Side const& side = mailbox_->side(is_reply_);
  return side.incoming[side.next].header;
}

std::byte* MpiMailbox::Taken::payload() const noexcept {
  Side& side = mailbox_->side(is_reply_);
  return side.incoming[side.next].payload.data();
}

MpiMailbox::Taken::~Taken() {
  if (mailbox_ != nullptr) {
    mailbox_->repost(mailbox_->side(is_reply_));
    if (!is_reply_) {
      mailbox_->give_back(source_);
    }
  }
}

}  // namespace espalier::onesided
