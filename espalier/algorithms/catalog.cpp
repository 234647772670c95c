// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/catalog.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

constexpr std::array all_collectives{Collective::allgather, Collective::bcast};

constexpr Parameter segments_parameter{
    .name = "segments",
    .type = Parameter::Type::integer,
    .fallback = "1",
    .minimum = 1,
    .description = "segments that follow each other through the schedule",
};

Parameter const& parameter_of(Algorithm const& algorithm, std::string_view key) {
  for (Parameter const& parameter : algorithm.parameters) {
    if (parameter.name == key) {
      return parameter;
    }
  }
  if (key == segments_parameter.name && algorithm.segment_period != nullptr) {
    return segments_parameter;
  }
  std::string known;
  for (Parameter const& parameter : algorithm.parameters) {
    known += (known.empty() ? "" : ", ") + std::string(parameter.name);
  }
  if (algorithm.segment_period != nullptr) {
    known += known.empty() ? "segments" : ", segments";
  }
  throw Error(
      ErrorCode::argument,
      std::string(to_string(algorithm.collective)) + "/" + std::string(algorithm.name) +
          " takes " + (known.empty() ? "no arguments" : known) + ", got '" + std::string(key) + "'"
  );
}

void check_minimum(Parameter const& parameter, int value) {
  if (value < parameter.minimum) {
    throw Error(
        ErrorCode::argument,
        std::string(parameter.name) + " must be at least " + std::to_string(parameter.minimum) +
            ", got " + std::to_string(value)
    );
  }
}

void check_arguments(Algorithm const& algorithm, Arguments const& arguments) {
  for (auto const& [key, value] : arguments.entries()) {
    Parameter const& parameter = parameter_of(algorithm, key);
    switch (parameter.type) {
    case Parameter::Type::integer:
      check_minimum(parameter, arguments.integer(key, 0));
      break;
    case Parameter::Type::integer_list:
      for (int const entry : arguments.integers(key)) {
        check_minimum(parameter, entry);
      }
      break;
    case Parameter::Type::algorithm:
      static_cast<void>(Choice::parse(algorithm.collective, value));
      break;
    }
  }
}

std::string names_of(Collective collective) {
  std::string names;
  for (Algorithm const* algorithm : catalog()) {
    if (algorithm->collective == collective) {
      names += (names.empty() ? "" : ", ") + std::string(algorithm->name);
    }
  }
  return names;
}

void check_range(std::string_view what, int value, int num_ranks) {
  if (value < 0 || value >= num_ranks) {
    throw Error(
        ErrorCode::argument,
        std::string(what) + " must be in 0 .. " + std::to_string(num_ranks - 1) + ", got " +
            std::to_string(value)
    );
  }
}

}  // namespace

std::string_view to_string(Collective collective) noexcept {
  switch (collective) {
  case Collective::allgather:
    return "allgather";
  case Collective::bcast:
    return "bcast";
  }
  return "unknown";
}

schedule::Frame output_frame(int num_ranks, int num_blocks) {
  return {
      .num_ranks = num_ranks,
      .num_output_blocks = num_blocks,
      .input_like = {},
      .scratch_like = {},
  };
}

Collective parse_collective(std::string_view text) {
  std::string names;
  for (Collective const collective : all_collectives) {
    if (to_string(collective) == text) {
      return collective;
    }
    names += (names.empty() ? "" : ", ") + std::string(to_string(collective));
  }
  throw Error(
      ErrorCode::argument, "expected a collective (" + names + "), got '" + std::string(text) + "'"
  );
}

Algorithm const& find(Collective collective, std::string_view name) {
  for (Algorithm const* algorithm : catalog()) {
    if (algorithm->collective == collective && algorithm->name == name) {
      return *algorithm;
    }
  }
  throw Error(
      ErrorCode::argument,
      "expected an algorithm for " + std::string(to_string(collective)) + " (" +
          names_of(collective) + "), got '" + std::string(name) + "'"
  );
}

Choice::Choice(Algorithm const& algorithm, Arguments arguments)
    : algorithm_(&algorithm), arguments_(std::move(arguments)) {
  check_arguments(algorithm, arguments_);
}

Choice Choice::parse(std::string_view text) {
  std::size_t const slash = text.find('/');
  if (slash == std::string_view::npos) {
    throw Error(
        ErrorCode::argument,
        "expected collective/algorithm[arguments] as in allgather/ring, got '" +
            std::string(text) + "'"
    );
  }
  return parse(parse_collective(text.substr(0, slash)), text.substr(slash + 1));
}

Choice Choice::parse(Collective collective, std::string_view text) {
  std::size_t const bracket = std::min(text.find('['), text.size());
  return {
      find(collective, text.substr(0, bracket)),
      Arguments::parse(text.substr(bracket)),
  };
}

std::string Choice::text() const {
  return std::string(to_string(collective())) + "/" + std::string(algorithm_->name) +
         arguments_.to_text();
}

Request Choice::request(int num_ranks, int root) const {
  return {
      .num_ranks = num_ranks,
      .root = root,
      .arguments = arguments_.without(segments_parameter.name),
  };
}

std::string Choice::refuses(int num_ranks, int root) const {
  if (num_ranks < 1) {
    return "num_ranks must be at least 1, got " + std::to_string(num_ranks);
  }
  return algorithm_->refuses(request(num_ranks, root));
}

schedule::RankProgram Choice::generate(int num_ranks, int root, int rank) const {
  if (std::string const reason = refuses(num_ranks, root); !reason.empty()) {
    throw Error(ErrorCode::unsupported, text() + ": " + reason);
  }
  check_range("root", root, num_ranks);
  check_range("rank", rank, num_ranks);
  Request const asked = request(num_ranks, root);
  schedule::RankProgram program = algorithm_->generate(asked, rank);
  if (num_segments() == 1) {
    return program;
  }
  return schedule::segment(
      program,
      {.num_segments = num_segments(), .period = algorithm_->segment_period(asked), .window = 16}
  );
}

Facts Choice::facts(int num_ranks, int root) const {
  Request const asked = request(num_ranks, root);
  Facts facts = algorithm_->facts(asked);
  if (int const segments = num_segments(); segments > 1) {
    facts.rounds += facts.rounds == 0 ? 0 : (segments - 1) * algorithm_->segment_period(asked);
    facts.messages *= segments;
    facts.blocks *= segments;
  }
  return facts;
}

std::vector<Choice> variants(Collective collective, int num_ranks) {
  std::vector<Choice> result;
  for (Algorithm const* algorithm : catalog()) {
    if (algorithm->collective != collective) {
      continue;
    }
    Request const request{.num_ranks = num_ranks, .root = 0, .arguments = {}};
    for (std::string const& arguments : algorithm->variants(request)) {
      Choice const choice = Choice::parse(collective, std::string(algorithm->name) + arguments);
      if (choice.refuses(num_ranks, 0).empty()) {
        result.push_back(choice);
      }
    }
  }
  return result;
}

}  // namespace espalier::algorithms
