// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <ucp/api/ucp.h>

#include "espalier/base/error.hpp"
#include "espalier/onesided/ucx/ucx_library.hpp"

namespace espalier::onesided {

/// A context of UCX with one worker, beside those that an MPI library may have in this process.
/// Settings are those of UCX: ESPALIER_UCX_TLS and so on where they are set, otherwise UCX_TLS.
class UcxWorker {
public:
  /// Bytes of a header that active messages can have.
  static constexpr std::size_t header_bytes = 64;

  /// @throws Error.
  UcxWorker();
  UcxWorker(UcxWorker const&) = delete;
  UcxWorker& operator=(UcxWorker const&) = delete;
  UcxWorker(UcxWorker&&) = delete;
  UcxWorker& operator=(UcxWorker&&) = delete;
  ~UcxWorker() = default;

  [[nodiscard]] ucp_context_h context() const noexcept { return context_.get(); }

  [[nodiscard]] ucp_worker_h get() const noexcept { return worker_.get(); }

  /// By which other ranks make an endpoint.
  /// @throws Error.
  [[nodiscard]] std::vector<std::byte> address() const;

  /// Moves what is underway, and takes what arrived. Never waits.
  void progress() noexcept { ucx().ucp_worker_progress(worker_.get()); }

  /// For an endpoint to a rank: its failure becomes one of the worker.
  [[nodiscard]] ucp_err_handler_t watch(int rank);

  /// Nothing more can come from this rank, or go there. The first failure stays.
  void fail(int rank, ucs_status_t status);

  [[nodiscard]] bool has_failed() const noexcept { return failure_.has_value(); }

  /// @throws Error if it has.
  void require_no_failure() const {
    if (failure_) [[unlikely]] {
      throw *failure_;
    }
  }

private:
  template <auto End> struct Ender {
    template <typename Handle> void operator()(Handle* handle) const noexcept {
      (ucx().*End)(handle);
    }
  };

  template <typename Handle, auto End>
  using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Ender<End>>;

  struct Watch {
    UcxWorker* worker;
    int rank;
  };

  static void on_failure(void* watch, ucp_ep_h endpoint, ucs_status_t status) noexcept;

  std::deque<Watch> watches_;  ///< which UCX points to
  std::optional<Error> failure_;
  Owned<ucp_context_h, &UcxLibrary::ucp_cleanup> context_;
  Owned<ucp_worker_h, &UcxLibrary::ucp_worker_destroy> worker_;
};

}  // namespace espalier::onesided
