// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "shim/traffic/amounts.hpp"

namespace espalier::shim::traffic {

/// Who counted, and for how long.
struct Sender {
  int rank = 0;
  int num_ranks = 0;
  std::string host;
  std::string library_version;
};

/// The file of a rank (schema espalier-traffic).
[[nodiscard]] std::string
to_json(Sender const& sender, Amounts const& amounts, double seconds, bool is_finalized);

}  // namespace espalier::shim::traffic
