// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/verify.hpp"

#include <optional>
#include <string>
#include <vector>

#include "python/core.hpp"
#include "python/descriptions.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/error.hpp"
#include "espalier/schedule/json.hpp"
#include "espalier/verify/drawing.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

nb::object describe(std::optional<verify::Violation> const& violation) {
  if (!violation) {
    return nb::none();
  }
  nb::dict result;
  result["rule"] = verify::to_string(violation->rule);
  result["rank"] = violation->rank < 0 ? nb::none() : nb::object(nb::int_(violation->rank));
  result["operation"] =
      violation->operation < 0 ? nb::none() : nb::object(nb::int_(violation->operation));
  result["text"] = violation->text;
  return result;
}

nb::dict describe(verify::Verdict const& verdict) {
  nb::dict result;
  result["holds"] = verdict.holds();
  result["violation"] = describe(verdict.violation);
  result["rounds"] = verdict.facts.rounds;
  result["messages"] = verdict.facts.messages;
  result["blocks"] = verdict.facts.blocks;
  result["scratch"] = verdict.facts.scratch;
  return result;
}

nb::dict prove(std::string const& text, int num_ranks, int root) {
  verify::Verdict verdict;
  {
    nb::gil_scoped_release const released;
    verdict = verify::prove(algorithms::Choice::parse(text), num_ranks, root);
  }
  return describe(verdict);
}

schedule::RankProgram parse_program(std::string const& text) {
  try {
    return schedule::from_json(nlohmann::json::parse(text));
  } catch (nlohmann::json::exception const& error) {
    throw Error(ErrorCode::format, std::string("expected a program as JSON, got ") + error.what());
  }
}

schedule::OperandOrder parse_order(std::string_view text) {
  for (schedule::OperandOrder const order :
       {schedule::OperandOrder::any, schedule::OperandOrder::rank, schedule::OperandOrder::left}) {
    if (schedule::to_string(order) == text) {
      return order;
    }
  }
  throw Error(
      ErrorCode::argument, "expected an order (any, rank, left), got '" + std::string(text) + "'"
  );
}

nb::dict verify_programs(
    std::vector<std::string> const& texts,
    std::string_view collective,
    int root,
    std::string_view order,
    bool equal_blocks
) {
  verify::Verdict verdict;
  {
    nb::gil_scoped_release const released;
    std::vector<schedule::RankProgram> programs;
    for (std::string const& text : texts) {
      programs.push_back(parse_program(text));
    }
    verdict = verify::verify(
        programs,
        {.collective = algorithms::parse_collective(collective),
         .num_ranks = static_cast<int>(programs.size()),
         .root = root,
         .has_equal_blocks = equal_blocks,
         .order = parse_order(order)}
    );
  }
  return describe(verdict);
}

nb::list sent(std::string_view text, int num_ranks, int root) {
  return messages_of(verify::sent_messages(algorithms::Choice::parse(text), num_ranks, root));
}

nb::list rules() {
  nb::list result;
  for (verify::ProverRule const rule : verify::all_rules) {
    result.append(verify::to_string(rule));
  }
  return result;
}

}  // namespace

void bind_verify(nb::module_& module) {
  module.def("rules", rules);
  module.def("sent", sent, nb::arg("text"), nb::arg("num_ranks"), nb::arg("root") = 0);
  module.def("prove", prove, nb::arg("text"), nb::arg("num_ranks"), nb::arg("root") = 0);
  module.def(
      "draw_holdings",
      [](std::string_view text, int num_ranks, int root) {
        return verify::draw_holdings(algorithms::Choice::parse(text), num_ranks, root);
      },
      nb::arg("text"),
      nb::arg("num_ranks"),
      nb::arg("root") = 0
  );
  module.def(
      "draw_sent",
      [](std::string_view text, int num_ranks, int root) {
        return verify::draw_sent(algorithms::Choice::parse(text), num_ranks, root);
      },
      nb::arg("text"),
      nb::arg("num_ranks"),
      nb::arg("root") = 0
  );
  module.def(
      "draw_messages",
      [](std::string_view text, int num_ranks, int root) {
        return verify::draw_messages(algorithms::Choice::parse(text), num_ranks, root);
      },
      nb::arg("text"),
      nb::arg("num_ranks"),
      nb::arg("root") = 0
  );
  module.def(
      "verify_programs",
      verify_programs,
      nb::arg("programs"),
      nb::arg("collective"),
      nb::arg("root") = 0,
      nb::arg("order") = "any",
      nb::arg("equal_blocks") = false
  );
}

}  // namespace espalier::python
