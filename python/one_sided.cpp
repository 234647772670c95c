// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "python/core.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/capi/onesided/choices/safe_choice.hpp"
#include "espalier/cost/one_sided/benchmark_programs.hpp"
#include "espalier/cost/one_sided/calls.hpp"
#include "espalier/cost/one_sided/candidates.hpp"
#include "espalier/cost/one_sided/form_ranking.hpp"
#include "espalier/cost/one_sided/programs.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

using algorithms::Choice;
using schedule::OneSidedForm;
using schedule::RankProgram;

/// Latency, overhead, gap, time per byte; overhead at the target; time per copied and per combined
/// byte.
using OneSidedParameters = std::array<double, 7>;
/// How many calls, whether they are underway together, a barrier at each or none, and whether it is
/// before them.
using CallOrder = std::tuple<int, bool, std::string, bool>;
/// Bytes of the largest eager message and of scratch memory; whether planning is without limits.
using RequestLimits = std::tuple<double, double, bool>;
/// Mode, addresses, mechanism.
using FormTexts = std::array<std::string, 3>;

cost::OneSidedMachine one_sided_machine_of(OneSidedParameters const& given) {
  return {
      .network = {.latency = given[0], .overhead = given[1], .gap = given[2], .per_byte = given[3]},
      .overhead_receive = given[4],
      .speed = {.per_combined_byte = given[6], .per_copied_byte = given[5]},
  };
}

OneSidedForm one_sided_form_of(FormTexts const& texts) {
  return {
      .mode = schedule::parse_synchronization(texts[0]),
      .addresses = schedule::parse_address_mode(texts[1]),
      .mechanism = schedule::parse_mechanism(texts[2])
  };
}

FormTexts texts_of_form(OneSidedForm const& form) {
  return {
      to_string(form.mode),
      std::string(to_string(form.addresses)),
      std::string(to_string(form.mechanism))
  };
}

/// Calls of the same collective, with a barrier behind or before each if one is named.
std::vector<double> call_times(
    std::string const& choice,
    int num_ranks,
    double num_bytes,
    FormTexts const& form,
    OneSidedParameters const& machine,
    CallOrder const& calls_in_order
) {
  auto const& [num_calls, are_together, barrier, is_barrier_first] = calls_in_order;
  nb::gil_scoped_release const released;
  auto const programs_of = [&](std::string const& text, OneSidedForm wanted) {
    auto const parsed = Choice::parse(text);
    wanted.segments = parsed.one_sided_segments(num_ranks);
    return cost::one_sided_programs(cost::message_programs(parsed, num_ranks, 0), wanted);
  };
  std::vector<RankProgram> const programs = programs_of(choice, one_sided_form_of(form));
  std::vector<RankProgram> barriers;
  if (!barrier.empty()) {
    barriers = programs_of(barrier, {});
  }
  auto const begin = are_together ? cost::Begin::with_earlier : cost::Begin::after_earlier;
  std::vector<cost::OneSidedCall> calls;
  for (int call = 0; call < num_calls; ++call) {
    calls.push_back({.programs = programs, .sizes = num_bytes, .begin = begin});
    if (!barriers.empty()) {
      calls.push_back({.programs = barriers, .sizes = 0.0});
      if (is_barrier_first) {
        std::swap(calls.back(), calls[calls.size() - 2]);
      }
    }
  }
  cost::OneSidedTimes const times = cost::replay_calls(calls, one_sided_machine_of(machine));
  std::vector<double> ends;
  for (std::vector<double> const& left : times.left) {
    ends.push_back(*std::ranges::max_element(left));
  }
  ends.push_back(times.end());
  return ends;
}

double time_of_programs(
    std::vector<RankProgram> const& programs, double num_bytes, OneSidedParameters const& machine
) {
  cost::OneSidedCall const call{.programs = programs, .sizes = num_bytes};
  return cost::replay_calls({&call, 1}, one_sided_machine_of(machine)).end();
}

double
answered_message(double num_bytes, FormTexts const& form, OneSidedParameters const& machine) {
  return time_of_programs(
      cost::one_sided_programs(cost::answered_message(), one_sided_form_of(form)),
      num_bytes,
      machine
  );
}

double plain_get(double num_bytes, OneSidedParameters const& machine) {
  return time_of_programs(cost::plain_get(), num_bytes, machine);
}

double flood(
    int num_peers,
    int num_messages,
    double num_bytes,
    FormTexts const& form,
    OneSidedParameters const& machine
) {
  return time_of_programs(
      cost::one_sided_programs(cost::flood(num_peers, num_messages), one_sided_form_of(form)),
      num_bytes * num_messages,
      machine
  );
}

