// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/ucx/ucx_peer.hpp"

#include <utility>

#include "espalier/onesided/remote.hpp"
#include "espalier/onesided/ucx/ucx_library.hpp"

namespace espalier::onesided {
namespace {

/// Bytes.
constexpr ucp_request_param_t plain{};

/// @param watched  the rank at the other end, if its failures are wanted
ucp_ep_h make_endpoint(UcxWorker& worker, UcxContact const& contact, int const* watched) {
  ucp_ep_params_t parameters{};
  parameters.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  parameters.address = reinterpret_cast<ucp_address_t const*>(contact.address.data());
  if (watched != nullptr) {
    parameters.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
    parameters.err_mode = UCP_ERR_HANDLING_MODE_PEER;
    parameters.err_handler = worker.watch(*watched);
  }
  ucp_ep_h endpoint = nullptr;
  require_ucx(ucx().ucp_ep_create(worker.get(), &parameters, &endpoint), "ucp_ep_create");
  return endpoint;
}

}  // namespace

UcxPeer::UcxPeer(UcxWorker& worker, int rank, UcxContact const& contact, bool is_watched)
    : base_(contact.base), endpoint_(make_endpoint(worker, contact, is_watched ? &rank : nullptr)) {
  require_ucx(ucx().ucp_ep_rkey_unpack(endpoint_, contact.key.data(), &key_), "ucp_ep_rkey_unpack");
}

UcxPeer::~UcxPeer() {
  if (key_ != nullptr) {
    ucx().ucp_rkey_destroy(key_);
  }
}

UcxRequest UcxPeer::put(std::uint64_t offset, void const* from, std::size_t num_bytes) {
  UcxRequest request(
      ucx().ucp_put_nbx(endpoint_, from, num_bytes, base_ + offset, key_, &plain), "ucp_put_nbx"
  );
  ++started_;
  return request;
}

UcxRequest UcxPeer::get(void* to, std::uint64_t offset, std::size_t num_bytes) {
  return {ucx().ucp_get_nbx(endpoint_, to, num_bytes, base_ + offset, key_, &plain), "ucp_get_nbx"};
}

void UcxPeer::post_get(void* to, std::uint64_t offset, std::size_t num_bytes) {
  (void)get(to, offset, num_bytes);
  ++started_;
}

UcxRequest UcxPeer::add(std::uint64_t offset, std::uint64_t const* amount) {
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE;
  parameters.datatype = ucp_dt_make_contig(counter_bytes);
  return {
      ucx().ucp_atomic_op_nbx(
          endpoint_, UCP_ATOMIC_OP_ADD, amount, 1, base_ + offset, key_, &parameters
      ),
      "ucp_atomic_op_nbx"
  };
}

UcxRequest
UcxPeer::send(unsigned id, std::span<std::byte const> header, std::span<std::byte const> payload) {
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  parameters.flags = UCP_AM_SEND_FLAG_EAGER;
  return {
      ucx().ucp_am_send_nbx(
          endpoint_, id, header.data(), header.size(), payload.data(), payload.size(), &parameters
      ),
      "ucp_am_send_nbx"
  };
}

bool UcxPeer::has_landed(std::uint64_t number) {
  if (flushed_ < number && is_flushed() && flushed_ < number) {
    flush_ = UcxRequest(ucx().ucp_ep_flush_nbx(endpoint_, &plain), "ucp_ep_flush_nbx");
    flushing_ = started_;
    (void)is_flushed();
  }
  return flushed_ >= number;
}

/// Where the flush has failed, nothing counts as flushed.
bool UcxPeer::is_flushed() {
  std::uint64_t const number = std::exchange(flushing_, flushed_);
  bool const result = flush_.is_over();
  (result ? flushed_ : flushing_) = number;
  return result;
}

void UcxPeer::close() {
  ucx().ucp_rkey_destroy(std::exchange(key_, nullptr));
  flush_ = UcxRequest(ucx().ucp_ep_close_nbx(endpoint_, &plain), "ucp_ep_close_nbx");
}

}  // namespace espalier::onesided
