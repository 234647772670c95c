// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/ucx/ucx_request.hpp"

#include "espalier/base/format.hpp"
#include "espalier/onesided/ucx/ucx_library.hpp"

namespace espalier::onesided {

Error ucx_error(ucs_status_t status, std::string const& what) {
  ErrorCode code = ErrorCode::io;
  if (status == UCS_ERR_NO_MEMORY) {
    code = ErrorCode::no_memory;
  } else if (status == UCS_ERR_UNSUPPORTED || status == UCS_ERR_NO_DEVICE) {
    code = ErrorCode::unsupported;
  }
  return {code, formatted("{} failed: {}", what, ucx().ucs_status_string(status))};
}

void require_ucx(ucs_status_t status, char const* call) {
  if (status != UCS_OK) [[unlikely]] {
    throw ucx_error(status, call);
  }
}

UcxRequest::UcxRequest(ucs_status_ptr_t returned, char const* call) : call_(call) {
  if (UCS_PTR_IS_ERR(returned)) [[unlikely]] {
    throw ucx_error(UCS_PTR_STATUS(returned), call);
  }
  request_ = returned;
}

UcxRequest::~UcxRequest() {
  if (request_ != nullptr) {
    ucx().ucp_request_free(request_);
  }
}

bool UcxRequest::has_ended() noexcept {
  if (request_ != nullptr && ucx().ucp_request_check_status(request_) != UCS_INPROGRESS) {
    ucx().ucp_request_free(std::exchange(request_, nullptr));
  }
  return request_ == nullptr;
}

bool UcxRequest::ask() {
  ucs_status_t const status = ucx().ucp_request_check_status(request_);
  if (!has_ended()) {
    return false;
  }
  require_ucx(status, call_);
  return true;
}

}  // namespace espalier::onesided
