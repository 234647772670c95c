// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>

#include "include/espalier_onesided.h"

namespace espalier::benchmarks {

using Request = std::unique_ptr<espalier_request, decltype([](espalier_request* request) {
                                  espalier_request_free(&request);
                                })>;

/// Memory of a collective, at the same places of all segments.
struct Buffers {
  std::byte* input = nullptr;
  std::byte* output = nullptr;
};

inline void run(Request const& request) {
  espalier_request_start(request.get());
  espalier_request_wait(request.get());
}

}  // namespace espalier::benchmarks
