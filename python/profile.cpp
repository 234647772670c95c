// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/profile.hpp"

#include <cstdint>
#include <vector>

#include "python/core.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "espalier/profile/call.hpp"
#include "espalier/profile/decision.hpp"
#include "espalier/profile/neighbor_choice.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

nb::dict check_profile(std::string_view text, std::string_view origin) {
  profile::Profile const profile = profile::Profile::parse(text, origin);
  nb::dict result;
  result["vendor"] = profile.vendor();
  result["num_rules"] = profile.rules().size();
  return result;
}

nb::dict describe(profile::Decision const& decision) {
  nb::dict result;
  result["algorithm"] = decision.algorithm_text();
  result["reason"] = decision.reason;
  result["rule"] = decision.rule < 0 ? nb::none() : nb::object(nb::int_(decision.rule));
  result["borrowed"] = decision.is_borrowed;
  return result;
}

nb::list decide(
    std::string_view text,
    std::string_view collective,
    int num_ranks,
    int num_nodes,
    nb::sequence const& bytes,
    std::string_view placement,
    std::string_view topology,
    int max_neighbors
) {
  profile::Profile const profile = profile::Profile::parse(text, "profile");
  profile::DecisionTable const table(
      profile.rules(),
      profile::parse_rule_call(collective),
      {.num_ranks = num_ranks,
       .num_nodes = num_nodes,
       .placement = profile::parse_placement(placement).value_or(profile::Placement::any),
       .topology = profile::parse_topology(topology).value_or(profile::Topology::none),
       .max_neighbors = max_neighbors}
  );
  nb::list result;
  for (nb::handle const size : bytes) {
    result.append(describe(table.at(nb::cast<std::int64_t>(size))));
  }
  return result;
}

std::string_view placement_of(std::vector<int> const& node_of_rank) {
  return profile::to_string(profile::placement_of(node_of_rank));
}

nb::list calls() {
  nb::list result;
  for (profile::Call const call : profile::all_calls) {
    result.append(profile::to_string(call));
  }
  return result;
}

nb::list neighbor_calls() {
  nb::list result;
  for (profile::Call const call : profile::neighbor_calls) {
    result.append(profile::to_string(call));
  }
  return result;
}

/// @param algorithm  with the name of its collective before it, or without
void check_neighbor_choice(std::string_view call, std::string const& algorithm) {
  profile::Call const one = profile::parse_rule_call(call).call;
  std::string const prefix =
      std::string(neighborhood::to_string(profile::neighbor_collective_of(one))) + "/";
  std::string const name =
      algorithm.find('/') == std::string::npos ? prefix + algorithm : algorithm;
  static_cast<void>(profile::parse_neighbor_choice(one, name));
}

std::string_view collective_of(std::string_view call) {
  return algorithms::to_string(profile::collective_of(profile::parse_call_form(call).call));
}

bool has_known_size(std::string_view call) {
  return profile::has_known_size(profile::parse_call_form(call));
}

std::string call_refuses(std::string_view call, std::string_view choice, int num_ranks) {
  return profile::refuses(
      profile::parse_call_form(call), algorithms::Choice::parse(choice), num_ranks, 0
  );
}

}  // namespace

void bind_profile(nb::module_& module) {
  module.def("calls", calls);
  module.def("neighbor_calls", neighbor_calls);
  module.def("check_neighbor_choice", check_neighbor_choice, nb::arg("call"), nb::arg("algorithm"));
  module.def("collective_of", collective_of, nb::arg("call"));
  module.def("has_known_size", has_known_size, nb::arg("call"));
  module.def(
      "call_refuses", call_refuses, nb::arg("call"), nb::arg("choice"), nb::arg("num_ranks")
  );
  module.def("check_profile", check_profile, nb::arg("text"), nb::arg("origin") = "profile");
  module.def(
      "decide",
      decide,
      nb::arg("profile"),
      nb::arg("call"),
      nb::arg("num_ranks"),
      nb::arg("num_nodes"),
      nb::arg("bytes"),
      nb::arg("placement") = "",
      nb::arg("topology") = "",
      nb::arg("max_neighbors") = 0
  );
  module.def("placement_of", placement_of, nb::arg("node_of_rank"));
}

}  // namespace espalier::python
