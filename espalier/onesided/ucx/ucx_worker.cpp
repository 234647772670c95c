// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/ucx/ucx_worker.hpp"

#include "espalier/base/format.hpp"
#include "espalier/onesided/lines.hpp"
#include "espalier/onesided/ucx/ucx_request.hpp"

namespace espalier::onesided {
namespace {

constexpr char const* prefix_of_settings = "ESPALIER";

ucp_context_h make_context() {
  ucp_config_t* config = nullptr;
  require_ucx(ucx().ucp_config_read(prefix_of_settings, nullptr, &config), "ucp_config_read");
  ucp_params_t parameters{};
  parameters.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME;
  parameters.features = UCP_FEATURE_RMA | UCP_FEATURE_AMO64 | UCP_FEATURE_AM;
  parameters.name = "espalier";
  ucp_context_h context = nullptr;
  ucs_status_t const status =
      ucx().ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &parameters, config, &context);
  ucx().ucp_config_release(config);
  require_ucx(status, "ucp_init");
  return context;
}

/// Payloads lie on cache lines, as in the other conduits.
ucp_worker_h make_worker(ucp_context_h context) {
  ucp_worker_params_t parameters{};
  parameters.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_AM_ALIGNMENT;
  parameters.thread_mode = UCS_THREAD_MODE_SINGLE;
  parameters.am_alignment = line_bytes;
  ucp_worker_h worker = nullptr;
  require_ucx(ucx().ucp_worker_create(context, &parameters, &worker), "ucp_worker_create");
  return worker;
}

std::size_t largest_header(ucp_worker_h worker) {
  ucp_worker_attr_t attributes{};
  attributes.field_mask = UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER;
  require_ucx(ucx().ucp_worker_query(worker, &attributes), "ucp_worker_query");
  return attributes.max_am_header;
}

}  // namespace

UcxWorker::UcxWorker() : context_(make_context()), worker_(make_worker(context_.get())) {
  std::size_t const found = largest_header(worker_.get());
  if (found < header_bytes) {
    throw Error(
        ErrorCode::unsupported,
        formatted(
            "expected a network whose messages have headers of {} bytes, got {} bytes; "
            "UCX_TLS names others, for this conduit alone with ESPALIER_ before it",
            header_bytes,
            found
        )
    );
  }
}

std::vector<std::byte> UcxWorker::address() const {
  ucp_address_t* address = nullptr;
  std::size_t num_bytes = 0;
  require_ucx(ucx().ucp_worker_get_address(get(), &address, &num_bytes), "ucp_worker_get_address");
  auto const* const bytes = reinterpret_cast<std::byte const*>(address);
  std::vector<std::byte> copy(bytes, bytes + num_bytes);
  ucx().ucp_worker_release_address(get(), address);
  return copy;
}

ucp_err_handler_t UcxWorker::watch(int rank) {
  return {.cb = on_failure, .arg = &watches_.emplace_back(Watch{.worker = this, .rank = rank})};
}

void UcxWorker::on_failure(void* watch, ucp_ep_h /*endpoint*/, ucs_status_t status) noexcept {
  auto const& watched = *static_cast<Watch*>(watch);
  watched.worker->fail(watched.rank, status);
}

void UcxWorker::fail(int rank, ucs_status_t status) {
  if (!failure_) {
    failure_ = ucx_error(status, formatted("the connection to rank {}", rank));
  }
}

}  // namespace espalier::onesided
