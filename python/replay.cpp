// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/replay.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/core.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/candidates/machine_variants.hpp"
#include "espalier/candidates/memory_variants.hpp"
#include "espalier/cost/forms/levels.hpp"
#include "espalier/cost/ranking/ranking.hpp"
#include "espalier/cost/ranking/shared_ranking.hpp"
#include "espalier/cost/replay/sharing.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/machine/tree/placement.hpp"

namespace nb = nanobind;

namespace espalier::python {
namespace {

using algorithms::Choice;

/// Where the ranks are.
cost::Setting setting_of(std::string_view machine_text, std::string_view placement, int num_ranks) {
  machine::Machine machine = machine::read(machine_text);
  std::vector<int> cores = machine::place(machine, placement, num_ranks);
  return {.machine = std::move(machine), .core_of = std::move(cores)};
}

/// Of blocks that differ, or of equal ones.
cost::Sizes sizes_of(double num_bytes, std::vector<double> const& block_bytes) {
  return block_bytes.empty() ? cost::Sizes(num_bytes) : cost::Sizes(block_bytes);
}

nb::list describe_levels(cost::Replay const& replayed, machine::Machine const& machine) {
  nb::list result;
  for (int level = 0; level < machine.num_levels(); ++level) {
    cost::LevelUse const& use = replayed.levels[static_cast<std::size_t>(level)];
    nb::dict described;
    described["name"] = machine.name(level);
    described["messages"] = use.messages;
    described["bytes"] = use.bytes;
    described["busiest_seconds"] = use.busiest;
    described["waiting_seconds"] = use.waiting;
    result.append(described);
  }
  return result;
}

nb::dict replay(
    std::string const& text,
    int num_ranks,
    int root,
    std::string_view machine_text,
    std::string_view placement,
    double num_bytes,
    std::vector<double> const& block_bytes
) {
  cost::Setting const setting = setting_of(machine_text, placement, num_ranks);
  cost::Sizes const sizes = sizes_of(num_bytes, block_bytes);
  cost::Replay replayed;
  {
    nb::gil_scoped_release const released;
    replayed = cost::replay(Choice::parse(text), root, setting, sizes);
  }
  nb::dict result;
  result["seconds"] = replayed.seconds();
  result["finished_seconds"] = replayed.finished;
  result["levels"] = describe_levels(replayed, setting.machine);
  return result;
}

std::vector<Choice> choices_of(std::vector<std::string> const& texts) {
  std::vector<Choice> choices;
  choices.reserve(texts.size());
  for (std::string const& text : texts) {
    choices.push_back(Choice::parse(text));
  }
  return choices;
}

nb::list describe(std::vector<cost::Ranked> const& ranking) {
  nb::list result;
  for (cost::Ranked const& entry : ranking) {
    nb::dict described;
    described["choice"] = entry.choice.text();
    described["seconds"] = entry.seconds;
    described["is_exact"] = entry.is_exact;
    result.append(described);
  }
  return result;
}

nb::list best(
    std::vector<std::string> const& candidates,
    int num_ranks,
    int root,
    std::string_view machine_text,
    std::string_view placement,
    double num_bytes,
    int num_best,
    std::vector<double> const& block_bytes
) {
  cost::Setting const setting = setting_of(machine_text, placement, num_ranks);
  cost::Sizes const sizes = sizes_of(num_bytes, block_bytes);
  std::vector<Choice> const choices = choices_of(candidates);
  std::vector<cost::Ranked> ranking;
  {
    nb::gil_scoped_release const released;
    ranking = cost::best(choices, root, setting, sizes, num_best);
  }
  return describe(ranking);
}

nb::list best_sharing(
    std::vector<std::string> const& candidates,
    int num_ranks,
    int root,
    std::string_view machine_text,
    std::string_view placement,
    std::vector<double> const& num_bytes,
    int num_best
) {
  cost::Setting const setting = setting_of(machine_text, placement, num_ranks);
  std::vector<cost::Sizes> const sizes(num_bytes.begin(), num_bytes.end());
  std::vector<Choice> const choices = choices_of(candidates);
  std::vector<std::vector<cost::Ranked>> rankings;
  {
    nb::gil_scoped_release const released;
    rankings = cost::best_sharing(choices, root, setting, sizes, num_best);
  }
  nb::list result;
  for (std::vector<cost::Ranked> const& ranking : rankings) {
    result.append(describe(ranking));
  }
  return result;
}

candidates::NativePhases native_phases(bool are_wanted) {
  return are_wanted ? candidates::NativePhases::with : candidates::NativePhases::without;
}

std::vector<std::string> texts_of(std::vector<Choice> const& choices) {
  std::vector<std::string> result;
  result.reserve(choices.size());
  for (Choice const& choice : choices) {
    result.push_back(choice.text());
  }
  return result;
}

std::vector<std::string> machine_variants(
    std::string_view collective,
    int num_ranks,
    std::string_view machine_text,
    std::string_view placement,
    bool with_native_phases
) {
  cost::Setting const setting = setting_of(machine_text, placement, num_ranks);
  return texts_of(candidates::machine_variants(
      algorithms::parse_collective(collective),
      setting.machine,
      setting.core_of,
      native_phases(with_native_phases)
  ));
}

std::vector<std::string> node_variants(
    std::string_view collective, std::vector<int> const& node_of_rank, bool with_native_phases
) {
  return texts_of(candidates::node_variants(
      algorithms::parse_collective(collective), node_of_rank, native_phases(with_native_phases)
  ));
}

std::vector<std::string>
memory_variants(std::vector<std::string> const& texts, std::vector<int> const& node_of_rank) {
  std::vector<Choice> choices;
  choices.reserve(texts.size());
  for (std::string const& text : texts) {
    choices.push_back(Choice::parse(text));
  }
  return texts_of(candidates::memory_variants(choices, node_of_rank));
}

using Model = double (*)(Choice const&, int, cost::Setting const&, double);

/// Seconds according to a model with one number as its result.
template <Model model>
double seconds_of(
    std::string const& text,
    int num_ranks,
    int root,
    std::string_view machine_text,
    std::string_view placement,
    double num_bytes
) {
  cost::Setting const setting = setting_of(machine_text, placement, num_ranks);
  nb::gil_scoped_release const released;
  return model(Choice::parse(text), root, setting, num_bytes);
}

template <Model model> void bind_model(nb::module_& module, char const* name) {
  module.def(
      name,
      seconds_of<model>,
      nb::arg("text"),
      nb::arg("num_ranks"),
      nb::arg("root"),
      nb::arg("machine"),
      nb::arg("placement"),
      nb::arg("num_bytes")
  );
}

void bind_rankings(nb::module_& module) {
  module.def(
      "best",
      best,
      nb::arg("candidates"),
      nb::arg("num_ranks"),
      nb::arg("root"),
      nb::arg("machine"),
      nb::arg("placement"),
      nb::arg("num_bytes"),
      nb::arg("num_best") = 1,
      nb::arg("block_bytes") = std::vector<double>()
  );
  module.def(
      "best_sharing",
      best_sharing,
      nb::arg("candidates"),
      nb::arg("num_ranks"),
      nb::arg("root"),
      nb::arg("machine"),
      nb::arg("placement"),
      nb::arg("num_bytes"),
      nb::arg("num_best") = 1
  );
}

double
shared_seconds(Choice const& choice, int root, cost::Setting const& setting, double num_bytes) {
  return cost::shared_time(choice, root, setting, num_bytes);
}

}  // namespace

void bind_replay(nb::module_& module) {
  module.def(
      "replay",
      replay,
      nb::arg("text"),
      nb::arg("num_ranks"),
      nb::arg("root"),
      nb::arg("machine"),
      nb::arg("placement"),
      nb::arg("num_bytes"),
      nb::arg("block_bytes") = std::vector<double>()
  );
  bind_rankings(module);
  bind_model<shared_seconds>(module, "shared_time");
  module.def(
      "machine_variants",
      machine_variants,
      nb::arg("collective"),
      nb::arg("num_ranks"),
      nb::arg("machine"),
      nb::arg("placement"),
      nb::arg("with_native_phases") = false
  );
  module.def(
      "node_variants",
      node_variants,
      nb::arg("collective"),
      nb::arg("node_of_rank"),
      nb::arg("with_native_phases") = false
  );
  module.def("memory_variants", memory_variants, nb::arg("choices"), nb::arg("node_of_rank"));
  bind_model<cost::levels_time>(module, "levels_time");
  bind_model<cost::hockney_time>(module, "hockney_time");
}

}  // namespace espalier::python
