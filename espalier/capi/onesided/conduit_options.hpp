// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "include/espalier_onesided.h"

#include "espalier/capi/arguments.hpp"
#include "espalier/onesided/transports/transports.hpp"

namespace espalier::capi {

/// espalier_conduit_options, checked and copied.
struct ConduitOptions {
  static constexpr std::uint64_t default_scratch_bytes = std::uint64_t{4} << 20U;

  onesided::Transport const* transport = nullptr;  ///< null: by where the ranks are
  std::uint64_t scratch_bytes = default_scratch_bytes;
  std::vector<espalier_handler*> handlers;
  void* context = nullptr;  ///< of the handlers
};

/// Local. @throws Error argument.
[[nodiscard]] ConduitOptions read(espalier_conduit_options const* given);

/// What has to be equal on all ranks.
[[nodiscard]] Fingerprint fingerprint(ConduitOptions const& options);

}  // namespace espalier::capi
