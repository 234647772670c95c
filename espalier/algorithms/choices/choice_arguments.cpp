// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/choices/choice_arguments.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/composed/native.hpp"
#include "espalier/base/error.hpp"
#include "espalier/base/names.hpp"

namespace espalier::algorithms {
namespace {

constexpr Parameter segments_parameter{
    .name = common_keys::segments,
    .type = Parameter::Type::integer,
    .fallback = "1",
    .minimum = 1,
    .maximum = 65536,
    .description = "segments that follow each other through the schedule",
};

constexpr Parameter burst_parameter{
    .name = common_keys::burst,
    .type = Parameter::Type::integer,
    .fallback = "16",
    .minimum = 1,
    .maximum = 65536,
    .description = "segments that a rank sends to another at the same time",
};

constexpr Parameter dealt_parameter{
    .name = common_keys::dealt,
    .type = Parameter::Type::integer_list,
    .fallback = "",
    .minimum = 1,
    .description = "number of nodes to which ranks were dealt in turn, or how many each takes",
};

constexpr Parameter shared_memory_parameter{
    .name = common_keys::shared_memory,
    .type = Parameter::Type::integer,
    .fallback = "",
    .minimum = 1,
    .maximum = 1,
    .description = "1: messages inside a node go through memory that its ranks share",
};

bool is_about_order(Collective collective) {
  return collective == Collective::scan || collective == Collective::exscan;
}

std::vector<Parameter> parameters_of(Algorithm const& algorithm) {
  std::vector<Parameter> parameters = algorithm.parameters;
  if (is_algorithm_of_library(algorithm)) {
    return parameters;
  }
  if (algorithm.segment_period != nullptr) {
    parameters.push_back(segments_parameter);
    parameters.push_back(burst_parameter);
  }
  if (!is_about_order(algorithm.collective)) {
    parameters.push_back(dealt_parameter);
  }
  parameters.push_back(shared_memory_parameter);
  return parameters;
}

void check_keys(
    Algorithm const& algorithm, Arguments const& arguments, std::vector<Parameter> const& parameters
) {
  for (auto const& [key, value] : arguments.entries()) {
    if (std::ranges::find(parameters, key, &Parameter::name) != parameters.end()) {
      continue;
    }
    std::string const known = list_names(parameters, &Parameter::name);
    throw Error(
        ErrorCode::argument,
        full_name(algorithm) + " takes " + (known.empty() ? "no arguments" : known) + ", got '" +
            key + "'"
    );
  }
}

std::string canonical_integer(Parameter const& parameter, int value) {
  if (value < parameter.minimum || value > parameter.maximum) {
    bool const is_low = value < parameter.minimum;
    throw Error(
        ErrorCode::argument,
        std::string(parameter.name) + (is_low ? " must be at least " : " must be at most ") +
            std::to_string(is_low ? parameter.minimum : parameter.maximum) + ", got " +
            std::to_string(value)
    );
  }
  return std::to_string(value);
}

/// What the MPI library may call an algorithm: `in-order_binary`.
std::string canonical_name(Parameter const& parameter, Arguments const& given) {
  std::string name(given.text(parameter.name, {}));
  auto const is_part = [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') ||
           one == '_' || one == '-';
  };
  if (!std::ranges::all_of(name, is_part)) {
    throw Error(
        ErrorCode::argument,
        std::string(parameter.name) + " must be a name of letters, digits, _ and -, got '" + name +
            "'"
    );
  }
  return name;
}

std::string
canonical_phase(Collective collective, Parameter const& parameter, Arguments const& given) {
  Choice const choice = Choice::parse(collective, given.text(parameter.name, {}));
  if (is_of_library(choice)) {
    throw Error(
        ErrorCode::argument,
        std::string(parameter.name) +
            " must be an algorithm of the catalog or native without arguments, got '" +
            choice.text() + "'"
    );
  }
  if (wants_shared_memory(choice)) {
    throw Error(
        ErrorCode::argument,
        std::string(common_keys::shared_memory) + " is said of all phases at once, got it in " +
            std::string(parameter.name) + "=" + std::string(given.text(parameter.name, {}))
    );
  }
  if (choice.has_native_calls()) {
    throw Error(
        ErrorCode::argument,
        std::string(native_name) + " must be a phase of the outermost algorithm, got it in " +
            std::string(parameter.name) + "=" + std::string(given.text(parameter.name, {}))
    );
  }
  std::string const text = choice.text();
  return text.substr(text.find('/') + 1);
}

std::string
canonical_value(Algorithm const& algorithm, Parameter const& parameter, Arguments const& given) {
  switch (parameter.type) {
  case Parameter::Type::integer:
    return canonical_integer(parameter, given.integer(parameter.name, 0));
  case Parameter::Type::integer_list: {
    std::string list;
    for (int const entry : given.integers(parameter.name)) {
      list += (list.empty() ? "" : "x") + canonical_integer(parameter, entry);
    }
    return list;
  }
  case Parameter::Type::algorithm: {
    if (is_algorithm_of_library(algorithm)) {
      return canonical_name(parameter, given);
    }
    Collective const collective = parameter.collective.empty()
                                      ? algorithm.collective
                                      : parse_collective(parameter.collective);
    if (given.text(parameter.name, {}) == native_name && takes_native(algorithm, parameter)) {
      return std::string(native_name);
    }
    return canonical_phase(collective, parameter, given);
  }
  }
  return {};
}

void check_native_phases(Algorithm const& algorithm, Arguments const& arguments) {
  if (!arguments.has(common_keys::shared_memory)) {
    return;
  }
  for (Parameter const& parameter : algorithm.parameters) {
    if (takes_native(algorithm, parameter) && arguments.text(parameter.name, {}) == native_name) {
      throw Error(
          ErrorCode::argument,
          std::string(common_keys::shared_memory) + " is not for phases of the MPI library, got " +
              std::string(parameter.name) + "=" + std::string(native_name)
      );
    }
  }
}

}  // namespace

bool wants_shared_memory(Choice const& choice) {
  return choice.arguments().has(common_keys::shared_memory);
}

std::optional<Choice> with_shared_memory(Choice const& choice) {
  if (wants_shared_memory(choice) || choice.has_native_calls() || is_of_library(choice)) {
    return std::nullopt;
  }
  Arguments arguments = choice.arguments();
  arguments.set(common_keys::shared_memory, "1");
  return Choice::parse(full_name(choice.algorithm()) + arguments.to_text());
}

std::string full_name(Algorithm const& algorithm) {
  return std::string(to_string(algorithm.collective)) + "/" + std::string(algorithm.name);
}

Arguments canonical(Algorithm const& algorithm, Arguments const& given) {
  if (is_algorithm_of_library(algorithm) && !given.has("algorithm")) {
    throw Error(
        ErrorCode::argument,
        full_name(algorithm) + " needs the name of an algorithm of the MPI library as in " +
            full_name(algorithm) + "[algorithm=binomial]"
    );
  }
  if (given.entries().empty()) {
    return given;
  }
  std::vector<Parameter> const parameters = parameters_of(algorithm);
  check_keys(algorithm, given, parameters);
  Arguments result;
  for (Parameter const& parameter : parameters) {
    if (given.has(parameter.name)) {
      result.set(parameter.name, canonical_value(algorithm, parameter, given));
    }
  }
  check_native_phases(algorithm, result);
  return result;
}

}  // namespace espalier::algorithms
