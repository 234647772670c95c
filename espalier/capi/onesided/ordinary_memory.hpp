// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

#include "espalier/plan/devices/device_memory.hpp"

namespace espalier::capi {

/// One-sided operations copy with the processor, which must not touch the memory of accelerators.
/// Whoever is at the other end does not know what kind of memory there is here, so it is an error.
/// Local.
/// @param address  null: nothing
/// @param name     of the argument
/// @param advice   what to do; empty: to copy it
/// @throws plan::ClassError of the class MPI_ERR_BUFFER.
void require_ordinary(
    plan::DeviceMemory const& devices,
    void const* address,
    std::string_view name,
    std::string_view advice = {}
);

}  // namespace espalier::capi
