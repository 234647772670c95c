// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/info_keys.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <system_error>

#include "espalier/mpi/info.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {
namespace {

/// The value of a key; empty if it is not there.
std::string value_of(MPI_Info info, char const* key) {
  return mpi::info_value(info, key).value_or("");
}

[[noreturn]] void
refuse(std::string const& key, std::string const& expected, std::string_view got) {
  throw plan::ClassError(
      MPI_ERR_INFO_VALUE, "expected " + expected + " as " + key + ", got '" + std::string(got) + "'"
  );
}

}  // namespace

InfoKeys read_info(MPI_Info info) {
  InfoKeys keys;
  std::string const factorization = value_of(info, "espalier_factorization");
  if (!factorization.empty() && factorization != "greedy" && factorization != "joint") {
    refuse("espalier_factorization", "greedy or joint", factorization);
  }
  keys.is_joint = factorization == "joint";
  std::string const costs = value_of(info, "espalier_level_costs");
  if (!costs.empty()) {
    keys.level_costs = read_costs(costs.c_str());
  }
  return keys;
}

std::vector<double> read_costs(char const* text) {
  std::vector<double> costs;
  std::string_view rest = text;
  while (!rest.empty()) {
    double cost = 0;
    auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), cost);
    auto const used = static_cast<std::size_t>(end - rest.data());
    bool const is_end = used == rest.size();
    bool const is_followed = used + 1 < rest.size() && rest[used] == ',';
    if (error != std::errc() || !(cost > 0) || !std::isfinite(cost) || (!is_end && !is_followed)) {
      refuse("espalier_level_costs", "numbers above 0, separated by commas,", text);
    }
    costs.push_back(cost);
    rest.remove_prefix(is_end ? used : used + 1);
  }
  return costs;
}

}  // namespace espalier::capi
