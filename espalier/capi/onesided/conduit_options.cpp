// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/conduit_options.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"

namespace espalier::capi {
namespace {

constexpr std::uint64_t most_scratch_bytes = std::numeric_limits<std::uint64_t>::max() / 4;

[[noreturn]] void refuse_conduit_options(std::string const& text) {
  throw Error(ErrorCode::argument, text);
}

/// What programs have that were compiled before there were handlers.
constexpr std::size_t size_without_handlers = offsetof(espalier_conduit_options, handlers);

void read_handlers(espalier_conduit_options const& given, ConduitOptions& options) {
  if (given.num_handlers < 0) {
    refuse_conduit_options(
        formatted("expected num_handlers of at least 0, got {}", given.num_handlers)
    );
  }
  if (given.num_handlers > 0 && given.handlers == nullptr) {
    refuse_conduit_options(
        formatted("expected a list of {} handlers, got no list", given.num_handlers)
    );
  }
  options.handlers.assign(given.handlers, given.handlers + given.num_handlers);
  if (std::ranges::find(options.handlers, nullptr) != options.handlers.end()) {
    refuse_conduit_options("expected handlers that are functions, got NULL among them");
  }
  options.context = given.context;
}

}  // namespace

ConduitOptions read(espalier_conduit_options const* given) {
  ConduitOptions options;
  if (given == nullptr) {
    return options;
  }
  bool const has_handlers = given->size == sizeof(espalier_conduit_options);
  if ((!has_handlers && given->size != size_without_handlers) || given->flags != 0) {
    refuse_conduit_options("expected options set by ESPALIER_CONDUIT_OPTIONS_INIT with flags 0");
  }
  if (has_handlers) {
    read_handlers(*given, options);
  }
  if (given->transport != nullptr) {
    options.transport = &onesided::transport_named(given->transport);
  }
  if (given->scratch_bytes != 0) {
    options.scratch_bytes = given->scratch_bytes;
  }
  if (options.scratch_bytes > most_scratch_bytes) {
    refuse_conduit_options(formatted(
        "expected at most {} scratch_bytes, got {}", most_scratch_bytes, options.scratch_bytes
    ));
  }
  return options;
}

Fingerprint fingerprint(ConduitOptions const& options) {
  Fingerprint result;
  result.add(options.transport == nullptr ? "" : std::string(options.transport->name));
  result.add(std::to_string(options.scratch_bytes));
  result.add(std::to_string(options.handlers.size()));
  return result;
}

}  // namespace espalier::capi
