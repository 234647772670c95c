// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/ucx/ucx_mailbox.hpp"

#include <cstring>
#include <utility>

#include "espalier/onesided/ucx/ucx_library.hpp"
#include "espalier/onesided/ucx/ucx_request.hpp"

namespace espalier::onesided {
namespace {

/// Numbers of the kinds of active message in UCX.
constexpr unsigned request_id = 0;
constexpr unsigned reply_id = 1;
constexpr unsigned credits_id = 2;

/// A rank that has sent all it may has at least as many of its credits on the way back or at work.
constexpr std::uint32_t worth_a_message = UcxMailbox::num_credits / 2;

void set_handler(ucp_worker_h worker, unsigned id, ucp_am_recv_callback_t callback, void* self) {
  ucp_am_handler_param_t parameters{};
  parameters.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                          UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  parameters.id = id;
  parameters.flags = UCP_AM_FLAG_WHOLE_MSG | UCP_AM_FLAG_PERSISTENT_DATA;
  parameters.cb = callback;
  parameters.arg = self;
  require_ucx(
      ucx().ucp_worker_set_am_recv_handler(worker, &parameters), "ucp_worker_set_am_recv_handler"
  );
}

}  // namespace

UcxMailbox::UcxMailbox(UcxWorker& worker, int rank, int num_ranks)
    : worker_(worker), rank_(static_cast<std::uint32_t>(rank)),
      requests_(static_cast<std::size_t>(num_ranks) * num_credits),
      replies_(static_cast<std::size_t>(num_ranks) * num_credits),
      accounts_(static_cast<std::size_t>(num_ranks)) {
  creditors_.reserve(accounts_.size());
  set_handler(worker.get(), request_id, on_mail<&UcxMailbox::requests_>, this);
  set_handler(worker.get(), reply_id, on_mail<&UcxMailbox::replies_>, this);
  set_handler(worker.get(), credits_id, on_credits, this);
}

/// Messages that nobody took are lost, but their memory belongs to UCX.
UcxMailbox::~UcxMailbox() {
  for (UcxRing* const ring : {&requests_, &replies_}) {
    while (!ring->is_empty()) {
      if (UcxMail const mail = ring->pop(); mail.payload != nullptr) {
        ucx().ucp_am_data_release(worker_.get(), mail.payload);
      }
    }
  }
}

/// What finds no place was sent without a credit.
template <UcxRing UcxMailbox::*ring>
ucs_status_t UcxMailbox::on_mail(
    void* self,
    void const* header,
    std::size_t /*header_bytes*/,
    void* payload,
    std::size_t num_bytes,
    ucp_am_recv_param_t const* /*parameters*/
) noexcept {
  auto& mailbox = *static_cast<UcxMailbox*>(self);
  UcxMail mail;
  std::memcpy(&mail.header, header, sizeof mail.header);
  mail.payload = num_bytes > 0 ? static_cast<std::byte*>(payload) : nullptr;
  if (!(mailbox.*ring).push(mail)) {
    mailbox.worker_.fail(static_cast<int>(mail.header.source), UCS_ERR_EXCEEDS_LIMIT);
    return UCS_OK;
  }
  return num_bytes > 0 ? UCS_INPROGRESS : UCS_OK;
}

ucs_status_t UcxMailbox::on_credits(
    void* self,
    void const* header,
    std::size_t /*header_bytes*/,
    void* /*payload*/,
    std::size_t /*num_bytes*/,
    ucp_am_recv_param_t const* /*parameters*/
) noexcept {
  Credits returned{};
  std::memcpy(&returned, header, sizeof returned);
  static_cast<UcxMailbox*>(self)->accounts_[returned[0]].num_left +=
      static_cast<std::uint32_t>(returned[1]);
  return UCS_OK;
}

bool UcxMailbox::has_room(int rank, bool is_reply) {
  if (is_reply) {
    return reply_outbox_.has_room();
  }
  return accounts_[static_cast<std::size_t>(rank)].num_left > 0 && request_outbox_.has_room();
}

void UcxMailbox::send(
    int rank, bool is_reply, UcxMailHeader header, std::span<std::byte const> payload
) {
  auto const to = static_cast<std::size_t>(rank);
  header.source = rank_;
  if (is_reply) {
    reply_outbox_.send(*(*peers_)[to], reply_id, header, payload);
    has_replied_ = true;
  } else {
    --accounts_[to].num_left;
    request_outbox_.send(*(*peers_)[to], request_id, header, payload);
  }
}

bool UcxMailbox::is_empty() {
  bool result = request_outbox_.is_empty() && reply_outbox_.is_empty();
  for (Account& account : accounts_) {
    result = account.request.is_over() && result;
  }
  return result;
}

bool UcxMailbox::has_mail() {
  return !replies_.is_empty() || (!requests_.is_empty() && reply_outbox_.has_room());
}

UcxMailbox::Taken::Taken(UcxMailbox& mailbox)
    : mailbox_(mailbox), is_reply_(!mailbox.replies_.is_empty()),
      mail_((is_reply_ ? mailbox.replies_ : mailbox.requests_).pop()) {
  mailbox_.has_replied_ = false;
}

UcxMailbox::Taken::~Taken() {
  if (mail_.payload != nullptr) {
    ucx().ucp_am_data_release(mailbox_.worker_.get(), mail_.payload);
  }
  Account& account = mailbox_.accounts_[mail_.header.source];
  if (is_reply_) {
    ++account.num_left;
  } else if (!mailbox_.has_replied_) {
    if (++account.num_owed == worth_a_message) {
      mailbox_.creditors_.push_back(mail_.header.source);
    }
  }
}

void UcxMailbox::return_credits() {
  if (!creditors_.empty()) [[unlikely]] {
    std::erase_if(creditors_, [this](std::size_t rank) { return return_credits(rank); });
  }
}

bool UcxMailbox::return_credits(std::size_t rank) {
  Account& account = accounts_[rank];
  if (!account.request.is_over()) {
    return false;
  }
  account.returned = {rank_, std::exchange(account.num_owed, 0)};
  account.request =
      (*peers_)[rank]->send(credits_id, std::as_bytes(std::span(account.returned)), {});
  return true;
}

}  // namespace espalier::onesided
