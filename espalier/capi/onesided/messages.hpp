// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "include/espalier_onesided.h"

#include "espalier/capi/onesided/conduit_options.hpp"
#include "espalier/onesided/message.hpp"

namespace espalier::capi {

/// The handlers of a program as those of a conduit. They refer to the object, which need not be
/// complete before one of them runs.
[[nodiscard]] std::vector<onesided::Handler>
handlers_of(espalier_conduit& conduit, ConduitOptions const& options);

}  // namespace espalier::capi
