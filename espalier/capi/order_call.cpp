// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/order_call.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "espalier/plan/failure.hpp"

namespace espalier::capi {
namespace {

using plan::ClassError;

void read(espalier_order_options const& given, OrderCall& call) {
  if (given.size != sizeof(espalier_order_options) || given.flags != 0) {
    throw ClassError(
        MPI_ERR_ARG, "expected options set by ESPALIER_ORDER_OPTIONS_INIT with flags 0"
    );
  }
  if (given.num_trial_calls < 0) {
    throw ClassError(
        MPI_ERR_ARG,
        "num_trial_calls must be at least 0, got " + std::to_string(given.num_trial_calls)
    );
  }
  if (!(given.measure_seconds >= 0) || !std::isfinite(given.measure_seconds)) {
    throw ClassError(
        MPI_ERR_ARG,
        "expected measure_seconds that are finite and >= 0, got " +
            std::to_string(given.measure_seconds)
    );
  }
  call.num_trial_calls = given.num_trial_calls;
  call.order = given.order == nullptr ? call.order : given.order;
  call.machine = given.machine == nullptr ? "" : given.machine;
  call.memory = given.memory == nullptr ? "" : given.memory;
  call.measure_seconds = given.measure_seconds == 0 ? call.measure_seconds : given.measure_seconds;
  mapping::check_order_name(call.order);
}

}  // namespace

Fingerprint OrderCall::fingerprint() const {
  Fingerprint fingerprint;
  std::array const numbers{
      static_cast<int>(collective), root, static_cast<int>(bytes), num_trial_calls
  };
  fingerprint.add(numbers);
  std::array const times{measure_seconds};
  fingerprint.add(times);
  fingerprint.add(order);
  fingerprint.add(machine);
  fingerprint.add(memory);
  return fingerprint;
}

mapping::TreeCollective checked_collective(char const* name) {
  check_pointer(name, "collective");
  return mapping::tree_collective(name);
}

std::int64_t checked_bytes(std::size_t bytes) {
  if (bytes < 1 || bytes > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw ClassError(
        MPI_ERR_COUNT, "expected bytes of 1 .. 2147483647, got " + std::to_string(bytes)
    );
  }
  return static_cast<std::int64_t>(bytes);
}

OrderCall checked(OrderArguments const& arguments, int num_ranks) {
  OrderCall call{
      .collective = checked_collective(arguments.collective),
      .root = arguments.root,
      .bytes = checked_bytes(arguments.bytes),
      .machine = "",
      .memory = "",
  };
  if (call.root < 0 || call.root >= num_ranks) {
    throw ClassError(
        MPI_ERR_ROOT,
        "expected a root of 0 .. " + std::to_string(num_ranks - 1) + ", got " +
            std::to_string(call.root)
    );
  }
  if (arguments.options != nullptr) {
    read(*arguments.options, call);
  }
  return call;
}

}  // namespace espalier::capi
