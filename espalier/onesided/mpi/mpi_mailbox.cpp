// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/mpi/mpi_mailbox.hpp"

#include <cstring>

#include "espalier/base/error.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::onesided {

using mpi::require_success;

MpiMailbox::MpiMailbox(MPI_Comm comm) : comm_(comm) {
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

bool MpiMailbox::has_room(bool is_reply) {
  Side& side = this->side(is_reply);
  if (side.free_sends.empty()) {
    reclaim(side);
  }
  return !side.free_sends.empty();
}

bool MpiMailbox::is_empty() {
  bool result = true;
  for (Side* const side : {&requests_, &replies_}) {
    reclaim(*side);
    result = result && side->free_sends.size() == num_buffers;
  }
  return result;
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
      PMPI_Issend(
          &buffer,
          static_cast<int>(sizeof(MailHeader) + payload.size()),
          MPI_BYTE,
          rank,
          side.tag,
          comm_,
          &side.sends[index]
      ),
      "MPI_Issend"
  );
  side.free_sends.pop_back();
}

/// Receives complete in the order in which they were posted, as all of a side match the same
/// messages. One call looks at both sides: each lets all of MPI go on, which is what it costs.
MpiMailbox::Taken MpiMailbox::take(bool replies_only) {
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
  bool const is_reply = index == 0;
  (is_reply ? reply : request) = MPI_REQUEST_NULL;
  return {*this, is_reply, status.MPI_SOURCE};
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
    Side& side = mailbox_->side(is_reply_);
    mailbox_->post(side, side.next);
    side.next = (side.next + 1) % num_buffers;
  }
}

}  // namespace espalier::onesided
