// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/programs.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/base/field.hpp"

namespace espalier::plan {
namespace {

using Json = nlohmann::json;

/// That a file keeps: those that ran last.
constexpr std::size_t most_programs = 100;
constexpr char const* programs_key = "programs";
constexpr char const* name_key = "program";
constexpr char const* count_key = "runs_in_vain";
constexpr char const* stake_key = "seconds_at_stake";
constexpr char const* seconds_key = "seconds";
constexpr char const* cost_key = "cost_seconds";
constexpr char const* saved_key = "saved_seconds";

/// Memories of older versions do not have it.
double number_or_zero(Field const& object, char const* key) {
  return object.has(key) ? object.at(key).number(0) : 0;
}

}  // namespace

RunsOfProgram runs_of(Json const& document, std::string_view program, std::string_view origin) {
  Field const file(document, std::string(origin));
  RunsOfProgram runs;
  if (!file.has(programs_key)) {
    return runs;
  }
  for (Field const& one : file.at(programs_key).elements()) {
    RunsOfProgram const found{
        .num_in_vain =
            static_cast<int>(one.at(count_key).integer(0, std::numeric_limits<int>::max())),
        .seconds_at_stake = one.at(stake_key).number(0),
        .seconds = number_or_zero(one, seconds_key),
        .cost_seconds = number_or_zero(one, cost_key),
        .saved_seconds = number_or_zero(one, saved_key),
    };
    runs = one.at(name_key).text() == program ? found : runs;
  }
  return runs;
}

void note_run(Json& document, std::string_view program, bool has_found, RunsOfProgram const& run) {
  constexpr int most_runs = 1'000'000;
  int const before = runs_of(document, program, "memory").num_in_vain;
  Json programs = Json::array();
  programs.push_back({
      {name_key, program},
      {count_key, has_found ? 0 : std::min(before + 1, most_runs)},
      {stake_key, run.seconds_at_stake},
      {seconds_key, run.seconds},
      {cost_key, run.cost_seconds},
      {saved_key, run.saved_seconds},
  });
  for (Json const& one : document.value(programs_key, Json::array())) {
    if (one.at(name_key) != program && programs.size() < most_programs) {
      programs.push_back(one);
    }
  }
  document[programs_key] = std::move(programs);
}

}  // namespace espalier::plan
