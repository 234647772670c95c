// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/catalog.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "python/core.hpp"
#include "python/descriptions.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "espalier/algorithms/composed/native.hpp"
#include "espalier/base/json_text.hpp"
#include "espalier/schedule/json.hpp"
#include "espalier/schedule/text.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

using algorithms::Choice;

char const* to_string(algorithms::Parameter::Type type) {
  switch (type) {
  case algorithms::Parameter::Type::integer:
    return "integer";
  case algorithms::Parameter::Type::integer_list:
    return "integer list";
  case algorithms::Parameter::Type::algorithm:
    return "algorithm";
  }
  return "unknown";
}

nb::dict describe(algorithms::Algorithm const& algorithm, algorithms::Parameter const& parameter) {
  nb::dict result;
  result["name"] = parameter.name;
  result["type"] = to_string(parameter.type);
  result["fallback"] = parameter.fallback;
  result["minimum"] = parameter.minimum;
  result["description"] = parameter.description;
  result["takes_native"] = algorithms::takes_native(algorithm, parameter);
  return result;
}

/// What the algorithm does to the order of operands with its variants, at the first and last root
/// of a few numbers of ranks; from the weakest promise to the strongest, empty if it combines
/// nothing.
std::vector<std::string> orders(algorithms::Algorithm const& algorithm) {
  if (!schedule::reduces(algorithm.collective)) {
    return {};
  }
  std::set<schedule::OperandOrder> found;
  for (int const num_ranks : {2, 3, 4, 5, 6, 7, 8, 9, 12, 16}) {
    for (Choice const& choice : algorithms::variants(algorithm.collective, num_ranks)) {
      for (int const root : {0, schedule::has_root(algorithm.collective) ? num_ranks - 1 : 0}) {
        if (&choice.algorithm() == &algorithm && choice.refuses(num_ranks, root).empty()) {
          found.insert(choice.order(num_ranks, root));
        }
      }
    }
  }
  std::vector<std::string> texts;
  for (schedule::OperandOrder const order : found) {
    texts.emplace_back(schedule::to_string(order));
  }
  return texts;
}

nb::dict describe(algorithms::Algorithm const& algorithm) {
  nb::list parameters;
  for (algorithms::Parameter const& parameter : algorithm.parameters) {
    parameters.append(describe(algorithm, parameter));
  }
  nb::dict result;
  result["collective"] = algorithms::to_string(algorithm.collective);
  result["name"] = std::string_view(algorithm.name);
  result["summary"] = algorithm.summary;
  result["source"] = algorithm.source;
  result["valid"] = algorithm.valid;
  result["parameters"] = parameters;
  result["segmentable"] = algorithm.segment_period != nullptr;
  result["rooted"] = schedule::has_root(algorithm.collective);
  result["neighbours_only"] = algorithm.neighbours_only;
  result["equal_blocks_only"] = algorithm.equal_blocks_only;
  result["orders"] = orders(algorithm);
  return result;
}

nb::list catalog() {
  nb::list result;
  for (algorithms::Algorithm const* algorithm : algorithms::catalog()) {
    result.append(describe(*algorithm));
  }
  return result;
}

std::vector<std::string> variants(std::string_view collective, int num_ranks) {
  std::vector<std::string> texts;
  for (Choice const& choice :
       algorithms::variants(algorithms::parse_collective(collective), num_ranks)) {
    texts.push_back(choice.text());
  }
  return texts;
}

schedule::RankProgram program(std::string_view text, int num_ranks, int root, int rank) {
  return Choice::parse(text).generate(num_ranks, root, rank);
}

nb::dict facts(std::string_view text, int num_ranks, int root) {
  // Facts mean something only for what can be generated; generate() says why if it cannot.
  int const num_blocks = program(text, num_ranks, root, 0).frame.num_output_blocks;
  return facts_of(Choice::parse(text).facts(num_ranks, root), num_blocks);
}

nb::list collectives() {
  nb::list result;
  for (schedule::Collective const collective : schedule::all_collectives()) {
    nb::dict described;
    described["name"] = schedule::to_string(collective);
    described["rooted"] = schedule::has_root(collective);
    described["reduces"] = schedule::reduces(collective);
    described["has_parts"] = schedule::has_parts(collective);
    result.append(described);
  }
  return result;
}

/// Blocks that a rank sends in each round.
std::vector<std::int64_t> blocks_per_round(schedule::RankProgram const& program) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(program.num_rounds()));
  for (schedule::Operation const& operation : program.operations) {
    if (operation.kind == schedule::Kind::send) {
      result[static_cast<std::size_t>(operation.round)] +=
          schedule::num_blocks(program.slots(operation));
    }
  }
  return result;
}

std::vector<std::int64_t> largest_per_round(std::string_view text, int num_ranks, int root) {
  std::vector<std::int64_t> largest;
  for (int rank = 0; rank < num_ranks; ++rank) {
    std::vector<std::int64_t> const blocks = blocks_per_round(program(text, num_ranks, root, rank));
    largest.resize(std::max(largest.size(), blocks.size()));
    for (std::size_t round = 0; round < blocks.size(); ++round) {
      largest[round] = std::max(largest[round], blocks[round]);
    }
  }
  return largest;
}

}  // namespace

void bind_catalog(nb::module_& module) {
  module.def("collectives", collectives);
  module.def("catalog", catalog);
  module.def("variants", variants, nb::arg("collective"), nb::arg("num_ranks"));
  module.def(
      "canonical", [](std::string_view text) { return Choice::parse(text).text(); }, nb::arg("text")
  );
  module.def(
      "refuses",
      [](std::string_view text, int num_ranks, int root) {
        return Choice::parse(text).refuses(num_ranks, root);
      },
      nb::arg("text"),
      nb::arg("num_ranks"),
      nb::arg("root") = 0
  );
  module.def(
      "order",
      [](std::string_view text, int num_ranks, int root) {
        return schedule::to_string(Choice::parse(text).order(num_ranks, root));
      },
      nb::arg("text"),
      nb::arg("num_ranks"),
      nb::arg("root") = 0
  );
  module.def("facts", facts, nb::arg("text"), nb::arg("num_ranks"), nb::arg("root") = 0);
  module.def(
      "largest_per_round",
      largest_per_round,
      nb::arg("text"),
      nb::arg("num_ranks"),
      nb::arg("root") = 0
  );
  module.def(
      "program_json",
      [](std::string_view text, int num_ranks, int root, int rank) {
        return json_text(schedule::to_json(program(text, num_ranks, root, rank)));
      },
      nb::arg("text"),
      nb::arg("num_ranks"),
      nb::arg("root"),
      nb::arg("rank")
  );
  module.def(
      "program_text",
      [](std::string_view text, int num_ranks, int root, int rank) {
        return schedule::to_text(program(text, num_ranks, root, rank));
      },
      nb::arg("text"),
      nb::arg("num_ranks"),
      nb::arg("root"),
      nb::arg("rank")
  );
}

}  // namespace espalier::python
