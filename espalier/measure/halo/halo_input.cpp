// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/halo/halo_input.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "espalier/measure/halo/input_line.hpp"

namespace espalier::measure {
namespace {

constexpr int most_points = 1'000'000;
constexpr int most_repetitions = 100'000;
constexpr int most_floats = 1'000'000;
constexpr double most_seconds = 1e6;
constexpr int any = std::numeric_limits<int>::max();

std::vector<int> factors_of(InputLine const& line) {
  std::vector<int> factors = line.only().integers(1, most_points);
  if (std::ranges::adjacent_find(factors, std::ranges::greater_equal()) != factors.end()) {
    line.fail("factors that rise", line.only().text());
  }
  return factors;
}

void read_repetitions(InputLine const& line, HaloInput& input) {
  std::vector<int> const limits = line.only().integers(1, most_repetitions);
  if (limits.size() != 2 || limits[0] > limits[1]) {
    line.fail("the least and the most repetitions", line.only().text());
  }
  input.min_repetitions = limits[0];
  input.max_repetitions = limits[1];
}

void read_seconds(InputLine const& line, HaloInput& input) {
  std::vector<double> const seconds = line.only().numbers(0.0, most_seconds);
  if (seconds.size() != 1) {
    line.fail("one number of seconds", line.only().text());
  }
  input.seconds = seconds.front();
}

/// The values of a word of the line, as many as there are dimensions.
template <typename Value>
std::vector<Value>
for_each_dimension(InputWords const& words, std::vector<Value> values, std::size_t dimensions) {
  if (values.size() != dimensions) {
    words.fail(std::to_string(dimensions) + " values, one for each dimension", words.text());
  }
  return values;
}

std::vector<bool> periods_of(InputLine const& line, std::size_t dimensions) {
  InputWords const* words = line.find("periodic");
  if (words == nullptr) {
    return std::vector<bool>(dimensions, true);
  }
  std::vector<int> const values = for_each_dimension(*words, words->integers(0, 1), dimensions);
  return {values.begin(), values.end()};
}

HaloStride stride_of(InputWords const& words, std::vector<int> const& pair) {
  if (pair.size() != 2 || pair[1] < pair[0] || (pair[0] == 0 && pair[1] != 0)) {
    words.fail("block/stride with stride at least block, or 0/0", words.text());
  }
  return {.block = pair[0], .stride = pair[1]};
}

std::vector<HaloStride> strides_of(InputLine const& line, std::size_t dimensions) {
  InputWords const* words = line.find("strided");
  std::vector<HaloStride> strides;
  if (words == nullptr) {
    strides.resize(dimensions);
    return strides;
  }
  for (std::vector<int> const& pair : words->tuples('/', 0, most_floats)) {
    strides.push_back(stride_of(*words, pair));
  }
  return for_each_dimension(*words, std::move(strides), dimensions);
}

mapping::MultiLevelDims dims_ml_of(InputWords const& words, std::size_t dimensions) {
  mapping::MultiLevelDims dims_ml =
      for_each_dimension(words, words.tuples('x', 1, any), dimensions);
  for (std::vector<int> const& row : dims_ml) {
    if (row.size() != dims_ml.front().size()) {
      words.fail("as many levels in each dimension", words.text());
    }
  }
  return dims_ml;
}

/// The words that belong to a method must be there, and only there.
void check_extra(InputLine const& line, HaloMethod method) {
  std::pair<char const*, HaloMethod> const extras[] = {
      {"weights", HaloMethod::given_weights}, {"dims_ml", HaloMethod::given_levels}
  };
  for (auto const& [name, owner] : extras) {
    bool const is_there = line.find(name) != nullptr;
    if (is_there != (method == owner)) {
      std::string const number = std::to_string(static_cast<int>(method));
      std::string const wanted = is_there ? "no " : "";
      line.fail(wanted + name + " with method " + number, is_there ? "it" : "none");
    }
  }
}

HaloMethod method_of(InputLine const& line) {
  InputWords const& words = line.at("method");
  std::vector<int> const numbers = words.integers(1, 5);
  if (numbers.size() != 1) {
    words.fail("one method, 1 to 5", words.text());
  }
  return static_cast<HaloMethod>(numbers.front());
}

HaloCase case_of(InputLine const& line, std::size_t dimensions) {
  HaloCase found{.line = line.number(), .method = method_of(line), .weights = {}, .dims_ml = {}};
  check_extra(line, found.method);
  if (InputWords const* words = line.find("weights")) {
    constexpr double most = std::numeric_limits<double>::max();
    found.weights = for_each_dimension(*words, words->numbers(0.0, most), dimensions);
  }
  if (InputWords const* words = line.find("dims_ml")) {
    found.dims_ml = dims_ml_of(*words, dimensions);
  }
  return found;
}

void add_case(std::vector<HaloGroup>& groups, InputLine const& line) {
  line.check_names({"method", "grid", "periodic", "strided", "weights", "dims_ml"});
  InputWords const& words = line.at("grid");
  HaloGroup group{
      .grid = words.integers(1, most_points), .is_periodic = {}, .strides = {}, .cases = {}
  };
  std::size_t const dimensions = group.grid.size();
  if (dimensions > HaloInput::most_dimensions) {
    words.fail("1 to 6 dimensions", std::to_string(dimensions));
  }
  group.is_periodic = periods_of(line, dimensions);
  group.strides = strides_of(line, dimensions);
  auto const same = std::ranges::find_if(groups, [&group](HaloGroup const& other) {
    return other.grid == group.grid && other.is_periodic == group.is_periodic &&
           other.strides == group.strides;
  });
  HaloGroup& target = same == groups.end() ? groups.emplace_back(std::move(group)) : *same;
  target.cases.push_back(case_of(line, dimensions));
}

void read(InputLine const& line, HaloInput& input) {
  if (line.find("method") != nullptr) {
    add_case(input.groups, line);
  } else if (line.find("factors") != nullptr) {
    input.factors = factors_of(line);
  } else if (line.find("repetitions") != nullptr) {
    read_repetitions(line, input);
  } else if (line.find("seconds") != nullptr) {
    read_seconds(line, input);
  } else {
    line.fail("method, factors, repetitions or seconds", line.first_word());
  }
}

}  // namespace

HaloInput HaloInput::parse(std::string_view text, std::string_view origin) {
  HaloInput input;
  for (InputLine const& line : input_lines(text, origin)) {
    read(line, input);
  }
  if (input.groups.empty()) {
    throw Error(
        ErrorCode::format,
        std::string(origin) + ": expected at least one line such as 'method 1 grid 2 2 2', got none"
    );
  }
  return input;
}

}  // namespace espalier::measure
