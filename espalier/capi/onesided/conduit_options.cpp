// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/conduit_options.hpp"

#include <limits>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/exec/node/mpi_shared_memory.hpp"
#include "espalier/onesided/mpi/mpi_attachment.hpp"

namespace espalier::capi {
namespace {

constexpr std::uint64_t most_scratch_bytes = std::numeric_limits<std::uint64_t>::max() / 4;

[[noreturn]] void refuse_conduit_options(std::string const& text) {
  throw Error(ErrorCode::argument, text);
}

}  // namespace

ConduitOptions read(espalier_conduit_options const* given) {
  ConduitOptions options;
  if (given == nullptr) {
    return options;
  }
  if (given->size != sizeof(espalier_conduit_options) || given->flags != 0) {
    refuse_conduit_options("expected options set by ESPALIER_CONDUIT_OPTIONS_INIT with flags 0");
  }
  if (given->transport != nullptr) {
    options.transport = given->transport;
    if (options.transport != "node" && options.transport != "rma") {
      refuse_conduit_options(
          formatted("expected transport node or rma, got '{}'", options.transport)
      );
    }
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
  result.add(options.transport);
  result.add(std::to_string(options.scratch_bytes));
  return result;
}

std::string transport_for(mpi::OwnCommunicator const& own, std::string const& named) {
  if (!named.empty()) {
    return named;
  }
  bool const is_near = onesided::ranks_of_node(own.get()).size() == own.size();
  return exec::node::is_true_on_all(own.get(), is_near) ? "node" : "rma";
}

}  // namespace espalier::capi
