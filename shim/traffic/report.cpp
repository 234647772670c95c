// SPDX-License-Identifier: Apache-2.0

#include "shim/traffic/report.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "espalier/base/json_text.hpp"

namespace espalier::shim::traffic {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(Amount const& amount) {
  return {{"messages", amount.messages()}, {"bytes", amount.bytes()}};
}

/// Without ranks to which nothing went.
Json rows(std::vector<Amount> const& amounts) {
  Json found = Json::array();
  for (std::size_t rank = 0; rank < amounts.size(); ++rank) {
    if (amounts[rank].messages() > 0) {
      found.push_back({rank, amounts[rank].messages(), amounts[rank].bytes()});
    }
  }
  return found;
}

}  // namespace

std::string
to_json(Sender const& sender, Amounts const& amounts, double seconds, bool is_finalized) {
  Json kinds = Json::object();
  for (std::size_t i = 0; i < kind_names.size(); ++i) {
    kinds[std::string(kind_names[i])] = to_json(amounts.of(static_cast<Kind>(i)));
  }
  Json const document = {
      {"schema", "espalier-traffic"},
      {"version", 1},
      {"rank", sender.rank},
      {"num_ranks", sender.num_ranks},
      {"host", sender.host},
      {"mpi", {{"vendor", ESPALIER_MPI_VENDOR}, {"version", sender.library_version}}},
      {"seconds", seconds},
      {"finalized", is_finalized},
      {"sent", rows(amounts.sent())},
      {"fetched", rows(amounts.fetched())},
      {"outside", to_json(amounts.outside())},
      {"kinds", std::move(kinds)},
  };
  return json_text(document) + "\n";
}

}  // namespace espalier::shim::traffic