cost::OneSidedRequest one_sided_request_of(
    std::string_view collective,
    int num_ranks,
    double num_bytes,
    std::string_view mode,
    std::string_view addresses,
    RequestLimits const& limits
) {
  return {
      .collective = algorithms::parse_collective(collective),
      .num_ranks = num_ranks,
      .num_bytes = num_bytes,
      .mode = schedule::parse_synchronization(mode),
      .addresses = schedule::parse_address_mode(addresses),
      .largest_medium = std::get<0>(limits),
      .scratch_bytes = std::get<1>(limits),
  };
}

nb::list one_sided_ranking(
    std::string_view collective,
    int num_ranks,
    double num_bytes,
    std::array<std::string, 2> const& mode_and_addresses,
    OneSidedParameters const& machine,
    RequestLimits const& limits
) {
  cost::OneSidedRequest const request = one_sided_request_of(
      collective, num_ranks, num_bytes, mode_and_addresses[0], mode_and_addresses[1], limits
  );
  cost::PlanningLimits planning;
  if (std::get<2>(limits)) {
    planning = cost::PlanningLimits::none();
  }
  std::vector<cost::RankedOneSided> ranked;
  {
    nb::gil_scoped_release const released;
    ranked = cost::rank_one_sided(request, one_sided_machine_of(machine), planning);
  }
  nb::list result;
  for (cost::RankedOneSided const& entry : ranked) {
    result.append(nb::make_tuple(
        entry.candidate.choice.text(), texts_of_form(entry.candidate.form), entry.time
    ));
  }
  return result;
}

nb::dict describe(OneSidedForm const& form) {
  nb::dict result;
  result["mode"] = to_string(form.mode);
  result["addresses"] = to_string(form.addresses);
  result["mechanism"] = to_string(form.mechanism);
  result["refusal"] =
      capi::refusal(form.mechanism, {.mode = form.mode, .addresses = form.addresses});
  return result;
}

nb::list one_sided_forms() {
  nb::list result;
  for (schedule::Synchronization const mode : schedule::all_synchronizations()) {
    for (schedule::AddressMode const addresses : schedule::all_address_modes) {
      for (schedule::Mechanism const mechanism : schedule::all_mechanisms) {
        result.append(
            describe(OneSidedForm{.mode = mode, .addresses = addresses, .mechanism = mechanism})
        );
      }
    }
  }
  return result;
}

bool has_form(cost::OneSidedRequest const& request, Choice const& choice) {
  bool is_found = false;
  cost::for_each_form(request, choice, [&](cost::OneSidedPrograms const&) {
    is_found = true;
    return false;
  });
  return is_found;
}

std::vector<std::string> one_sided_choices(std::string_view collective, int num_ranks) {
  nb::gil_scoped_release const released;
  cost::OneSidedRequest const request{
      .collective = algorithms::parse_collective(collective), .num_ranks = num_ranks
  };
  std::vector<std::string> texts;
  for (Choice const& choice : cost::applicable_choices(request)) {
    if (has_form(request, choice)) {
      texts.push_back(choice.text());
    }
  }
  return texts;
}

}  // namespace

void bind_one_sided(nb::module_& module) {
  module.def(
      "one_sided_call_times",
      call_times,
      nb::arg("choice"),
      nb::arg("num_ranks"),
      nb::arg("num_bytes"),
      nb::arg("form"),
      nb::arg("machine"),
      nb::arg("calls") = CallOrder(1, false, "", false)
  );
  module.def(
      "one_sided_answered_message",
      answered_message,
      nb::arg("num_bytes"),
      nb::arg("form"),
      nb::arg("machine")
  );
  module.def("one_sided_get", plain_get, nb::arg("num_bytes"), nb::arg("machine"));
  module.def(
      "one_sided_flood",
      flood,
      nb::arg("num_peers"),
      nb::arg("num_messages"),
      nb::arg("num_bytes"),
      nb::arg("form"),
      nb::arg("machine")
  );
  module.def(
      "one_sided_ranking",
      one_sided_ranking,
      nb::arg("collective"),
      nb::arg("num_ranks"),
      nb::arg("num_bytes"),
      nb::arg("mode_and_addresses"),
      nb::arg("machine"),
      nb::arg("limits")
  );
  module.def("one_sided_forms", one_sided_forms);
  module.def("one_sided_choices", one_sided_choices, nb::arg("collective"), nb::arg("num_ranks"));
}

}  // namespace espalier::python
