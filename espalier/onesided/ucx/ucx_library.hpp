// SPDX-License-Identifier: Apache-2.0

/// @file
/// The functions of UCX that the conduit calls. They are found when a conduit is attached, so that
/// nothing that programs load needs UCX: its headers are enough to build.

#pragma once

#include <ucp/api/ucp.h>

namespace espalier::onesided {

/// Each member has the name that its function has in libucp or libucs.
struct UcxLibrary {
  decltype(&::ucp_am_data_release) ucp_am_data_release;
  decltype(&::ucp_am_send_nbx) ucp_am_send_nbx;
  decltype(&::ucp_atomic_op_nbx) ucp_atomic_op_nbx;
  decltype(&::ucp_cleanup) ucp_cleanup;
  decltype(&::ucp_config_read) ucp_config_read;
  decltype(&::ucp_config_release) ucp_config_release;
  decltype(&::ucp_ep_close_nbx) ucp_ep_close_nbx;
  decltype(&::ucp_ep_create) ucp_ep_create;
  decltype(&::ucp_ep_flush_nbx) ucp_ep_flush_nbx;
  decltype(&::ucp_ep_rkey_unpack) ucp_ep_rkey_unpack;
  decltype(&::ucp_get_nbx) ucp_get_nbx;
  decltype(&::ucp_init_version) ucp_init_version;
  decltype(&::ucp_mem_map) ucp_mem_map;
  decltype(&::ucp_mem_query) ucp_mem_query;
  decltype(&::ucp_mem_unmap) ucp_mem_unmap;
  decltype(&::ucp_put_nbx) ucp_put_nbx;
  decltype(&::ucp_request_check_status) ucp_request_check_status;
  decltype(&::ucp_request_free) ucp_request_free;
  decltype(&::ucp_rkey_buffer_release) ucp_rkey_buffer_release;
  decltype(&::ucp_rkey_destroy) ucp_rkey_destroy;
  decltype(&::ucp_rkey_pack) ucp_rkey_pack;
  decltype(&::ucp_worker_create) ucp_worker_create;
  decltype(&::ucp_worker_destroy) ucp_worker_destroy;
  decltype(&::ucp_worker_get_address) ucp_worker_get_address;
  decltype(&::ucp_worker_progress) ucp_worker_progress;
  decltype(&::ucp_worker_query) ucp_worker_query;
  decltype(&::ucp_worker_release_address) ucp_worker_release_address;
  decltype(&::ucp_worker_set_am_recv_handler) ucp_worker_set_am_recv_handler;
  decltype(&::ucs_status_string) ucs_status_string;
};

/// Finds libucp, which is the one of MPI if that has loaded it. Does nothing if it has found it.
/// @throws Error unsupported with what the dynamic linker says.
void load_ucx();

namespace detail {
extern UcxLibrary const* ucx_library;
}

/// After load_ucx().
[[nodiscard]] inline UcxLibrary const& ucx() noexcept {
  return *detail::ucx_library;
}

}  // namespace espalier::onesided
