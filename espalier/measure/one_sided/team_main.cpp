// SPDX-License-Identifier: Apache-2.0

/// @file
/// espalier-team-<vendor>: tunes the one-sided collectives of a team of the ranks it is
/// started with, for all later programs, and times what was found against what would run otherwise.
/// Started by `espalier tune team`.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "espalier/base/json_text.hpp"
#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/even_pace.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/job_line.hpp"
#include "espalier/measure/common/json_lines.hpp"
#include "espalier/measure/common/plan_and_output.hpp"
#include "espalier/measure/common/program.hpp"
#include "espalier/measure/common/timer.hpp"
#include "espalier/measure/one_sided/team_plan.hpp"
#include "espalier/measure/one_sided/tuned_team.hpp"

namespace espalier::measure {
namespace {

using Json = nlohmann::ordered_json;

/// Of the time of a request, so much is for tuning; the rest is for the comparison behind it.
constexpr double share_of_tuning = 0.75;
constexpr Repetitions repetitions{.min = 20, .max = 200};

/// What a request runs, and why.
Json choice_of(espalier_request const& request) {
  return {
      {"algorithm", espalier_request_algorithm(&request)},
      {"mechanism", espalier_request_mechanism(&request)},
      {"origin", espalier_request_origin(&request)},
  };
}

int run(espalier_request& request) {
  int const code = espalier_request_start(&request);
  return code == MPI_SUCCESS ? espalier_request_wait(&request) : code;
}

/// Tunes one request, and times it in turns with one that was planned before.
Json tuned(
    Job const& job, TunedTeam const& team, TeamRequest const& asked, double seconds, Pace pace
) {
  OwnRequest const before = team.planned(asked);
  OwnRequest const after = team.planned(asked);
  Json line{
      {"kind", "request"},
      {"collective", profile::to_string(asked.call)},
      {"bytes", asked.bytes},
      {"before", choice_of(*before)},
  };
  team.tune(*after, share_of_tuning * seconds);
  line["after"] = choice_of(*after);
  pace.seconds = (1 - share_of_tuning) * seconds;
  std::vector<TimedCall> const calls{
      {.name = "before", .run = [&](int) { return run(*before); }},
      {.name = "after", .run = [&](int) { return run(*after); }},
  };
  Samples const samples = Timer(job, pace, calls).run();
  if (job.rank == 0) {
    line["before"]["times_us"] = to_nanoseconds(samples.of(0));
    line["after"]["times_us"] = to_nanoseconds(samples.of(1));
  }
  return line;
}

/// Request after request; rank 0 says when the time of the whole plan is over.
/// @return how many are left
std::size_t
tune_all(Job const& job, TunedTeam const& team, TeamPlan const& plan, JsonLines* lines) {
  auto const start = Clock::now();
  std::size_t num_left = plan.requests.size();
  for (TeamRequest const& asked : plan.requests) {
    double const seconds_left = plan.seconds - seconds_since(start);
    if (!is_time_left(job, seconds_left)) {
      break;
    }
    Pace const pace = even_pace(repetitions, num_left, seconds_left);
    double const seconds = plan.seconds / static_cast<double>(plan.requests.size());
    Json const line = tuned(job, team, asked, seconds, pace);
    if (lines != nullptr) {
      lines->write(json_text(line));
    }
    --num_left;
  }
  return num_left;
}

void measure(Job const& job, PlanAndOutput const& options) {
  auto const plan = shared_plan<TeamPlan>(job, options);
  TunedTeam const team(job, plan);
  std::optional<JsonLines> lines;
  if (job.rank == 0) {
    lines.emplace(options.output);
    Json header = job_line(job, "espalier-team-samples", clock_resolution_us());
    header["transport"] = team.transport();
    lines->write(json_text(header));
  }
  std::size_t const num_left = tune_all(job, team, plan, lines ? &*lines : nullptr);
  if (lines) {
    lines->write(json_text(Json{{"kind", "end"}, {"num_requests_left", num_left}}));
  }
}

}  // namespace
}  // namespace espalier::measure

int main(int argc, char** argv) {
  using namespace espalier::measure;
  return run_program(argc, argv, "espalier-team", measure);
}
