// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/neighbor_choice.hpp"

#include <string>

#include "espalier/base/error.hpp"
#include "espalier/neighborhood/catalog.hpp"
#include "espalier/neighborhood/choice.hpp"

namespace espalier::capi {
namespace {

using neighborhood::Algorithm;
using plan::NeighborCall;
using plan::Neighbors;

/// A predicted gain below this is not worth a less direct way.
constexpr double smallest_gain = 0.1;

}  // namespace

Algorithm const& direct(NeighborCall call) {
  return neighborhood::find(plan::collective_of(call), "direct");
}

Algorithm const& named(espalier_neighborhood& self, NeighborCall call, plan::SizesBy sizes) {
  Algorithm const& algorithm =
      neighborhood::find(plan::collective_of(call), self.options.algorithm);
  std::string const reason = self.neighbors.refuses(algorithm, call, sizes);
  if (!reason.empty()) {
    throw Error(ErrorCode::unsupported, reason);
  }
  return algorithm;
}

Algorithm const& predicted(espalier_neighborhood& self, NeighborCall call, std::int64_t bytes) {
  Neighbors& neighbors = self.neighbors;
  if (!self.options.links || neighbors.neighborhood().isomorphic() == nullptr) {
    return direct(call);
  }
  neighborhood::Request const request{
      .collective = plan::collective_of(call),
      .neighborhood = neighbors.neighborhood(),
      .node_of_rank = neighbors.nodes(),
  };
  return neighborhood::choose(
      request, *self.options.links, static_cast<double>(bytes), smallest_gain
  );
}

}  // namespace espalier::capi
