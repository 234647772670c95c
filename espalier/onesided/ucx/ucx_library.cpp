// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/ucx/ucx_library.hpp"

#include <dlfcn.h>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"

namespace espalier::onesided {
namespace {

constexpr char const* name_of_library = "libucp.so.0";

[[noreturn]] void refuse() {
  char const* const reason = dlerror();  // NOLINT(concurrency-mt-unsafe): of this thread
  throw Error(
      ErrorCode::unsupported,
      formatted(
          "expected UCX 1.13 or later, found no {} ({}); install it (Debian: libucx0)",
          name_of_library,
          reason == nullptr ? "unknown reason" : reason
      )
  );
}

template <typename Function> void find(void* library, char const* name, Function*& function) {
  void* const address = dlsym(library, name);
  if (address == nullptr) {
    refuse();
  }
  function = reinterpret_cast<Function*>(address);
}

UcxLibrary loaded() {
  void* const library = dlopen(name_of_library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    refuse();
  }
  UcxLibrary found{};
  find(library, "ucp_am_data_release", found.ucp_am_data_release);
  find(library, "ucp_am_send_nbx", found.ucp_am_send_nbx);
  find(library, "ucp_atomic_op_nbx", found.ucp_atomic_op_nbx);
  find(library, "ucp_cleanup", found.ucp_cleanup);
  find(library, "ucp_config_read", found.ucp_config_read);
  find(library, "ucp_config_release", found.ucp_config_release);
  find(library, "ucp_ep_close_nbx", found.ucp_ep_close_nbx);
  find(library, "ucp_ep_create", found.ucp_ep_create);
  find(library, "ucp_ep_flush_nbx", found.ucp_ep_flush_nbx);
  find(library, "ucp_ep_rkey_unpack", found.ucp_ep_rkey_unpack);
  find(library, "ucp_get_nbx", found.ucp_get_nbx);
  find(library, "ucp_init_version", found.ucp_init_version);
  find(library, "ucp_mem_map", found.ucp_mem_map);
  find(library, "ucp_mem_query", found.ucp_mem_query);
  find(library, "ucp_mem_unmap", found.ucp_mem_unmap);
  find(library, "ucp_put_nbx", found.ucp_put_nbx);
  find(library, "ucp_request_check_status", found.ucp_request_check_status);
  find(library, "ucp_request_free", found.ucp_request_free);
  find(library, "ucp_rkey_buffer_release", found.ucp_rkey_buffer_release);
  find(library, "ucp_rkey_destroy", found.ucp_rkey_destroy);
  find(library, "ucp_rkey_pack", found.ucp_rkey_pack);
  find(library, "ucp_worker_create", found.ucp_worker_create);
  find(library, "ucp_worker_destroy", found.ucp_worker_destroy);
  find(library, "ucp_worker_get_address", found.ucp_worker_get_address);
  find(library, "ucp_worker_progress", found.ucp_worker_progress);
  find(library, "ucp_worker_query", found.ucp_worker_query);
  find(library, "ucp_worker_release_address", found.ucp_worker_release_address);
  find(library, "ucp_worker_set_am_recv_handler", found.ucp_worker_set_am_recv_handler);
  find(library, "ucs_status_string", found.ucs_status_string);
  return found;
}

}  // namespace

UcxLibrary const* detail::ucx_library = nullptr;

void load_ucx() {
  static UcxLibrary const library = loaded();
  detail::ucx_library = &library;
}

}  // namespace espalier::onesided
