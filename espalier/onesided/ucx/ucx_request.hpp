// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <utility>

#include <ucp/api/ucp.h>

#include "espalier/base/error.hpp"

namespace espalier::onesided {

/// What a failure of UCX is for callers: no memory, something that UCX cannot do here, or a
/// transfer that failed.
[[nodiscard]] Error ucx_error(ucs_status_t status, std::string const& what);

/// @throws Error with the name of the call and the text of UCX, unless status is UCS_OK.
void require_ucx(ucs_status_t status, char const* call);

/// What a nonblocking call of UCX returned: underway, or over. Freed with the object, which leaves
/// the operation itself alone: what it needs has to stay until a flush.
class UcxRequest {
public:
  /// Over.
  UcxRequest() = default;

  /// @throws Error if the call failed.
  UcxRequest(ucs_status_ptr_t returned, char const* call);

  UcxRequest(UcxRequest&& other) noexcept
      : request_(std::exchange(other.request_, nullptr)), call_(other.call_) {}

  UcxRequest& operator=(UcxRequest&& other) noexcept {
    std::swap(request_, other.request_);
    std::swap(call_, other.call_);
    return *this;
  }

  UcxRequest(UcxRequest const&) = delete;
  UcxRequest& operator=(UcxRequest const&) = delete;
  ~UcxRequest();

  /// Does not progress.
  /// @throws Error if the operation failed; then it is over.
  [[nodiscard]] bool is_over() { return request_ == nullptr || ask(); }

  /// Whether it is over, or failed.
  [[nodiscard]] bool has_ended() noexcept;

private:
  bool ask();

  void* request_ = nullptr;
  char const* call_ = "";
};

}  // namespace espalier::onesided
