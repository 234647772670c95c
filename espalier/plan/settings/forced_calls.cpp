// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/forced_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/neighborhood/catalog.hpp"

namespace espalier::plan {
namespace {

constexpr std::string_view force_example =
    "ESPALIER_FORCE: expected call=algorithm pairs separated by ';' as in "
    "allgather=bruck;bcast=native, got '";

/// `bruck` and `allgather/bruck` are the same here.
algorithms::Choice parse_choice(profile::Call call, std::string_view text) {
  algorithms::Collective const collective = profile::collective_of(call);
  std::string const prefix = std::string(algorithms::to_string(collective)) + "/";
  if (text.starts_with(prefix)) {
    text.remove_prefix(prefix.size());
  }
  return algorithms::Choice::parse(collective, text);
}

Settings::Forced parse_forced(profile::CallForm call, std::string_view text, Settings& settings) {
  if (text == "native") {
    return {.choice = std::nullopt, .reason = "forced by ESPALIER_FORCE"};
  }
  try {
    return {.choice = parse_choice(call.call, text), .reason = "forced by ESPALIER_FORCE"};
  } catch (Error const& error) {
    std::string const problem = "ESPALIER_FORCE: " + profile::to_string(call) + ": " + error.what();
    settings.warnings.push_back(problem + "; using the native call");
    return {.choice = std::nullopt, .reason = problem};
  }
}

/// `combining` and `neighbor_alltoall/combining` are the same here.
profile::Decision parse_neighbor(NeighborForm one, std::string_view text) {
  neighborhood::Collective const collective = collective_of(one.call);
  std::string const prefix = std::string(neighborhood::to_string(collective)) + "/";
  if (text.starts_with(prefix)) {
    text.remove_prefix(prefix.size());
  }
  try {
    return {
        .neighbors = text == "native" ? nullptr : &neighborhood::find(collective, text),
        .reason = "forced by ESPALIER_FORCE",
    };
  } catch (Error const& error) {
    throw Error(error.code(), to_string(one) + ": " + error.what());
  }
}

void parse_forced(std::string_view name, std::string_view text, Settings& settings) {
  if (auto const one = parse_neighbor_form(name)) {
    settings.forced_neighbors[index_of(*one)] = parse_neighbor(*one, text);
    return;
  }
  profile::CallForm const call = profile::parse_rule_call(name);
  Settings::ForcedCalls& forced = settings.forced[profile::index_of(call.form)];
  forced[profile::index_of(call.call)] = parse_forced(call, text, settings);
}

/// `allgather=ring,bcast=flat`: a comma where a semicolon is meant. Those in brackets separate the
/// arguments of an algorithm.
bool has_pairs_after_comma(std::string_view entry) {
  int depth = 0;
  for (std::size_t i = 0; i < entry.size(); ++i) {
    depth += (entry[i] == '[' ? 1 : 0) - (entry[i] == ']' ? 1 : 0);
    if (entry[i] == ',' && depth == 0) {
      return entry.find('=', i) != std::string_view::npos;
    }
  }
  return false;
}

void parse_force_entry(std::string_view entry, Settings& settings) {
  std::size_t const equals = entry.find('=');
  bool const is_one_pair = equals != std::string_view::npos && !has_pairs_after_comma(entry);
  if (!is_one_pair) {
    settings.warnings.push_back(
        std::string(force_example) + std::string(entry) + "'; ignoring this entry"
    );
    return;
  }
  try {
    parse_forced(entry.substr(0, equals), entry.substr(equals + 1), settings);
  } catch (Error const& error) {
    settings.warnings.push_back(
        "ESPALIER_FORCE: " + std::string(error.what()) + "; ignoring this entry"
    );
  }
}

}  // namespace

void parse_force(std::string_view text, Settings& settings) {
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(';'), text.size());
    if (end > 0) {
      parse_force_entry(text.substr(0, end), settings);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace espalier::plan
