// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/collectives/native_algorithms.hpp"

#include <cstdio>
#include <exception>
#include <string>

#include <nlohmann/json.hpp>

#include "espalier/base/json_text.hpp"
#include "espalier/plan/native_algorithms/native_menu.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::measure {
namespace {

using Json = nlohmann::ordered_json;

Json described(profile::Call call, int num_ranks, plan::ControlVariables& variables) {
  plan::NativeMenu const menu = plan::native_menu(call, variables);
  Json names = Json::array();
  for (plan::ControlVariable::Value const& value : menu.algorithms) {
    if (num_ranks == 0 || plan::accepts_ranks(value.name, num_ranks)) {
      names.push_back(value.name);
    }
  }
  return {
      {"collective", profile::to_string(call)},
      {"algorithms", std::move(names)},
      {"parameters", menu.parameters},
      {"problem", menu.problem},
  };
}

}  // namespace

int print_native_algorithms(char const* num_ranks) noexcept {
  try {
    int const number = std::stoi(num_ranks);
    plan::ControlVariables variables;
    Json calls = Json::array();
    for (profile::Call const call : profile::all_calls) {
      calls.push_back(described(call, number, variables));
    }
    std::printf("%s\n", json_text(Json{{"vendor", ESPALIER_MPI_VENDOR}, {"calls", calls}}).c_str());
    return 0;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "espalier-measure: %s\n", error.what());
    return 1;
  }
}

}  // namespace espalier::measure
