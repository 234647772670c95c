// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::machine {

/// What a core does in its memory while no other does anything; 0: in no time.
struct Speed {
  double per_combined_byte = 0;  ///< seconds per byte of the result of a reduction
  double per_copied_byte = 0;    ///< seconds per byte that is copied

  friend bool operator==(Speed const&, Speed const&) = default;
};

}  // namespace espalier::machine
