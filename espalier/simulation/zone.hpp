// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <simgrid/kernel/routing/NetZoneImpl.hpp>

#include "espalier/simulation/network.hpp"

namespace espalier::simulation {

/// Ranks on a machine as hosts of one zone, whose routes are computed when they are asked for: a
/// table of them would have an entry for each pair.
class Zone final : public simgrid::kernel::routing::NetZoneImpl {
public:
  /// Creates the links. Hosts are added afterwards, each on the next of these cores.
  Zone(std::string const& name, Network network, std::vector<int> cores);

private:
  void get_local_route(
      simgrid::kernel::routing::NetPoint const* source,
      simgrid::kernel::routing::NetPoint const* target,
      simgrid::kernel::routing::Route* into,
      double* latency
  ) override;

  Network network_;
  std::vector<int> cores_;
  std::vector<simgrid::kernel::resource::StandardLinkImpl*> links_;
};

}  // namespace espalier::simulation
