// SPDX-License-Identifier: Apache-2.0

/// @file
/// Puts, gets and counters of espalier_onesided.h.

#include <cstdint>
#include <utility>

#include "espalier/capi/arguments.hpp"
#include "espalier/capi/onesided/conduit_object.hpp"
#include "espalier/capi/onesided/ordinary_memory.hpp"

namespace {

using espalier::capi::check_pointer;
using espalier::onesided::Handle;
using espalier::onesided::Raise;
using espalier::onesided::Remote;

/// The place that a put writes to. Refuses data of a device.
Remote target(
    espalier_conduit const& conduit, void const* from, espalier_remote to, std::uint64_t num_bytes
) {
  espalier::capi::require_ordinary(conduit.devices, from, "from");
  return conduit.places.remote("put", to, num_bytes);
}

/// The place that a get reads. Refuses to put data into the memory of a device.
Remote
source(espalier_conduit const& conduit, void* to, espalier_remote from, std::uint64_t num_bytes) {
  espalier::capi::require_ordinary(conduit.devices, to, "to");
  return conduit.places.remote("get", from, num_bytes);
}

/// A put that raises a counter of its target.
/// @param raise  at the offset that the program names
Handle start_raising(
    espalier_conduit& conduit,
    void const* from,
    std::uint64_t num_bytes,
    espalier_remote to,
    Raise const& raise
) {
  auto const place = target(conduit, from, to, num_bytes);
  auto const raised = conduit.places.counter({.rank = to.rank, .offset = raise.offset});
  return conduit.conduit->start_put_raising(
      place, from, num_bytes, {.offset = raised.offset, .amount = raise.amount}
  );
}

/// Until it is over, as its blocking form.
void finish(espalier_conduit& conduit, Handle handle) {
  conduit.wait([&] { return conduit.conduit->test(handle); });
}

}  // namespace

using espalier::capi::on;

