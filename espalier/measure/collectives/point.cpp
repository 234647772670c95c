// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/collectives/point.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "espalier/measure/collectives/proof.hpp"
#include "espalier/measure/common/clock.hpp"

namespace espalier::measure {
namespace {

TimedCall timed_call_of(Entrant const& entrant, Workload& workload, std::vector<int> const& roots) {
  auto const run = [contender = entrant.contender, &workload, &roots](int call) {
    return contender->run(workload, roots[static_cast<std::size_t>(call) % roots.size()]).code;
  };
  return {.name = entrant.name, .run = run};
}

std::vector<std::string> names_of(std::vector<TimedCall> const& timed_calls) {
  std::vector<std::string> names;
  names.reserve(timed_calls.size());
  for (TimedCall const& timed : timed_calls) {
    names.push_back(timed.name);
  }
  return names;
}

}  // namespace

void measure_point(
    Teams const& teams,
    PlannedPoint const& planned,
    Pace const& pace,
    Contenders& contenders,
    SampleFile* file
) {
  PointRequest point = *planned.request;
  Workload workload(teams.own, point);
  point.bytes = workload.bytes();
  auto const complain = [&](Complaint const& complaint) {
    if (file != nullptr) {
      file->write_error(planned.index, point, complaint.choice, complaint.reason, complaint.text);
    }
  };
  std::vector<Entrant> entrants;
  if (point.has_native) {
    entrants.push_back({.name = "native", .contender = &contenders.get(point.call_form(), "native")}
    );
  }
  for (std::string const& choice : point.choices) {
    if (std::string text = contenders.refuses(point.call_form(), choice); !text.empty()) {
      complain({.choice = choice, .reason = "refused", .text = std::move(text)});
    } else {
      entrants.push_back({.name = choice, .contender = &contenders.get(point.call_form(), choice)});
    }
  }
  if (entrants.empty()) {
    return;
  }
  Proof proof(teams.all, workload, pace);
  auto const complaint = proof.run(entrants, point.has_native ? 1 : 0);
  std::ranges::for_each(proof.left_out(), complain);
  if (complaint) {
    complain(*complaint);
    return;
  }
  std::vector<int> const roots = roots_of_round(workload.roots());
  std::vector<TimedCall> timed_calls;
  timed_calls.reserve(entrants.size());
  for (Entrant const& entrant : entrants) {
    timed_calls.push_back(timed_call_of(entrant, workload, roots));
  }
  Pace own_pace = pace;
  own_pace.calls_of_round = static_cast<int>(roots.size());
  if (is_simulated()) {
    own_pace.warmup = 0;  // the proof was one
  } else {
    own_pace.seconds = proof.seconds_left();
  }
  Timer timer(teams.all, own_pace, timed_calls);
  Samples const samples = timer.run();
  if (file != nullptr) {
    std::vector<std::string> const names = names_of(timed_calls);
    file->write_point(
        planned.index, point, names, samples, timer.calls_per_sample(), proof.decided()
    );
    if (timer.spread()) {
      file->write_spread(planned.index, point, names, *timer.spread());
    }
  }
}

}  // namespace espalier::measure
