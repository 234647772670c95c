// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <mpi.h>

#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/plan/devices/device_memory.hpp"
#include "espalier/plan/devices/spans.hpp"

namespace espalier::plan {

/// Memory of the processor in place of a span; none if the processor may touch that.
class StagedSpan {
public:
  /// Copies the whole span: what the call does not write must come back as it is.
  /// @throws Error unsupported, std::bad_alloc.
  StagedSpan(Span const& span, DeviceMemory const& devices) : span_(span) {
    if (!span.is_empty()) {
      holder_ = devices.holder(span.begin());
    }
    if (holder_ != nullptr) {
      memory_ = std::make_unique_for_overwrite<std::byte[]>(span.size());
      holder_->copy(memory_.get(), span.begin(), span.size());
    }
  }

  /// What MPI gets in place of an address of the user.
  template <typename Address> [[nodiscard]] Address in_place_of(Address address) const noexcept {
    if (holder_ == nullptr) {
      return address;
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the span may begin before or behind the address.
    return reinterpret_cast<Address>(
        reinterpret_cast<std::uintptr_t>(memory_.get()) - static_cast<std::uintptr_t>(span_.first)
    );
  }

  /// @throws Error unsupported.
  void put_back() const {
    if (holder_ != nullptr) {
      holder_->copy(span_.begin(), memory_.get(), span_.size());
    }
  }

private:
  Span span_;
  DeviceRuntime const* holder_ = nullptr;
  std::unique_ptr<std::byte[]> memory_;
};

/// A call with memory of the processor in place of that of devices. Local.
template <typename Call> class Staged {
public:
  /// @throws Error mpi, Error unsupported, std::bad_alloc.
  Staged(Call const& call, CommunicatorFacts const& facts, DeviceMemory const& devices)
      : call_(call), sent_(sent_span(call, facts), devices),
        received_(received_span(call, facts), devices) {
    if constexpr (requires { call_.buffer; }) {
      call_.buffer = received_.in_place_of(call_.buffer);
    } else if constexpr (requires { call_.recvbuf; }) {
      call_.sendbuf = sent_.in_place_of(call_.sendbuf);
      call_.recvbuf = received_.in_place_of(call_.recvbuf);
    }
  }

  [[nodiscard]] Call const& call() const noexcept { return call_; }

  /// After the call. @throws Error unsupported.
  void put_back() const { received_.put_back(); }

private:
  Call call_;
  StagedSpan sent_;
  StagedSpan received_;
};

}  // namespace espalier::plan