extern "C" {

int espalier_put(
    void const* from, uint64_t num_bytes, espalier_remote to, espalier_conduit* conduit
) {
  return on(conduit, [&](espalier_conduit& self) {
    finish(self, self.conduit->start_put(target(self, from, to, num_bytes), from, num_bytes));
  });
}

int espalier_get(void* to, uint64_t num_bytes, espalier_remote from, espalier_conduit* conduit) {
  return on(conduit, [&](espalier_conduit& self) {
    finish(self, self.conduit->start_get(to, source(self, to, from, num_bytes), num_bytes));
  });
}

int espalier_put_signal(
    void const* from,
    uint64_t num_bytes,
    espalier_remote to,
    uint64_t counter,
    uint64_t amount,
    espalier_conduit* conduit
) {
  return on(conduit, [&](espalier_conduit& self) {
    Raise const raise{.offset = counter, .amount = amount};
    finish(self, start_raising(self, from, num_bytes, to, raise));
  });
}

int espalier_start_put(
    void const* from,
    uint64_t num_bytes,
    espalier_remote to,
    espalier_conduit* conduit,
    espalier_transfer* transfer
) {
  return on(conduit, [&](espalier_conduit& self) {
    check_pointer(transfer, "transfer");
    auto const place = target(self, from, to, num_bytes);
    *transfer = self.transfers.add(self.conduit->start_put(place, from, num_bytes));
  });
}

int espalier_start_get(
    void* to,
    uint64_t num_bytes,
    espalier_remote from,
    espalier_conduit* conduit,
    espalier_transfer* transfer
) {
  return on(conduit, [&](espalier_conduit& self) {
    check_pointer(transfer, "transfer");
    auto const place = source(self, to, from, num_bytes);
    *transfer = self.transfers.add(self.conduit->start_get(to, place, num_bytes));
  });
}

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_start_put_signal(
    void const* from,
    uint64_t num_bytes,
    espalier_remote to,
    uint64_t counter,
    uint64_t amount,
    espalier_conduit* conduit,
    espalier_transfer* transfer
) {
  return on(conduit, [&](espalier_conduit& self) {
    check_pointer(transfer, "transfer");
    Raise const raise{.offset = counter, .amount = amount};
    *transfer = self.transfers.add(start_raising(self, from, num_bytes, to, raise));
  });
}

int espalier_transfer_test(
    espalier_conduit* conduit, espalier_transfer* transfer, int* is_complete
) {
  return on(conduit, [&](espalier_conduit& self) {
    check_pointer(transfer, "transfer");
    check_pointer(is_complete, "is_complete");
    bool const is_over = self.conduit->test(self.transfers.at(*transfer));
    if (is_over) {
      self.transfers.remove(*transfer);
    }
    *is_complete = is_over ? 1 : 0;
  });
}

int espalier_transfer_wait(espalier_conduit* conduit, espalier_transfer* transfer) {
  return on(conduit, [&](espalier_conduit& self) {
    check_pointer(transfer, "transfer");
    Handle& handle = self.transfers.at(*transfer);
    self.wait([&] { return self.conduit->test(handle); });
    self.transfers.remove(*transfer);
  });
}

int espalier_transfer_test_local(
    espalier_conduit* conduit, espalier_transfer* transfer, int* is_complete
) {
  return on(conduit, [&](espalier_conduit& self) {
    check_pointer(transfer, "transfer");
    check_pointer(is_complete, "is_complete");
    *is_complete = self.conduit->test_local(self.transfers.at(*transfer)) ? 1 : 0;
  });
}

int espalier_transfer_wait_local(espalier_conduit* conduit, espalier_transfer* transfer) {
  return on(conduit, [&](espalier_conduit& self) {
    check_pointer(transfer, "transfer");
    Handle& handle = self.transfers.at(*transfer);
    self.wait([&] { return self.conduit->test_local(handle); });
  });
}

int espalier_post_put(
    void const* from, uint64_t num_bytes, espalier_remote to, espalier_conduit* conduit
) {
  return on(conduit, [&](espalier_conduit& self) {
    self.conduit->post_put(target(self, from, to, num_bytes), from, num_bytes);
  });
}

int espalier_post_get(
    void* to, uint64_t num_bytes, espalier_remote from, espalier_conduit* conduit
) {
  return on(conduit, [&](espalier_conduit& self) {
    self.conduit->post_get(to, source(self, to, from, num_bytes), num_bytes);
  });
}

int espalier_post_put_signal(
    void const* from,
    uint64_t num_bytes,
    espalier_remote to,
    uint64_t counter,
    uint64_t amount,
    espalier_conduit* conduit
) {
  return on(conduit, [&](espalier_conduit& self) {
    // A handle that is dropped leaves the put to the fence.
    static_cast<void>(
        start_raising(self, from, num_bytes, to, {.offset = counter, .amount = amount})
    );
  });
}

int espalier_fence(espalier_conduit* conduit) {
  return on(conduit, [](espalier_conduit& self) {
    self.wait([&] { return self.conduit->test_fence(); });
  });
}

int espalier_signal(espalier_remote counter, uint64_t amount, espalier_conduit* conduit) {
  return on(conduit, [&](espalier_conduit& self) {
    auto const place = self.places.counter(counter);
    if (!self.conduit->begin_signal(place, amount)) {
      self.wait([&] { return self.conduit->begin_signal(place, amount); });
    }
  });
}

int espalier_counter(espalier_conduit* conduit, uint64_t offset, uint64_t* value) {
  return espalier::capi::on_inside(conduit, [&](espalier_conduit& self) {
    check_pointer(value, "value");
    auto const place = self.places.counter({.rank = self.conduit->rank(), .offset = offset});
    *value = self.conduit->counter(place.offset);
  });
}

int espalier_await(espalier_conduit* conduit, uint64_t offset, uint64_t at_least) {
  return on(conduit, [&](espalier_conduit& self) {
    auto const place = self.places.counter({.rank = self.conduit->rank(), .offset = offset});
    self.wait([&] { return self.conduit->counter(place.offset) >= at_least; });
  });
}

}  // extern "C"
