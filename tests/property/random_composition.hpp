// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "tests/property/random_choice.hpp"

namespace espalier::test {

/// Algorithms with algorithms inside them, in layouts that often fit the number of ranks.
class RandomComposition {
public:
  explicit RandomComposition(unsigned seed) : random_(seed) {}

  /// A choice of a collective; often one that refuses this many ranks.
  algorithms::Choice choice(algorithms::Collective collective, int num_ranks) {
    return algorithms::Choice::parse(collective, text(collective, num_ranks, 3));
  }

  Random& random() noexcept { return random_; }

private:
  using Parameter = algorithms::Parameter;

  int number(int first, int last) {
    return first + static_cast<int>(below(random_, static_cast<std::size_t>(last - first) + 1));
  }

  /// @param depth of phases that may have phases
  std::string text(algorithms::Collective collective, int num_ranks, int depth) {
    algorithms::Algorithm const& algorithm = any_algorithm(collective, depth);
    algorithms::Arguments arguments;
    for (Parameter const& parameter : algorithm.parameters) {
      if (number(0, 2) > 0) {
        std::string value = value_of(algorithm, parameter, num_ranks, depth);
        arguments.set(parameter.name, std::move(value));
      }
    }
    return std::string(algorithm.name) + arguments.to_text();
  }

  algorithms::Algorithm const& any_algorithm(algorithms::Collective collective, int depth) {
    std::vector<algorithms::Algorithm const*> found;
    for (algorithms::Algorithm const* algorithm : algorithms::catalog()) {
      bool const has_phases = std::ranges::any_of(algorithm->parameters, [](auto const& one) {
        return one.type == Parameter::Type::algorithm;
      });
      if (algorithm->collective == collective && (depth > 0 || !has_phases)) {
        found.push_back(algorithm);
      }
    }
    return *found[below(random_, found.size())];
  }

  std::string value_of(
      algorithms::Algorithm const& algorithm, Parameter const& parameter, int num_ranks, int depth
  ) {
    switch (parameter.type) {
    case Parameter::Type::integer:
      return std::to_string(std::min(number(0, 4) + parameter.minimum, parameter.maximum));
    case Parameter::Type::integer_list:
      return parameter.name == "rows"    ? rows(num_ranks)
             : parameter.name == "sizes" ? sizes(num_ranks)
                                         : factors(num_ranks);
    case Parameter::Type::algorithm:
      break;
    }
    algorithms::Collective const collective =
        parameter.collective.empty() ? algorithm.collective
                                     : algorithms::parse_collective(parameter.collective);
    return text(collective, std::max(1, num_ranks / number(1, 4)), depth - 1);
  }

  /// Often a number that does not fit.
  std::string rows(int num_ranks) {
    std::string const first = std::to_string(number(1, std::max(4, num_ranks / 2)));
    return number(0, 3) > 0 ? first : first + "x" + std::to_string(number(1, 3));
  }

  std::string sizes(int num_ranks) {
    std::string list;
    for (int left = num_ranks; left > 0;) {
      int const size = number(1, left);
      list += (list.empty() ? "" : "x") + std::to_string(size);
      left -= size;
    }
    return list;
  }

  static std::string factors(int num_ranks) {
    std::string list;
    for (int left = num_ranks, factor = 2; left > 1;) {
      if (left % factor == 0) {
        list += (list.empty() ? "" : "x") + std::to_string(factor);
        left /= factor;
      } else {
        ++factor;
      }
    }
    return list.empty() ? "2" : list;
  }

  Random random_;
};

}  // namespace espalier::test
