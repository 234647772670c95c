// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/composed/hierarchical.hpp"

namespace espalier::algorithms {
namespace {

Parameter
algorithm_parameter(std::string_view name, std::string_view choice, std::string_view description) {
  std::size_t const slash = choice.find('/');
  return {
      .name = name,
      .type = Parameter::Type::algorithm,
      .fallback = choice.substr(slash + 1),
      .collective = choice.substr(0, slash),
      .description = description,
      .takes_native = true,
  };
}

Choice choice_of(Request const& request, std::string_view key, std::string_view fallback) {
  std::size_t const slash = fallback.find('/');
  return Choice::parse_phase(
      parse_collective(fallback.substr(0, slash)),
      request.arguments.text(key, fallback.substr(slash + 1))
  );
}

}  // namespace

Hierarchy Hierarchy::parse(
    Request const& request, std::string_view up, std::string_view across, std::string_view down
) {
  return {
      .groups = Groups::parse(request),
      .up = choice_of(request, "up", up),
      .across = choice_of(request, "across", across),
      .down = choice_of(request, "down", down),
  };
}

std::string Hierarchy::refuses() const {
  std::string const reason = groups.refuses();
  return reason.empty() ? algorithms::refuses(stages()) : reason;
}

std::vector<std::size_t> Hierarchy::levels() const {
  std::vector<std::size_t> result;
  for (std::size_t level = groups.num_levels(); level > 0; --level) {
    result.push_back(level);
  }
  for (std::size_t level = 0; level <= groups.num_levels(); ++level) {
    result.push_back(level);
  }
  return result;
}

std::vector<Stage> Hierarchy::stages(int num_blocks) const {
  std::vector<Stage> result;
  for (std::size_t const level : levels()) {
    bool const is_leaf = level == groups.num_levels();
    Choice const& algorithm = result.size() < groups.num_levels() ? up : level == 0 ? across : down;
    result.push_back(stage_of_vector(
        algorithm, is_leaf ? groups.shapes(level, 0) : groups.shapes_across(level, 0), num_blocks
    ));
  }
  return result;
}

std::vector<std::optional<Phase>> Hierarchy::phases(Standing const& own) const {
  std::vector<std::optional<Phase>> result;
  for (std::size_t const level : levels()) {
    Choice const& algorithm = result.size() < groups.num_levels() ? up : level == 0 ? across : down;
    if (level == groups.num_levels()) {
      result.emplace_back(own.inner(algorithm));
    } else if (own.is_across(level)) {
      result.emplace_back(own.across(algorithm, level));
    } else {
      result.emplace_back();
    }
  }
  return result;
}

std::vector<Parameter> hierarchical_parameters(
    std::string_view up, std::string_view across, std::string_view down, int most_trees
) {
  std::vector<Parameter> parameters = group_parameters();
  if (!up.empty()) {
    parameters.push_back(algorithm_parameter("up", up, "algorithm towards the leader of a row"));
    parameters.back().most_combined = most_trees;
  }
  parameters.push_back(algorithm_parameter("across", across, "algorithm between leaders of rows"));
  parameters.push_back(algorithm_parameter("down", down, "algorithm from the leader of a row"));
  parameters.back().most_combined = most_trees;
  return parameters;
}

}  // namespace espalier::algorithms
