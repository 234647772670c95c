// SPDX-License-Identifier: Apache-2.0

/// @file
/// Arguments of espalier_order.h, checked. Everything here is local and throws plan::ClassError.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "include/espalier_order.h"

#include "espalier/capi/arguments.hpp"
#include "espalier/mapping/orders/tree_choice.hpp"

namespace espalier::capi {

/// What espalier_order_create() was asked for.
struct OrderCall {
  mapping::TreeCollective collective = mapping::TreeCollective::scatter;
  int root = 0;
  std::int64_t bytes = 0;
  std::string order = "best";
  std::string machine;  ///< empty: the variable
  std::string memory;   ///< empty: the usual file; "off"
  double measure_seconds = 0.1;
  int num_trial_calls = 0;

  [[nodiscard]] Fingerprint fingerprint() const;
};

/// @throws of the class MPI_ERR_ARG for another name.
[[nodiscard]] mapping::TreeCollective checked_collective(char const* name);

/// @throws of the class MPI_ERR_COUNT unless it is 1 .. 2^31-1.
[[nodiscard]] std::int64_t checked_bytes(std::size_t bytes);

/// As the program passed them.
struct OrderArguments {
  char const* collective;
  int root;
  std::size_t bytes;
  espalier_order_options const* options;
};

[[nodiscard]] OrderCall checked(OrderArguments const& arguments, int num_ranks);

}  // namespace espalier::capi
